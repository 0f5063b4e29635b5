"""
The store in memory: windows by a clock that can be moved.
"""

from datetime import timedelta

from hvcore_ratelimit.memory import FIRST_TIDYING_AT, MemoryWindows
from tests.conftest import SettableClock
from tests.plugins.ratelimit.hitting import rule


def test_a_request_counts_until_exactly_one_window_later(clock: SettableClock) -> None:
    store = MemoryWindows(clock=clock)
    store.hit([rule(1)])

    clock.move(timedelta(hours=1) - timedelta(milliseconds=1))
    assert not store.hit([rule(1)])[0].is_allowed

    clock.move(timedelta(milliseconds=1))
    assert store.hit([rule(1)])[0].is_allowed


def test_windows_that_nobody_uses_are_forgotten(clock: SettableClock) -> None:
    store = MemoryWindows(clock=clock)
    for number in range(FIRST_TIDYING_AT):
        store.hit([rule(1, subject=f"org_{number}")])

    clock.move(timedelta(hours=1))
    store.hit([rule(1, subject="org_new")])

    assert len(store._windows) == 1
