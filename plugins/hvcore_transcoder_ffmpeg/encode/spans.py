"""
Compute the numbers of a part's frames, counted over the whole video.

Segment k begins with the first frame at or after k times the segment's length.
At 30000/1001 frames a second a segment of 6 s begins every 179.82 frames, so a segment has
180 or 179 frames. The parts together have exactly the frames that one process would have
made of the whole video.
"""

from fractions import Fraction
from math import ceil
from typing import Final

import attrs

from hvcore.plugin_api import Part

SLACK_S: Final = 1.0
"""The seconds that a video may be longer than its headers say: durations in headers are
rounded, and nothing may be cut off for that."""

_MIN_LEAD_S: Final = 0.5


@attrs.frozen(kw_only=True)
class Span:
    """
    Hold a run of segments in a video of constant frame rate, and compute its frames.

    Attributes:
        first_segment: The number of the first segment, from 0.
        end_segment: The number of the segment behind the last one; None for the video's
            end.
        segment_s: The nominal length of a segment in seconds.
        total_s: The length of the whole video in seconds.
    """

    first_segment: int
    end_segment: int | None
    segment_s: int
    frame_rate: Fraction
    total_s: float

    @classmethod
    def of(cls, part: Part) -> "Span":
        order = part.order
        return cls(
            first_segment=round(part.start_s / order.segment_s),
            end_segment=(
                None if part.end_s is None else round(part.end_s / order.segment_s)
            ),
            segment_s=order.segment_s,
            frame_rate=order.ladder.rungs[0].frame_rate,
            total_s=order.source.duration_s,
        )

    @property
    def is_whole(self) -> bool:
        """True if the span covers the whole video."""
        return self.first_segment == 0 and self.end_segment is None

    @property
    def begins_s(self) -> float:
        """The time in the video of the span's first frame, in seconds."""
        return float(self.first_frame / self.frame_rate)

    @property
    def length_s(self) -> float:
        """The length of the span in seconds."""
        if self.end_segment is None:
            return max(0.0, self.total_s - self.begins_s)
        return float((self.end_frame - self.first_frame) / self.frame_rate)

    @property
    def first_frame(self) -> int:
        return self.frame_of(self.first_segment)

    @property
    def end_frame(self) -> int:
        """
        The number of the frame behind the last frame of the span.

        If the span reaches the video's end, the number is higher than any frame's.
        """
        if self.end_segment is None:
            # Two pictures ten hours apart would make a million copies.
            return ceil((self.total_s + SLACK_S) * self.frame_rate)
        return self.frame_of(self.end_segment)

    @property
    def last_frame(self) -> int:
        """The number of the last frame of the span, counted from 0 at the video's beginning."""
        if self.end_segment is None:
            end_frame = round(self.total_s * self.frame_rate)
            return max(self.first_frame, end_frame - 1)
        return self.end_frame - 1

    @property
    def max_frames(self) -> int:
        """The most frames that the span can have; the exact number unless it is the last."""
        return max(1, self.end_frame - self.first_frame)

    @property
    def key_frames(self) -> str:
        """
        The ffmpeg expression that is true for each frame at which a segment begins.

        The expression counts frames: products of whole numbers stay exact in floating
        point, while a time such as 180 * (1001/30000) may miss the boundary.
        """
        step = self._step
        if self.first_segment == 0:
            return f"gte(n,n_forced*{step.numerator}/{step.denominator})"
        frame, segment = f"(n+{self.first_frame})", f"(n_forced+{self.first_segment})"
        return f"gte({frame}*{step.denominator},{segment}*{step.numerator})"

    @property
    def cut_after_s(self) -> float:
        """
        The least length of a segment in seconds, for ffmpeg's muxer.

        ffmpeg begins segment n at the first key frame that is at least n times this
        length after the part's first frame, which itself may be almost a frame late.
        """
        if self.first_segment == 0:
            return float(self.segment_s)
        return float(self.segment_s - 1 / self.frame_rate)

    def frame_of(self, segment: int) -> int:
        """Return the number of a segment's first frame."""
        return ceil(segment * self._step)

    def is_complete(self, frames: int) -> bool:
        """Return whether the span has this number of frames; at the video's end any will do."""
        if self.end_segment is None:
            return frames > 0
        return frames == self.max_frames

    def lead_s(self, longest_gap_s: float) -> float:
        """
        Return the least number of seconds before the span at which a decoder must begin.

        Args:
            longest_gap_s: The longest time between two pictures of the source: the
                picture that is shown at the span's beginning may have begun so much
                earlier.
        """
        # Times are rounded to the nearest frame, and the filter that makes
        # frames of fields looks at the one before.
        return longest_gap_s + max(_MIN_LEAD_S, 2 / float(self.frame_rate))

    @property
    def _step(self) -> Fraction:
        return self.segment_s * self.frame_rate
