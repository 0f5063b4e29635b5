"""
Things that are said seldom, however often there is a reason to.
"""

import threading
import time
from typing import Final

_REMEMBERED: Final = 1_000
"""Names; beyond it those whose time is over are forgotten."""


class LogThrottle:
    """
    Tells whether it is time to say something of a name again; thread-safe.

    Args:
        every_s: How long to be silent of a name, within this process.
    """

    def __init__(self, every_s: float) -> None:
        self._every_s = every_s
        self._lock = threading.Lock()
        self._said: dict[str, float] = {}

    def is_time(self, name: str) -> bool:
        """
        Tell whether to say it now; if so, take note that it is said.
        """
        now = time.monotonic()
        with self._lock:
            said = self._said.get(name)
            if said is not None and now - said < self._every_s:
                return False
            if len(self._said) >= _REMEMBERED:
                recent = now - self._every_s
                self._said = {n: at for n, at in self._said.items() if at > recent}
            self._said[name] = now
            return True
