"""
Define the clock from which all code of hvcore gets the present time.

Nothing in hvcore asks the operating system for the time by itself: code that
needs it takes a :class:`Clock`, so that tests can move it.
"""

import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Clock that returns the present time; code is given one, so that tests can change the time."""

    def now(self) -> datetime:
        """Return the current moment as an aware datetime in UTC."""
        ...

    def now_ms(self) -> int:
        """Return the milliseconds since 1970; faster than ``now``."""
        ...


class SystemClock:
    """Clock that returns the present time of the operating system."""

    def now(self) -> datetime:
        """Return the current moment as an aware datetime in UTC."""
        return datetime.now(UTC)

    def now_ms(self) -> int:
        """Return the milliseconds since 1970."""
        return time.time_ns() // 1_000_000
