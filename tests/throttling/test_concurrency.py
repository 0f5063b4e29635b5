"""
Places of large bodies: nobody gets them all.
"""

from contextlib import ExitStack

import attrs
import pytest

from hvcore.errors import UnavailableError
from hvcore.throttling.concurrency import BUSY_RETRY_AFTER_S, ConcurrencySlots


@attrs.define
class Elapsed:
    now_s: float = 1000.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def elapsed() -> Elapsed:
    return Elapsed()


@pytest.fixture
def places(elapsed: Elapsed) -> ConcurrencySlots:
    return ConcurrencySlots(count=4, most_of_one=2, things="uploads", elapsed_s=elapsed)


def test_one_organization_leaves_the_rest_to_others(places: ConcurrencySlots) -> None:
    with places.take("org_a"), places.take("org_a"):
        with (
            pytest.raises(UnavailableError, match="Your organization") as caught,
            places.take("org_a"),
        ):
            pytest.fail("a third place")
        with places.take("org_b"):
            pass

    assert caught.value.retry_after_s == BUSY_RETRY_AFTER_S


def test_a_place_is_free_again_afterwards(places: ConcurrencySlots) -> None:
    for _ in range(5):
        with pytest.raises(ZeroDivisionError), places.take("org_a"):
            raise ZeroDivisionError

    with ExitStack() as stack:
        for org_id in ("org_a", "org_a", "org_b", "org_b"):
            stack.enter_context(places.take(org_id))


def test_places_are_scarce_while_others_wait(
    places: ConcurrencySlots, elapsed: Elapsed
) -> None:
    with ExitStack() as stack:
        for org_id in ("org_a", "org_a", "org_b"):
            stack.enter_context(places.take(org_id))
        last = stack.enter_context(ExitStack())
        last.enter_context(places.take("org_b"))
        assert not places.is_scarce()

        with pytest.raises(UnavailableError, match="Too many"):
            stack.enter_context(places.take("org_c"))

        assert places.is_scarce()
        elapsed.now_s += 2 * BUSY_RETRY_AFTER_S
        assert not places.is_scarce()
        elapsed.now_s -= 1
        last.close()
        assert not places.is_scarce()


def test_who_has_its_share_makes_nothing_scarce(places: ConcurrencySlots) -> None:
    with ExitStack() as stack:
        for org_id in ("org_a", "org_a", "org_b", "org_b"):
            stack.enter_context(places.take(org_id))

        with pytest.raises(UnavailableError, match="Your organization"):
            stack.enter_context(places.take("org_a"))

        assert not places.is_scarce()
