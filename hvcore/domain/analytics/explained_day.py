"""The explanation of a video's views on a day: segments counted, requests ignored."""

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
    Explain the estimated views of a video on a UTC day, and the counts behind them.

    Attributes:
        heights: The counted segments of each height, lowest height first.
        ignored: The requests that were not counted; None if no analytics sink stores
            them.
    """

    video: Video
    day: date
    heights: Sequence[HeightCount]
    ignored: Sequence[IgnoredTotal] | None

    @property
    def segments(self) -> int:
        """The number of segments counted on the day."""
        return sum(count.segments for count in self.heights)

    @property
    def segments_per_view(self) -> float:
        """The number of segments in the video; the last one counts as a fraction."""
        return self.video.duration_s / SEGMENT_S

    @property
    def views(self) -> int:
        """The estimated number of views on the day."""
        return estimated_views(self.segments, self.video.duration_s)

    @property
    def heights_px(self) -> Sequence[int]:
        """The heights of which segments were requested, counted or ignored, lowest first."""
        counted = {count.height_px for count in self.heights}
        ignored = {one.height_px for one in self.ignored or () if one.height_px}
        return sorted(counted | ignored)

    def ignored_by_reason(
        self, height_px: int | None = None
    ) -> Mapping[IgnoredReason, int]:
        """
        Return the number of the day's segment requests that were not counted, for each reason.

        Args:
            height_px: The height of the rendition whose requests are counted; None for all.
        """
        found = dict.fromkeys(IgnoredReason, 0)
        for one in self.ignored or ():
            if height_px in {None, one.height_px}:
                found[one.reason] += one.requests
        return found
