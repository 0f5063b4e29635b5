"""
The counts of segments served, by day and by rung.

Source: interface, "What the service does", 5, and "Analytics shapes".
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
    """Segments of each class of heights."""

    hd: int
    sd: int
    ld: int


def estimated_views(segments: int, duration_s: float) -> int:
    """Return segments / (duration / 6), halves rounded up; 0 without a duration."""
    if duration_s <= 0:
        return 0
    return math.floor(segments * SEGMENT_S / duration_s + 0.5)


@attrs.frozen(kw_only=True, cache_hash=True)
class SegmentPlace:
    """
    The place that segments are counted for.

    Attributes:
        height_px: The rung's short edge.
    """

    org_id: OrgId
    env_id: EnvId
    video_id: VideoId
    height_px: int

    @cached_property
    def text(self) -> bytes:
        """The place as one text, as lines of spool files have it; made once."""
        return f"{self.org_id} {self.env_id} {self.video_id} {self.height_px}".encode()


@attrs.frozen(kw_only=True)
class SegmentServed:
    """One media segment of a video rung was handed to a player."""

    place: SegmentPlace
    at: datetime


@attrs.frozen(kw_only=True)
class ServedCount:
    """
    The number of segments of a place served on a UTC day.

    Attributes:
        segments: What is added to the day's. Below zero if more were taken back
            than served; see ports.analytics.
        first_at: The first of them, served or taken back; so is last_at.
    """

    place: SegmentPlace
    day: date
    segments: int
    first_at: datetime
    last_at: datetime


@attrs.frozen(kw_only=True)
class MinuteCount:
    """
    The number of segments of a place served in a minute (since 1970).

    Attributes:
        segments: As of ServedCount.
    """

    place: SegmentPlace
    minute: int
    segments: int


@attrs.frozen(kw_only=True)
class BatchId:
    """
    The part of a spool file that a batch was made of.

    Attributes:
        file: The file's name, unique in the whole service.
        start: Offset of the first byte.
        end: Offset behind the last byte.
    """

    file: str
    start: int
    end: int


@attrs.frozen(kw_only=True)
class ServedBatch:
    """
    Counts that are applied together, once.

    Attributes:
        counts: Each place and day at most once; may be empty. The rest is for
            sinks that keep it, and each key is there at most once, too.
        minutes: The same segments again.
        unfollowed: Organizations with more viewers than ``seen`` names.
        quality: Players' reports with some of them.
        origins: Where some of them went, as far as it is known; a sink that
            keeps it bounds the hosts (``with_few_hosts``).
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
    """Count segments by place and UTC day."""
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
    """UTC days from first to last, both included; None leaves a side open."""

    first: date | None = None
    last: date | None = None


ALL_TIME: Final = DateRange()


@attrs.frozen(kw_only=True)
class EnvironmentScope:
    """The scope of some environments of an organization."""

    org_id: OrgId
    env_ids: frozenset[EnvId]


@attrs.frozen(kw_only=True)
class VideoScope:
    """The scope of one video."""

    video_id: VideoId


Scope: TypeAlias = EnvironmentScope | VideoScope
"""The videos that a report counts: one, or all of some environments."""


@attrs.frozen(kw_only=True)
class ServedTotals:
    """
    The totals of the segments served.

    Attributes:
        days: UTC days with at least one segment.
        first_at: None if there was no segment; so is last_at.
    """

    segments: int = 0
    days: int = 0
    first_at: datetime | None = None
    last_at: datetime | None = None


@attrs.frozen(kw_only=True)
class EnvironmentServed:
    """
    The number of segments served of an environment.

    Attributes:
        segments: Ever.
        segments_since: From a day on.
    """

    segments: int = 0
    segments_since: int = 0
    last_at: datetime | None = None


@attrs.frozen(kw_only=True)
class HeightCount:
    """
    The segments served of one height.

    Attributes:
        videos: Different videos.
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
    The segments served on a UTC day.

    Attributes:
        videos: Different videos.
        heights: Segments by height.
    """

    day: date
    videos: int = 0
    heights: Mapping[int, int] = attrs.field(factory=dict)

    @property
    def segments(self) -> int:
        """Segments of all heights."""
        return sum(self.heights.values())

    def by_class(self) -> "ClassCounts":
        """
        Return the segments of every class of heights.

        A height between two belongs to the lower.
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
    """Return the days that ``daily`` covers: the last 30 and today by default."""
    if asked != ALL_TIME:
        return asked
    return DateRange(first=today - timedelta(days=DEFAULT_DAILY_DAYS), last=today)


def fill_days(
    counts: Sequence[DayCount], days: DateRange, today: date
) -> Sequence[DayCount]:
    """
    Add the days on which nothing was served, oldest first.

    A side that is open ends today or begins with the first delivery. Of a
    longer range only the last 365 days are filled, so that no request makes
    an endless answer.
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
