"""
Limit the webhook requests that one endpoint has in flight, in each process.

A dead endpoint holds each request until its timeout. It must not hold all
threads, which other endpoints need.
"""

import random
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Final

SLOTS: Final = 4
SLOTS_AFTER_A_FAILURE: Final = 1
"""Slots of an endpoint from a failure until its next success: one thread waits for it, not 4."""
MIN_WAIT_S: Final = 2.0
USUAL_WAIT_S: Final = 30.0
MAX_WAIT_S: Final = 600.0
WAIT_OF_EACH_S: Final = 4.0
"""
About what an attempt at a dead endpoint takes of four slots.

The tasks of a long queue for one endpoint are retried so rarely that they cost others
nothing.
"""

_random: Final = random.SystemRandom()


class EndpointSlots:
    """Count the requests in flight to each webhook endpoint, and limit them; thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._taken: Counter[str] = Counter()
        self._turned_away: Counter[str] = Counter()
        self._suspects: set[str] = set()

    @contextmanager
    def taken(self, endpoint_id: str) -> Iterator[bool]:
        """
        Take a slot for a request to an endpoint during the ``with`` block.

        Yield whether one was free.
        """
        with self._lock:
            slots = SLOTS_AFTER_A_FAILURE if endpoint_id in self._suspects else SLOTS
            has_room = self._taken[endpoint_id] < slots
            if has_room:
                self._taken[endpoint_id] += 1
            else:
                self._turned_away[endpoint_id] += 1
        try:
            yield has_room
        finally:
            if has_room:
                self._free(endpoint_id)

    def is_suspect(self, endpoint_id: str) -> bool:
        """Return whether the latest attempt at an endpoint has failed."""
        with self._lock:
            return endpoint_id in self._suspects

    def turn_away(self, endpoint_id: str, count: int) -> None:
        """Count deliveries to an endpoint that were put off without a request."""
        with self._lock:
            if self._taken[endpoint_id]:
                self._turned_away[endpoint_id] += count
            else:
                # Nobody is there who would set the count back.
                del self._taken[endpoint_id]

    def note(self, endpoint_id: str, *, is_success: bool) -> None:
        """Record whether an attempt at an endpoint has succeeded."""
        with self._lock:
            if is_success:
                self._suspects.discard(endpoint_id)
            else:
                self._suspects.add(endpoint_id)

    def wait(self, endpoint_id: str) -> timedelta:
        """Return the time that a delivery must wait because its endpoint has no free slot."""
        with self._lock:
            ahead = self._turned_away[endpoint_id]
        longest_s = min(max(USUAL_WAIT_S, ahead * WAIT_OF_EACH_S), MAX_WAIT_S)
        return timedelta(seconds=_random.uniform(MIN_WAIT_S, longest_s))

    def _free(self, endpoint_id: str) -> None:
        with self._lock:
            self._taken[endpoint_id] -= 1
            # Whoever is still waiting is counted again when it comes back.
            del self._turned_away[endpoint_id]
            if self._taken[endpoint_id] == 0:
                del self._taken[endpoint_id]
