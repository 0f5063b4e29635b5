"""
Calls that are given a time limit.
"""

import threading

import pytest

from hvcore_storage_fsspec.limited_calls import TimeLimitedCalls
from tests.support.full_machine import full_machine


def fail() -> None:
    raise KeyError("of the call")


def test_a_call_in_time_gives_its_outcome() -> None:
    calls = TimeLimitedCalls(1)

    assert calls.call(10, lambda: 3) == 3
    with pytest.raises(KeyError, match="of the call"):
        calls.call(10, fail)


def test_a_call_that_is_left_behind_keeps_its_place_until_it_ends() -> None:
    calls, ends = TimeLimitedCalls(1), threading.Event()

    for function in (ends.wait, lambda: None):
        with pytest.raises(TimeoutError):
            calls.call(0.05, function)
    ends.set()

    assert calls.call(10, lambda: 3) == 3


def test_a_call_without_a_thread_fails_as_a_late_one_and_keeps_no_place() -> None:
    calls = TimeLimitedCalls(1)
    with full_machine(), pytest.raises(TimeoutError, match="no thread"):
        calls.call(10, lambda: 3)

    assert calls.call(10, lambda: 3) == 3
