"""A segment, for the code that serves it and the code that counts it."""

from collections.abc import Sequence
from typing import Protocol

import attrs

from hvcore.domain.analytics.ignored import IgnoredReason
from hvcore.domain.analytics.segments import SegmentPlace
from hvcore.domain.playback.viewer import Viewer


@attrs.define(eq=False)
class CountedSegment:
    """
    A segment on its way to a player; for one thread.

    Attributes:
        counter: Records it.
        token: What opened the video, if a token did.
        line: Counts it, as it was written down; None before that, and if it was
            not, or was taken back.
    """

    counter: "SegmentCounter"
    place: SegmentPlace
    token: str | None = attrs.field(repr=False)
    viewer: Viewer
    line: bytes | None = attrs.field(default=None, init=False)

    def count(self) -> None:
        """Count the segment: more than half of its bytes are about to be sent."""
        self.counter.count((self,))

    def take_back(self) -> None:
        """Take the segment's count back: less than half of its bytes were sent."""
        line, self.line = self.line, None
        if line is not None:
            self.counter.take_back((line,))


class SegmentCounter(Protocol):
    """Records segments; thread-safe, and never fails."""

    def count(self, segments: Sequence[CountedSegment]) -> bool:
        """
        Record segments of which more than half is about to be sent.

        Sets the line of all, or of none if they cannot be noted.

        Returns:
            Whether the lines survive if this process dies now.
        """
        ...

    def take_back(self, lines: Sequence[bytes]) -> None:
        """Take back what counts segments that broke off, as these have it."""
        ...

    def ignore(self, place: SegmentPlace, reason: IgnoredReason) -> None:
        """
        Record an answer that is not counted.

        Args:
            place: Of height 0 if it is no media segment of a video rung.
        """
        ...
