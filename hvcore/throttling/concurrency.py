"""
How many large bodies a process reads at a time.
"""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import attrs

from hvcore.errors import UnavailableError

BUSY_RETRY_AFTER_S: Final = 10


@attrs.define(kw_only=True)
class ConcurrencySlots:
    """
    The slots of bodies of some sort; thread-safe.

    Attributes:
        count: Must stay below the server's threads, so that others are served.
        most_of_one: What an organization may have at most.
        things: What the bodies are, for messages.
        elapsed_s: A clock that only goes forward, in seconds.
    """

    count: int
    most_of_one: int
    things: str
    elapsed_s: Callable[[], float] = time.monotonic
    _lock: threading.Lock = attrs.field(factory=threading.Lock, init=False)
    _taken: Counter[str] = attrs.field(factory=Counter, init=False)
    _refused_at_s: float = attrs.field(default=float("-inf"), init=False)

    @contextmanager
    def take(self, org_id: str) -> Iterator[None]:
        """
        Hold a slot.

        Raises:
            UnavailableError: All are taken, or all that one organization gets.
        """
        self._take(org_id)
        try:
            yield
        finally:
            with self._lock:
                self._taken.subtract([org_id])
                # Drops those that have come down to none.
                self._taken += Counter()

    def is_scarce(self) -> bool:
        """
        Tell whether others wait for a slot: all are taken, and one was refused.
        """
        with self._lock:
            waits_s = self.elapsed_s() - self._refused_at_s
            # They come back after a while, and a little later than told.
            return self._is_full() and waits_s < 2 * BUSY_RETRY_AFTER_S

    def _take(self, org_id: str) -> None:
        with self._lock:
            # First: who has its share does not make the slots scarce.
            if self._taken[org_id] >= self.most_of_one:
                raise _busy(f"Your organization is sending too many {self.things}")
            if self._is_full():
                self._refused_at_s = self.elapsed_s()
                raise _busy(f"Too many {self.things} are being sent")
            self._taken[org_id] += 1

    def _is_full(self) -> bool:
        return self._taken.total() >= self.count


def _busy(why: str) -> UnavailableError:
    return UnavailableError(
        f"{why} at a time; try again soon.", retry_after_s=BUSY_RETRY_AFTER_S
    )
