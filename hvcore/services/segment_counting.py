"""
Count the segments that are handed to players, and note what is not counted.

Source: interface, "What the service does", 5.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Final, Protocol

import attrs

from hvcore.clock import Clock
from hvcore.domain.analytics import SegmentPlace
from hvcore.domain.analytics_ignored import IgnoredReason
from hvcore.failpoints import reach
from hvcore.services.playback_access import Viewer
from hvcore.services.published_files import (
    PublishedCaptions,
    PublishedManifest,
    PublishedMedia,
    PublishedPlaylist,
    PublishedText,
)
from hvcore.services.served_details import ServedDetails
from hvcore.services.viewer_sessions import SessionNotes
from hvcore.spool import (
    SegmentLines,
    Spool,
    encode_all,
    encode_ignored,
    encode_seen,
    encode_taken_back,
)

_INIT: Final = "/init.m4s"
_SOUND: Final = "audio/mp4"
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class SegmentCounter(Protocol):
    """
    Takes note of segments; thread-safe, and never fails.
    """

    def count(
        self, place: SegmentPlace, token: str | None, viewer: Viewer
    ) -> Callable[[], None]:
        """
        Take note of a segment whose last byte is about to be handed over.

        Args:
            token: What opened the video, if a token did.

        Returns:
            What takes it back: for a segment that broke off all the same.
        """
        ...

    def ignore(self, place: SegmentPlace, reason: IgnoredReason) -> None:
        """
        Take note of an answer that is not counted.

        Args:
            place: Of height 0 if it is no media segment of a video rung.
        """
        ...


@attrs.frozen(kw_only=True)
class SpooledCounter:
    """
    Writes everything to this process's spool file.
    """

    spool: Spool
    sessions: SessionNotes
    clock: Clock
    details: ServedDetails = attrs.field(factory=ServedDetails)
    _segments: SegmentLines = attrs.field(factory=SegmentLines, init=False)

    def count(
        self, place: SegmentPlace, token: str | None, viewer: Viewer
    ) -> Callable[[], None]:
        """
        Take note of a segment whose last byte is about to be handed over.
        """
        at_ms = self.clock.now_ms()
        # All in one: a segment, its viewer, and what is known of both. Nearly
        # always there is only the first.
        lines = self._segments.line(place, at_ms)
        if viewer.report is not None or self.details.tell_origins:
            at = _EPOCH + timedelta(milliseconds=at_ms)
            lines += encode_all(self.details.due(place, viewer, at))
        session = self.sessions.due(place.video_id, token, viewer, at_ms)
        if session is not None:
            lines += encode_seen(place, session.name, at_ms)
        is_kept = self.spool.write(lines, segments=1)
        if session is not None:
            self.sessions.noted(session)
        reach("spool.written")
        return partial(self._take_back, place, at_ms) if is_kept else _nothing

    def _take_back(self, place: SegmentPlace, at_ms: int) -> None:
        self.spool.write(encode_taken_back(place, at_ms), segments=1)

    def ignore(self, place: SegmentPlace, reason: IgnoredReason) -> None:
        """
        Take note of an answer that is not counted.
        """
        lines = encode_ignored(place, reason, self.clock.now_ms())
        self.spool.write(lines, segments=0)


def _nothing() -> None:
    pass


def never_counted(found: PublishedMedia | PublishedText) -> IgnoredReason | None:
    """
    Return why a file is never counted; None for a segment of a video rung.
    """
    if isinstance(found, PublishedPlaylist | PublishedManifest):
        return IgnoredReason.PLAYLIST
    if isinstance(found, PublishedCaptions) and found.is_playlist:
        return IgnoredReason.PLAYLIST
    if not isinstance(found, PublishedMedia):
        return IgnoredReason.OTHER_FILE
    if found.counted_px is not None:
        return None
    if found.path.endswith(_INIT):
        return IgnoredReason.INIT
    is_sound = found.content_type == _SOUND
    return IgnoredReason.AUDIO if is_sound else IgnoredReason.OTHER_FILE
