"""
Keep a server that was told to stop serving for a while, and say that it is not ready.

Load balancers ask ``/health/ready`` now and then. Until they have asked, they still send
requests here, so the server takes requests for a while longer.
"""

import time
from collections.abc import Callable
from typing import Final

import attrs

from hvcore_web.readiness import STATE

FINISHES_WITHIN_S: Final = 4
"""The seconds in which requests in flight must end once no new requests are accepted."""


@attrs.define
class ShutdownDelay:
    """
    The time for which a process still serves after SIGTERM, while it reports to be not ready.

    It has no lock, because a signal handler calls it.

    Args:
        delay_s: The seconds for which requests are still taken.
        now_s: A clock that only goes forward, in seconds.
    """

    _delay_s: float
    _now_s: Callable[[], float] = time.monotonic
    _ends_at_s: float | None = attrs.field(default=None, init=False)

    def begin(self) -> bool:
        """
        Mark this process as not ready; return whether it is to end at once.

        It is to end at once if there is no delay, or at a second signal.
        """
        is_first = not STATE.is_stopping
        STATE.is_stopping = True
        if self._delay_s <= 0 or not is_first:
            return True
        self._ends_at_s = self._now_s() + self._delay_s
        return False

    def is_over(self) -> bool:
        """Return whether the delay has begun and has passed."""
        return self._ends_at_s is not None and self._now_s() >= self._ends_at_s
