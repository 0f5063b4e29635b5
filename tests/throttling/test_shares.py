"""
Shares of what all need: nobody gets everything.
"""

import weakref
from contextlib import ExitStack

import pytest

from hvcore.errors import UnavailableError
from hvcore.throttling.shares import (
    BUSY_RETRY_AFTER_S,
    REFUSALS,
    SharedCapacity,
    client_of_address,
)
from tests.throttling.conftest import Elapsed


@pytest.fixture
def slots(elapsed: Elapsed) -> SharedCapacity:
    return SharedCapacity(
        name="uploads_of_one",
        capacity=4,
        most_of_one=2,
        things="uploads",
        elapsed_s=elapsed,
    )


def test_one_organization_leaves_the_rest_to_others(slots: SharedCapacity) -> None:
    with slots.take("org_a"), slots.take("org_a"):
        with (
            pytest.raises(UnavailableError, match="You have too many") as caught,
            slots.take("org_a"),
        ):
            pytest.fail("a third place")
        with slots.take("org_b"):
            pass

    assert caught.value.retry_after_s == BUSY_RETRY_AFTER_S


def test_a_place_is_free_again_afterwards(slots: SharedCapacity) -> None:
    for _ in range(5):
        with pytest.raises(ZeroDivisionError), slots.take("org_a"):
            raise ZeroDivisionError

    with ExitStack() as stack:
        for org_id in ("org_a", "org_a", "org_b", "org_b"):
            stack.enter_context(slots.take(org_id))


def test_a_client_that_has_given_all_back_is_forgotten(slots: SharedCapacity) -> None:
    class Name(str):
        """A text that can be watched."""

        __slots__ = ("__weakref__",)

    client = Name("org_a")
    seen = weakref.ref(client)

    with slots.take(client), slots.take(client):
        pass
    del client

    assert seen() is None


def test_slots_are_scarce_while_others_wait(
    slots: SharedCapacity, elapsed: Elapsed
) -> None:
    with ExitStack() as stack:
        for org_id in ("org_a", "org_a", "org_b"):
            stack.enter_context(slots.take(org_id))
        last = stack.enter_context(ExitStack())
        last.enter_context(slots.take("org_b"))
        assert not slots.is_scarce()

        with pytest.raises(UnavailableError, match="There are too many"):
            stack.enter_context(slots.take("org_c"))

        assert slots.is_scarce()
        elapsed.now_s += 2 * BUSY_RETRY_AFTER_S
        assert not slots.is_scarce()
        elapsed.now_s -= 1
        last.close()
        assert not slots.is_scarce()


def test_who_has_its_share_makes_nothing_scarce(slots: SharedCapacity) -> None:
    with ExitStack() as stack:
        for org_id in ("org_a", "org_a", "org_b", "org_b"):
            stack.enter_context(slots.take(org_id))

        with pytest.raises(UnavailableError, match="You have too many"):
            stack.enter_context(slots.take("org_a"))

        assert not slots.is_scarce()


def test_the_last_goes_only_to_who_holds_nothing() -> None:
    threads = SharedCapacity(
        name="threads_of_one",
        capacity=4,
        most_of_one=4,
        reserved_for_newcomers=1,
        things="requests",
    )
    with ExitStack() as stack:
        for _ in range(3):
            stack.enter_context(threads.take("a"))

        assert not threads.may_take("a")
        assert threads.may_take("b")
        with pytest.raises(UnavailableError, match="There are too many requests"):
            threads.acquire("a")


@pytest.mark.parametrize("newcomers_hold", [0, 1, 2])
def test_a_client_that_holds_little_is_a_newcomer(newcomers_hold: int) -> None:
    threads = SharedCapacity(
        name="threads_of_one",
        capacity=9,
        most_of_one=9,
        reserved_for_newcomers=9,
        newcomers_hold=newcomers_hold,
        things="requests",
    )

    for _ in range(newcomers_hold + 1):
        assert threads.may_take("a")
        threads.acquire("a")

    assert not threads.may_take("a")


def test_costs_are_added_up(slots: SharedCapacity) -> None:
    with slots.take("org_a", 1.5):
        assert not slots.may_take("org_a")
        assert slots.may_take("org_a", 0.5)
        assert slots.may_take("org_b", 2)


def test_a_share_that_is_met_is_counted(slots: SharedCapacity) -> None:
    before = REFUSALS.total("uploads_of_one")

    with (
        pytest.raises(UnavailableError, match="You have too many"),
        slots.take("org_a", 3),
    ):
        pytest.fail("more than its share")

    assert REFUSALS.total("uploads_of_one") == before + 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2001:db8:1:2::7", "2001:db8:1:2:ffff::1"),
        ("192.0.2.1", "::ffff:192.0.2.1"),
        ("", "@"),
    ],
)
def test_addresses_of_one_site_are_one_client(one: str, other: str) -> None:
    assert client_of_address(one) == client_of_address(other)


def test_other_addresses_are_other_clients() -> None:
    addresses = ["192.0.2.1", "192.0.2.2", "2001:db8:1:2::7", "2001:db8:1:3::7"]

    assert len({client_of_address(address) for address in addresses}) == len(addresses)
