"""Keep in memory what a path under a video names: that never changes."""

import threading
from collections import OrderedDict
from typing import Final

import attrs

from hvcore.domain.analytics.ignored import IgnoredReason
from hvcore.domain.analytics.segments import SegmentPlace
from hvcore.services.playback.responses import StoredFile

MAX_KNOWN: Final = 10_000
"""About 10 MB; a film of two hours has 1,200 segments in each rung."""


@attrs.frozen(kw_only=True)
class CachedFile:
    """
    A media file, found among what was published.

    Attributes:
        place: Where it is counted, as what it is or as what never counts.
        never_counted: As in Served.
    """

    stored: StoredFile
    content_type: str
    etag: str
    place: SegmentPlace
    never_counted: IgnoredReason | None = None


class PathCache:
    """
    The files that were requested last, by media root and path; thread-safe.

    A media root names the job that has made what is there, and what a job
    has published is never replaced.
    """

    def __init__(self, max_known: int = MAX_KNOWN) -> None:
        self._max_known = max_known
        self._files: OrderedDict[tuple[str, str], CachedFile] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, media_root: str, path: str) -> CachedFile | None:
        """Return a file, None if it is not cached."""
        key = (media_root, path)
        with self._lock:
            known = self._files.get(key)
            if known is not None:
                self._files.move_to_end(key)
            return known

    def put(self, media_root: str, path: str, known: CachedFile) -> None:
        """Cache a file; drop the least recently used."""
        with self._lock:
            self._files[media_root, path] = known
            while len(self._files) > self._max_known:
                self._files.popitem(last=False)
