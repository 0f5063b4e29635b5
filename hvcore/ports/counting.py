"""Counting: how the code that serves a segment tells the code that counts it."""

from collections.abc import Sequence
from typing import Protocol

import attrs

from hvcore.domain.analytics.ignored import IgnoredReason
from hvcore.domain.analytics.segments import SegmentPlace
from hvcore.domain.playback.viewer import Viewer


@attrs.define(eq=False)
class CountedSegment:
    """
    Describe a segment that is being sent to a player, and its count; for one thread.

    Attributes:
        counter: The counter that records the segment.
        token: The playback token that opened the video; None if none did.
        line: The spool line that counts the segment; None before it is written, if it
            could not be written, and after the count was taken back.
    """

    counter: "SegmentCounter"
    place: SegmentPlace
    token: str | None = attrs.field(repr=False)
    viewer: Viewer
    line: bytes | None = attrs.field(default=None, init=False)

    def count(self) -> None:
        """Count the segment, because more than half of its bytes are about to be sent."""
        self.counter.count((self,))

    def take_back(self) -> None:
        """Take the segment's count back, because less than half of its bytes were sent."""
        line, self.line = self.line, None
        if line is not None:
            self.counter.take_back((line,))


class SegmentCounter(Protocol):
    """Record served and ignored segments in the spool; thread-safe, and never raises."""

    def count(self, segments: Sequence[CountedSegment]) -> bool:
        """
        Record segments of which more than half of the bytes are about to be sent.

        Sets ``line`` of all segments, or of none if they cannot be recorded.

        Returns:
            Whether the recorded counts survive if this process dies now.
        """
        ...

    def take_back(self, lines: Sequence[bytes]) -> None:
        """Take back the counts of segments that broke off, given their spool lines."""
        ...

    def ignore(self, place: SegmentPlace, reason: IgnoredReason) -> None:
        """
        Record an answer that is not counted as a served segment.

        Args:
            place: The video and the height; the height is 0 if the file is no media
                segment of a video rung.
        """
        ...
