"""
The end of a server that was told to stop: until when it takes requests.

Whatever sends them here learns from ``/health/ready`` that it is to send them elsewhere,
and until it has asked, it goes on: so a server takes them for a while longer.
"""

import time
from collections.abc import Callable
from typing import Final

import attrs

from hvcore_web.readiness import STATE

FINISHES_WITHIN_S: Final = 4
"""For requests in flight, once no new ones are taken."""


@attrs.define
class ShutdownDelay:
    """
    Counts from the first SIGTERM on; called by a signal handler, so it has no lock.

    Args:
        delay_s: How long requests are still taken.
        now_s: A clock that only goes forward, in seconds.
    """

    _delay_s: float
    _now_s: Callable[[], float] = time.monotonic
    _ends_at_s: float | None = attrs.field(default=None, init=False)

    def begin(self) -> bool:
        """
        Say that this process is not ready; return whether it is to end at once.

        A second signal waits for nothing.
        """
        is_first = not STATE.is_stopping
        STATE.is_stopping = True
        if self._delay_s <= 0 or not is_first:
            return True
        self._ends_at_s = self._now_s() + self._delay_s
        return False

    def is_over(self) -> bool:
        """Return whether the time has come."""
        return self._ends_at_s is not None and self._now_s() >= self._ends_at_s
