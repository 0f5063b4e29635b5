"""
Find the published media file that a path under a video names.

Found files are kept in memory: a path never names another file later.
"""

import threading
from collections import OrderedDict
from typing import Final

import attrs

from hvcore.domain.analytics.ignored import IgnoredReason
from hvcore.domain.analytics.segments import SegmentPlace
from hvcore.ports.storage import Storage
from hvcore.services.playback.playable import Playable
from hvcore.services.playback.published_files import (
    PublishedMedia,
    PublishedText,
    find_published,
    never_counted,
    stored_file,
)
from hvcore.services.playback.responses import StoredFile

MAX_KNOWN: Final = 10_000
"""Files kept in memory, about 10 MB; a film of two hours has 1,200 segments in each rung."""


@attrs.frozen(kw_only=True)
class CachedFile:
    """
    A media file that was found among a video's published files.

    Attributes:
        place: The video and rung under which its delivery is counted, or ignored.
        never_counted: The reason why delivery of the file is never counted; None if it may be.
    """

    stored: StoredFile
    content_type: str
    etag: str
    place: SegmentPlace
    never_counted: IgnoredReason | None = None


class PathCache:
    """
    Cache the media files that were requested last, by media root and path; thread-safe.

    A media root names the job that has made its files, and published files are never replaced.
    """

    def __init__(self, max_known: int = MAX_KNOWN) -> None:
        self._max_known = max_known
        self._files: OrderedDict[tuple[str, str], CachedFile] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, media_root: str, path: str) -> CachedFile | None:
        """Return the cached file of a path under a media root; None if it is not cached."""
        key = (media_root, path)
        with self._lock:
            known = self._files.get(key)
            if known is not None:
                self._files.move_to_end(key)
            return known

    def put(self, media_root: str, path: str, known: CachedFile) -> None:
        """Cache the file of a path; drop the least recently used ones if there are too many."""
        with self._lock:
            self._files[media_root, path] = known
            while len(self._files) > self._max_known:
                self._files.popitem(last=False)


@attrs.frozen(kw_only=True)
class MediaFiles:
    """Find the media files of videos by path, and cache them; thread-safe."""

    storage: Storage
    _cache: PathCache = attrs.field(factory=PathCache, init=False)

    def find(self, video: Playable, path: str) -> CachedFile | PublishedText | None:
        """
        Return the published media file, or the description of the text, that a path names.

        Returns:
            None if the video has published nothing under this name.

        Raises:
            VideoNotFoundError: The video's files no longer exist.
        """
        known = self._cache.get(video.media_root, path)
        if known is not None:
            return known
        found = find_published(video.media, path)
        if not isinstance(found, PublishedMedia):
            return found
        known = CachedFile(
            stored=stored_file(self.storage, video.media_root, found),
            content_type=found.content_type,
            etag=found.etag,
            place=attrs.evolve(video.place, height_px=found.counted_px or 0),
            never_counted=never_counted(found),
        )
        self._cache.put(video.media_root, path, known)
        return known
