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
def slots(elapsed: Elapsed) -> ConcurrencySlots:
    return ConcurrencySlots(count=4, most_of_one=2, things="uploads", elapsed_s=elapsed)


def test_one_organization_leaves_the_rest_to_others(slots: ConcurrencySlots) -> None:
    with slots.take("org_a"), slots.take("org_a"):
        with (
            pytest.raises(UnavailableError, match="Your organization") as caught,
            slots.take("org_a"),
        ):
            pytest.fail("a third place")
        with slots.take("org_b"):
            pass

    assert caught.value.retry_after_s == BUSY_RETRY_AFTER_S


def test_a_place_is_free_again_afterwards(slots: ConcurrencySlots) -> None:
    for _ in range(5):
        with pytest.raises(ZeroDivisionError), slots.take("org_a"):
            raise ZeroDivisionError

    with ExitStack() as stack:
        for org_id in ("org_a", "org_a", "org_b", "org_b"):
            stack.enter_context(slots.take(org_id))


def test_places_are_scarce_while_others_wait(
    slots: ConcurrencySlots, elapsed: Elapsed
) -> None:
    with ExitStack() as stack:
        for org_id in ("org_a", "org_a", "org_b"):
            stack.enter_context(slots.take(org_id))
        last = stack.enter_context(ExitStack())
        last.enter_context(slots.take("org_b"))
        assert not slots.is_scarce()

        with pytest.raises(UnavailableError, match="Too many"):
            stack.enter_context(slots.take("org_c"))

        assert slots.is_scarce()
        elapsed.now_s += 2 * BUSY_RETRY_AFTER_S
        assert not slots.is_scarce()
        elapsed.now_s -= 1
        last.close()
        assert not slots.is_scarce()


def test_who_has_its_share_makes_nothing_scarce(slots: ConcurrencySlots) -> None:
    with ExitStack() as stack:
        for org_id in ("org_a", "org_a", "org_b", "org_b"):
            stack.enter_context(slots.take(org_id))

        with pytest.raises(UnavailableError, match="Your organization"):
            stack.enter_context(slots.take("org_a"))

        assert not slots.is_scarce()
