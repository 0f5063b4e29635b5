"""
Counts of served segments, by day and by rung.

Source: the interface document, "What the service does", 5, and "Analytics shapes".
"""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from functools import cached_property
from typing import Final, NamedTuple, TypeAlias

import attrs

from hvcore.domain.analytics.breakdown import OriginCount
from hvcore.domain.analytics.ignored import IgnoredCount
from hvcore.domain.analytics.live import SessionSeen, UnfollowedSessions
from hvcore.domain.analytics.playback_quality import PlaybackQualityCount
from hvcore.domain.ids import EnvId, OrgId, VideoId
from hvcore.domain.limits import MAX_DAILY_RANGE_DAYS, SEGMENT_S

DEFAULT_DAILY_DAYS: Final = 30
"""How far back ``daily`` goes where no date is given."""

_MIN_HD_PX: Final = 1080
_MIN_SD_PX: Final = 720


class ClassCounts(NamedTuple):
    """Count segments by class: ``hd`` from 1080 px on, ``sd`` from 720 px on, else ``ld``."""

    hd: int
    sd: int
    ld: int


def estimated_views(segments: int, duration_s: float) -> int:
    """Return segments / (duration / 6 s), halves rounded up; 0 without a duration."""
    if duration_s <= 0:
        return 0
    return math.floor(segments * SEGMENT_S / duration_s + 0.5)


@attrs.frozen(kw_only=True, cache_hash=True)
class SegmentPlace:
    """
    Identify the video and the rung that served segments are counted for.

    Attributes:
        height_px: The rung's short edge.
    """

    org_id: OrgId
    env_id: EnvId
    video_id: VideoId
    height_px: int

    @cached_property
    def text(self) -> bytes:
        """The place as bytes of text, as lines of spool files have it."""
        return f"{self.org_id} {self.env_id} {self.video_id} {self.height_px}".encode()


@attrs.frozen(kw_only=True)
class SegmentServed:
    """Record that one media segment of a video rung was sent to a player."""

    place: SegmentPlace
    at: datetime


@attrs.frozen(kw_only=True)
class ServedCount:
    """
    Count the segments of one video and rung that were served on a UTC day.

    Attributes:
        segments: The number to add to the day's count. Negative if more segments were
            taken back, because their answers broke off, than served.
        first_at: When the first of the segments was served or taken back; ``last_at``
            is the last moment.
    """

    place: SegmentPlace
    day: date
    segments: int
    first_at: datetime
    last_at: datetime


@attrs.frozen(kw_only=True)
class MinuteCount:
    """
    Count the segments of one video and rung that were served in one minute.

    Attributes:
        segments: The number to add to the minute's count. Negative if more segments were
            taken back, because their answers broke off, than served.
    """

    place: SegmentPlace
    minute: int
    segments: int


@attrs.frozen(kw_only=True)
class BatchId:
    """
    Identify the part of a spool file from which a batch of counts was made.

    Attributes:
        file: The file's name, unique in the whole service.
        start: The offset of the part's first byte.
        end: The offset behind the part's last byte.
    """

    file: str
    start: int
    end: int


@attrs.frozen(kw_only=True)
class ServedBatch:
    """
    Hold the counts of one part of a spool file, which a sink stores together, once.

    Attributes:
        counts: The served segments; each place and day at most once; may be empty. The
            other attributes are for sinks that store them; each of their keys is there
            at most once, too.
        minutes: The same segments, counted by minute.
        unfollowed: The organizations with more viewer sessions than ``seen`` names.
        quality: The sums of the players' reports that came with some of the segments.
        origins: The known countries and pages of some of the segments; a sink that
            stores them limits the number of hosts (``with_few_hosts``).
    """

    id: BatchId
    counts: tuple[ServedCount, ...]
    minutes: tuple[MinuteCount, ...] = ()
    ignored: tuple[IgnoredCount, ...] = ()
    seen: tuple[SessionSeen, ...] = ()
    unfollowed: tuple[UnfollowedSessions, ...] = ()
    quality: tuple[PlaybackQualityCount, ...] = ()
    origins: tuple[OriginCount, ...] = ()


def roll_up(served: Iterable[SegmentServed]) -> tuple[ServedCount, ...]:
    """Count served segments by place and UTC day."""
    found: dict[tuple[SegmentPlace, date], tuple[int, datetime, datetime]] = {}
    for one in served:
        key = (one.place, one.at.astimezone(UTC).date())
        segments, first, last = found.get(key, (0, one.at, one.at))
        found[key] = (segments + 1, min(first, one.at), max(last, one.at))
    return tuple(
        ServedCount(
            place=place, day=day, segments=segments, first_at=first, last_at=last
        )
        for (place, day), (segments, first, last) in found.items()
    )


@attrs.frozen(kw_only=True)
class DateRange:
    """Limit a query for counts to UTC days from first to last, both included; None is no limit."""

    first: date | None = None
    last: date | None = None


ALL_TIME: Final = DateRange()


@attrs.frozen(kw_only=True)
class EnvironmentScope:
    """Limit a query for counts to some environments of an organization."""

    org_id: OrgId
    env_ids: frozenset[EnvId]


@attrs.frozen(kw_only=True)
class VideoScope:
    """Limit a query for counts to one video."""

    video_id: VideoId


Scope: TypeAlias = EnvironmentScope | VideoScope
"""The videos that a report counts: one, or all of some environments."""


@attrs.frozen(kw_only=True)
class ServedTotals:
    """
    Hold the totals of the segments served of a video or of environments.

    Attributes:
        days: UTC days with at least one segment.
        first_at: When the first segment was served; None if there was none. ``last_at``
            is the last moment.
    """

    segments: int = 0
    days: int = 0
    first_at: datetime | None = None
    last_at: datetime | None = None


@attrs.frozen(kw_only=True)
class EnvironmentServed:
    """
    Count the segments served of an environment.

    Attributes:
        segments: The number of all segments ever served.
        segments_since: The number of segments served since the day that was asked for.
    """

    segments: int = 0
    segments_since: int = 0
    last_at: datetime | None = None


@attrs.frozen(kw_only=True)
class HeightCount:
    """
    Count the segments served of one height.

    Attributes:
        videos: The number of different videos.
        days: UTC days with at least one segment.
    """

    height_px: int
    segments: int
    videos: int
    days: int
    first_at: datetime
    last_at: datetime


@attrs.frozen(kw_only=True)
class DayCount:
    """
    Count the segments served on a UTC day.

    Attributes:
        videos: The number of different videos.
        heights: The number of segments by height in pixels.
    """

    day: date
    videos: int = 0
    heights: Mapping[int, int] = attrs.field(factory=dict)

    @property
    def segments(self) -> int:
        """The number of segments of all heights."""
        return sum(self.heights.values())

    def by_class(self) -> "ClassCounts":
        """
        Return the number of segments of each class of heights.

        ``hd`` counts heights from 1080 px on, ``sd`` from 720 px on, ``ld`` all others.
        """
        hd = sd = ld = 0
        for height_px, segments in self.heights.items():
            if height_px >= _MIN_HD_PX:
                hd += segments
            elif height_px >= _MIN_SD_PX:
                sd += segments
            else:
                ld += segments
        return ClassCounts(hd, sd, ld)


def daily_range(asked: DateRange, today: date) -> DateRange:
    """Return the asked range of days; the last 30 days and today if none was asked for."""
    if asked != ALL_TIME:
        return asked
    return DateRange(first=today - timedelta(days=DEFAULT_DAILY_DAYS), last=today)


def fill_days(
    counts: Sequence[DayCount], days: DateRange, today: date
) -> Sequence[DayCount]:
    """
    Add a count of zero for each day without served segments; oldest day first.

    An open end of the range is today, an open beginning the first day with a count. Of
    a longer range only the last 365 days are filled, so that no request makes an
    endless answer.
    """
    found = {count.day: count for count in counts}
    for day in _days_to_fill(counts, days, today):
        found.setdefault(day, DayCount(day=day))
    return [found[day] for day in sorted(found)]


def _days_to_fill(
    counts: Collection[DayCount], days: DateRange, today: date
) -> Iterator[date]:
    last = days.last if days.first and days.last else min(days.last or today, today)
    first = days.first or min((count.day for count in counts), default=last)
    missing = min((last - first).days, MAX_DAILY_RANGE_DAYS)
    return (last - timedelta(days=back) for back in range(missing + 1))
