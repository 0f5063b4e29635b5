"""A clock that tests can move forward."""

import threading
import time


class MovableClock:
    """Tell the machine's time plus the seconds that tests have added; thread-safe."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._ahead_s = 0.0

    def now_s(self) -> float:
        """Return the clock's time, in seconds since 1970."""
        return time.time() + self._ahead_s

    def advance(self, by_s: float) -> None:
        """Move the clock forward by a number of seconds."""
        with self._changed:
            self._ahead_s += by_s
            self._changed.notify_all()

    def wait(self, at_most_s: float) -> None:
        """Wait until a number of seconds has passed, or the clock was moved or woken."""
        with self._changed:
            self._changed.wait(at_most_s)

    def wake(self) -> None:
        """Wake every thread that waits for the clock."""
        with self._changed:
            self._changed.notify_all()
