"""
A message about a named thing is logged once in a while, and of many names the recent ones are known.
"""

from types import SimpleNamespace

import pytest

from hvcore.throttling import log_throttle
from hvcore.throttling.log_throttle import LogThrottle
from tests.throttling.conftest import Elapsed

EVERY_S = 60.0


@pytest.fixture
def throttle(monkeypatch: pytest.MonkeyPatch, elapsed: Elapsed) -> LogThrottle:
    monkeypatch.setattr(log_throttle, "time", SimpleNamespace(monotonic=elapsed))
    return LogThrottle(EVERY_S)


def test_each_name_is_told_once_within_the_time(
    throttle: LogThrottle, elapsed: Elapsed
) -> None:
    assert [throttle.is_time(name) for name in "aabab"] == [True, False, True] + 2 * [
        False
    ]

    elapsed.now_s += EVERY_S - 1
    assert not throttle.is_time("a")
    elapsed.now_s += 1
    assert [throttle.is_time(name) for name in "abab"] == [True, True, False, False]


def test_of_many_names_those_whose_time_is_over_are_forgotten(
    throttle: LogThrottle, monkeypatch: pytest.MonkeyPatch, elapsed: Elapsed
) -> None:
    monkeypatch.setattr(log_throttle, "_REMEMBERED", 3)
    for name in "abc":
        assert throttle.is_time(name)
        elapsed.now_s += EVERY_S / 3

    # All of them but the first are recent.
    assert throttle.is_time("d")

    assert set(throttle._said) == {"b", "c", "d"}
    assert not any(throttle.is_time(name) for name in "bcd")
    assert throttle.is_time("a")
