"""
Remember the number of videos that a search has found, while no video changes.

Counting the videos takes longer than reading a page of the list, and a client that pages
through a list asks again and again.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Hashable
from typing import Final

import attrs

MAX_KNOWN: Final = 2_000
"""About 1 MB."""
MAX_AGE_S: Final = 30.0
"""For writers that do not count their changes: bulk loads, older versions."""


@attrs.frozen(kw_only=True)
class Found:
    """
    The number of videos that a search has found.

    Attributes:
        total: The number of videos found.
        is_few: Whether so few names have the searched text that a list sorts all found videos,
            instead of walking an index.
    """

    total: int
    is_few: bool


class FoundTotals:
    """Cache of the number of videos that each search has found, for 30 s or until a video changes; thread-safe."""

    def __init__(self) -> None:
        self._known: OrderedDict[Hashable, tuple[int, float, Found]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, search: Hashable, changes: int) -> Found | None:
        """
        Return the remembered result of a search; None if unknown, over 30 s old, or videos have changed since.

        Args:
            changes: The present number of changes of the environment's videos.
        """
        with self._lock:
            known = self._known.get(search)
            if known is None:
                return None
            then, at_s, found = known
            is_old = time.monotonic() - at_s > MAX_AGE_S
            return None if then != changes or is_old else found

    def put(self, search: Hashable, changes: int, found: Found) -> None:
        """
        Remember the result of a search.

        Args:
            changes: The number of changes of the environment's videos before the search.
        """
        with self._lock:
            self._known[search] = (changes, time.monotonic(), found)
            self._known.move_to_end(search)
            while len(self._known) > MAX_KNOWN:
                self._known.popitem(last=False)
