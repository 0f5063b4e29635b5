"""
Counts of served segments by video, with views and watched time, and their order.

Source: the interface document, "What the service does", 5; docs/decisions/0220.
"""

from datetime import date, datetime
from enum import Enum

import attrs

from hvcore.domain.analytics.segments import (
    DateRange,
    DayCount,
    EnvironmentScope,
    estimated_views,
)
from hvcore.domain.ids import EnvId, OrgId, VideoId
from hvcore.domain.limits import SEGMENT_S


class VideoSort(Enum):
    """Name the figures by which a report of videos can be sorted."""

    VIEWS = "views"
    WATCHED = "watchedSeconds"
    SEGMENTS = "segments"


def views_of(segments: int, length_s: float) -> float:
    """Return segments / (length / 6 s), not rounded; 0 without a length."""
    return segments * SEGMENT_S / length_s if length_s > 0 else 0.0


def watched_s(segments: int, length_s: float) -> float:
    """Return the watched seconds: a segment is 6 s long, or as long as a shorter video."""
    return segments * min(float(SEGMENT_S), length_s)


@attrs.frozen(kw_only=True)
class VideoLength:
    """
    Give the latest length of a video that is or was ready.

    Attributes:
        length_s: The length in seconds, more than 0.
        changed_at: When the video got this length.
    """

    org_id: OrgId
    env_id: EnvId
    video_id: VideoId
    length_s: float
    changed_at: datetime


@attrs.frozen(kw_only=True)
class VideoCount:
    """
    Count the segments served of a video in a range of days, or on one day.

    Attributes:
        day: The day; None for a whole range.
        length_s: The video's length in seconds, from which the figures to sort by were
            calculated; 0 if it is not known.
        last_at: When the last segment was served or taken back.
    """

    video_id: VideoId
    day: date | None
    segments: int
    length_s: float
    last_at: datetime

    @property
    def views(self) -> int:
        """The estimated number of views."""
        return estimated_views(self.segments, self.length_s)

    @property
    def watched_s(self) -> float:
        """The watched seconds."""
        return watched_s(self.segments, self.length_s)

    def figure(self, sort: VideoSort) -> float:
        """Return the figure by which the count is sorted, not rounded."""
        if sort is VideoSort.VIEWS:
            return views_of(self.segments, self.length_s)
        return self.segments if sort is VideoSort.SEGMENTS else self.watched_s


@attrs.frozen(kw_only=True)
class RankedVideos:
    """
    Ask for a page of the videos of environments, sorted by a figure.

    Attributes:
        by_day: Whether each day of a video is a count of its own; then the days come
            in the same direction, and within a day the figure decides.
        is_ascending: Whether the smallest figure comes first. Equal figures are in the
            order of the videos' ids, in the same direction.
        skip: The number of counts before the page.
        limit: The most counts of the page.
    """

    scope: EnvironmentScope
    days: DateRange
    by_day: bool = False
    sort: VideoSort = VideoSort.VIEWS
    is_ascending: bool = False
    skip: int = 0
    limit: int


@attrs.frozen(kw_only=True)
class VideosInTurn:
    """
    Ask for the next videos of one environment in the order of their ids.

    Attributes:
        by_day: Whether each day of a video is a count of its own; then the days come
            first, oldest first.
        after: The last count of the page before; None for the first page.
    """

    org_id: OrgId
    env_id: EnvId
    days: DateRange
    by_day: bool = False
    after: VideoCount | None = None
    limit: int

    @property
    def scope(self) -> EnvironmentScope:
        """The environment as the scope of a query for counts."""
        return EnvironmentScope(org_id=self.org_id, env_ids=frozenset({self.env_id}))


@attrs.frozen(kw_only=True)
class DayViews:
    """
    Give the views and the watched time of environments on a day.

    Attributes:
        views: The sum of the estimated views of all videos, not rounded.
        watched_s: The sum of the watched seconds.
    """

    views: float = 0.0
    watched_s: float = 0.0


@attrs.frozen(kw_only=True)
class NamedCount:
    """
    Give a count of a video together with the video's name.

    Attributes:
        name: The video's name; empty once the deleted video's data was erased.
    """

    count: VideoCount
    name: str


@attrs.frozen(kw_only=True)
class WatchedDay:
    """Give a day's served segments by height, with their estimated views and watched time."""

    count: DayCount
    watched: DayViews


@attrs.frozen(kw_only=True)
class VideoPageQuery:
    """
    Ask for a page of a report of videos.

    Attributes:
        days: The range of UTC days; the last 30 days and today if both ends are open.
        page: The number of the page, from 1 on.
    """

    days: DateRange
    by_day: bool = False
    sort: VideoSort = VideoSort.VIEWS
    is_ascending: bool = False
    page: int = 1
    page_size: int
