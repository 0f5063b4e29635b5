"""The explanation of a day's count: segments counted, requests ignored, and why."""

from collections.abc import Mapping, Sequence
from datetime import date

import attrs

from hvcore.domain.analytics.ignored import IgnoredReason, IgnoredTotal
from hvcore.domain.analytics.segments import HeightCount, estimated_views
from hvcore.domain.limits import SEGMENT_S
from hvcore.domain.videos.video import Video


@attrs.frozen(kw_only=True)
class ExplainedDay:
    """
    The arithmetic behind a video's UTC day.

    Attributes:
        heights: What was counted, lowest first.
        ignored: None if nobody keeps what is ignored.
    """

    video: Video
    day: date
    heights: Sequence[HeightCount]
    ignored: Sequence[IgnoredTotal] | None

    @property
    def segments(self) -> int:
        """The number of counted segments."""
        return sum(count.segments for count in self.heights)

    @property
    def segments_per_view(self) -> float:
        """The number of segments of the video, with the last one as a fraction."""
        return self.video.duration_s / SEGMENT_S

    @property
    def views(self) -> int:
        """The estimate for this day."""
        return estimated_views(self.segments, self.video.duration_s)

    @property
    def heights_px(self) -> Sequence[int]:
        """All heights of which a segment was asked for, lowest first."""
        counted = {count.height_px for count in self.heights}
        ignored = {one.height_px for one in self.ignored or () if one.height_px}
        return sorted(counted | ignored)

    def ignored_by_reason(
        self, height_px: int | None = None
    ) -> Mapping[IgnoredReason, int]:
        """Return the number of ignored requests by reason; of one height, or in all."""
        found = dict.fromkeys(IgnoredReason, 0)
        for one in self.ignored or ():
            if height_px in {None, one.height_px}:
                found[one.reason] += one.requests
        return found
