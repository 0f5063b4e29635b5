"""
Cache the total number of segments served of each video.

Every list and every details answer shows the number. Asking the store each time costs
as much as all the rest of a list, and the number need not be exact to the second.
"""

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from typing import Final

from hvcore.domain.ids import VideoId
from hvcore.ports.analytics import AnalyticsStore

KNOWN_FOR: Final = timedelta(seconds=2)
"""How long a count is cached: a served segment must show within 10 s, an edge takes 7."""
MAX_KNOWN: Final = 20_000
"""Videos whose counts are cached, about 5 MB."""


class SegmentCountCache:
    """Cache the segment counts of the analytics store for 2 s; thread-safe."""

    def __init__(self, store: AnalyticsStore) -> None:
        self._store = store
        self._known: dict[VideoId, tuple[datetime, int]] = {}

    def of(self, videos: Collection[VideoId], now: datetime) -> Mapping[VideoId, int]:
        """
        Return the number of segments ever served of each given video.

        Raises:
            UnavailableError: The store does not answer.
        """
        known = {}
        for video_id in videos:
            found = self._known.get(video_id)
            # Both ways, or a clock that was set back would stop all counts.
            if found is not None and abs(now - found[0]) < KNOWN_FOR:
                known[video_id] = found[1]
        missing = [video_id for video_id in videos if video_id not in known]
        if missing:
            served = self._store.served(missing)
            if len(self._known) + len(missing) > MAX_KNOWN:
                self._known.clear()
            for video_id in missing:
                known[video_id] = served.get(video_id, 0)
                # As of before the question.
                self._known[video_id] = (now, known[video_id])
        return known
