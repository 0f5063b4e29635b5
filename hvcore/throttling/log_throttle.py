"""Limit the number of log messages about one named thing."""

import time
from typing import Final

from hvcore.processes.fork_lock import ForkLock

_REMEMBERED: Final = 1_000
"""Names; beyond it those whose time is over are forgotten."""


class LogThrottle:
    """
    Decides whether a message about a named thing may be logged again; thread-safe.

    Args:
        every_s: The least time between two messages about a name in this process.
    """

    def __init__(self, every_s: float) -> None:
        self._every_s = every_s
        self._lock = ForkLock()
        self._said: dict[str, float] = {}

    def is_time(self, name: str) -> bool:
        """Return whether a message about this name may be logged now; if so, note that it was logged."""
        now = time.monotonic()
        with self._lock.held():
            said = self._said.get(name)
            if said is not None and now - said < self._every_s:
                return False
            if len(self._said) >= _REMEMBERED:
                recent = now - self._every_s
                self._said = {n: at for n, at in self._said.items() if at > recent}
            self._said[name] = now
            return True
