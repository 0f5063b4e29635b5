"""
Count the segments that are sent to players, and record responses that do not count.

Source: the interface document, "What the service does", 5.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

import attrs

from hvcore.clock import Clock
from hvcore.domain.analytics.ignored import IgnoredReason
from hvcore.domain.analytics.segments import SegmentPlace
from hvcore.failpoints import failpoint
from hvcore.ports.counting import CountedSegment
from hvcore.services.counting.segment_details import SegmentDetails
from hvcore.services.counting.sessions import DueSession, SessionNotes
from hvcore.spool import (
    SegmentLines,
    Spool,
    encode_all,
    encode_ignored,
    encode_seen,
    encode_taken_back,
    encode_unfollowed,
)

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@attrs.frozen(kw_only=True)
class SpooledCounter:
    """Count segments by writing lines to this process's spool file."""

    spool: Spool
    sessions: SessionNotes
    clock: Clock
    details: SegmentDetails = attrs.field(factory=SegmentDetails)
    _segments: SegmentLines = attrs.field(factory=SegmentLines, init=False)

    def count(self, segments: Sequence[CountedSegment]) -> bool:
        """
        Record segments of which more than half of the bytes are about to be sent.

        Returns:
            Whether the segments were written, and no earlier lines still wait to be
            written.
        """
        at_ms = self.clock.now_ms()
        # All in one write: the segments, their viewers, and what is known of
        # both. Nearly always there are only the first.
        lines: list[bytes] = []
        for segment in segments:
            place, viewer = segment.place, segment.viewer
            segment.line = self._segments.line(place, at_ms)
            lines.append(segment.line)
            if viewer.report is not None or self.details.tell_origins:
                at = _EPOCH + timedelta(milliseconds=at_ms)
                lines.append(encode_all(self.details.due(place, viewer, at)))
            session = self.sessions.due(place, segment.token, viewer, at_ms)
            if session is not None:
                lines.append(_line_of(session, place, at_ms))
        is_written = self.spool.write(b"".join(lines), segments=len(segments))
        if not is_written:
            for segment in segments:
                segment.line = None
        failpoint("spool.written")
        return is_written and not self.spool.owes

    def take_back(self, lines: Sequence[bytes]) -> None:
        """
        Take back the counts of segments whose connections ended before half was sent.

        Args:
            lines: The lines that counted the segments.
        """
        if not lines:
            # To write nothing would begin a file, and so a flusher.
            return
        taken = b"".join([encode_taken_back(line) for line in lines])
        self.spool.write(taken, segments=len(lines))

    def ignore(self, place: SegmentPlace, reason: IgnoredReason) -> None:
        """Record a response that is not counted, with the reason."""
        lines = encode_ignored(place, reason, self.clock.now_ms())
        self.spool.write(lines, segments=0)


def _line_of(session: DueSession, place: SegmentPlace, at_ms: int) -> bytes:
    if session.name is None:
        return encode_unfollowed(place, at_ms)
    return encode_seen(place, session.name, at_ms)
