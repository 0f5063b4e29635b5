"""Measure the processor time that each client has recently cost this process."""

import math
import time
from collections.abc import Callable
from typing import Final

import attrs

WINDOW_S: Final = 10.0
"""After this, a third is left of what was spent."""
MOST_S: Final = 1.0
"""Nobody waits longer for others than this because of what it has had."""
MAX_CLIENTS: Final = 10_000


@attrs.define(eq=False)
class SpentTime:
    """
    Recent processor time by client, which fades with time; for one thread at a time.

    Attributes:
        elapsed_s: Returns the seconds of a clock that only goes forward.
    """

    elapsed_s: Callable[[], float] = time.monotonic
    # What was spent, and when that was worked out.
    _spent: dict[str, tuple[float, float]] = attrs.field(factory=dict, init=False)

    def add(self, client: str, seconds: float) -> None:
        """Add the processor time of a request, in seconds, to the recent time of its client."""
        spent_s = self.of(client) + seconds
        if client not in self._spent and len(self._spent) >= MAX_CLIENTS:
            self._spent.clear()
        self._spent[client] = (min(spent_s, MOST_S), self.elapsed_s())

    def of(self, client: str) -> float:
        """Return the recent processor time of a client in seconds, MOST_S at most."""
        spent_s, at_s = self._spent.get(client, (0.0, 0.0))
        if spent_s == 0:
            return 0.0
        return spent_s * math.exp((at_s - self.elapsed_s()) / WINDOW_S)
