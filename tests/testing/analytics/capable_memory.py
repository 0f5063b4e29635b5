"""
A store in memory that keeps everything of a batch: right, and wrong in one way each.
"""

from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from typing import TypeAlias

import attrs

from hvcore.domain.analytics.breakdown import (
    BreakdownBy,
    BreakdownDay,
    OriginCount,
    with_few_hosts,
    with_unknown,
)
from hvcore.domain.analytics.ignored import (
    IgnoredCount,
    IgnoredPlace,
    IgnoredReason,
    IgnoredTotal,
)
from hvcore.domain.analytics.live import (
    MinuteTotal,
    SessionSeen,
    UnfollowedSessions,
)
from hvcore.domain.analytics.playback_metrics import (
    COLUMNS,
    METRICS,
    Aggregation,
    PlaybackQuality,
)
from hvcore.domain.analytics.playback_quality import (
    PlaybackQualityCount,
    PlaybackQualityDay,
)
from hvcore.domain.analytics.segments import (
    DateRange,
    EnvironmentScope,
    MinuteCount,
    Scope,
    SegmentPlace,
    ServedBatch,
    VideoScope,
)
from hvcore.domain.ids import OrgId, VideoId
from hvcore.ports.analytics import AnalyticsReport, SupportsReports
from tests.testing.memory import MemoryStore, StoredCounts

HasPlace: TypeAlias = (
    SegmentPlace | IgnoredPlace | SessionSeen | PlaybackQualityCount | OriginCount
)


@attrs.define
class StoredReports(StoredCounts):
    """
    What outlives such a store.
    """

    ignored: list[IgnoredCount] = attrs.field(factory=list)
    minutes: list[MinuteCount] = attrs.field(factory=list)
    seen: list[SessionSeen] = attrs.field(factory=list)
    unfollowed: list[UnfollowedSessions] = attrs.field(factory=list)
    quality: list[PlaybackQualityCount] = attrs.field(factory=list)
    origins: list[OriginCount] = attrs.field(factory=list)


class CapableStore(SupportsReports, MemoryStore):
    """
    Keeps every promise of the capabilities, too.
    """

    reports = frozenset(AnalyticsReport)

    def __init__(self, stored: StoredReports) -> None:
        super().__init__(stored)
        self._more = stored

    @property
    def more(self) -> StoredReports:
        assert self.stored
        return self._more

    def apply(self, batch: ServedBatch) -> None:
        # All of it is read before any is kept.
        more = (list(batch.ignored), list(batch.minutes), list(batch.seen))
        unfollowed = list(batch.unfollowed)
        quality, origins = list(batch.quality), self.named(list(batch.origins))
        super().apply(batch)
        self.more.ignored += more[0]
        self.more.minutes += more[1]
        self.more.seen += more[2]
        self.more.unfollowed += unfollowed
        self.more.quality += quality
        self.more.origins += origins

    def ignored(self, scope: Scope, days: DateRange) -> Sequence[IgnoredTotal]:
        first, last = days.first or date.min, days.last or date.max
        return [
            IgnoredTotal(
                reason=one.place.reason,
                height_px=one.place.height_px,
                requests=one.requests,
            )
            for one in self.more.ignored
            if first <= one.day <= last and self.concerns(scope, one.place)
        ]

    def minutes(self, scope: Scope, first: int, last: int) -> Sequence[MinuteTotal]:
        found: dict[int, int] = {}
        for one in self.more.minutes:
            if first <= one.minute <= last and self.concerns(scope, one.place):
                found[one.minute] = found.get(one.minute, 0) + one.segments
        return [
            MinuteTotal(minute=minute, segments=segments)
            for minute, segments in sorted(found.items())
        ]

    def forget_minutes(self, before: int) -> bool:
        with self.stored.lock:
            left = [one for one in self.more.minutes if one.minute >= before]
            self.more.minutes = left
        return False

    def viewers(self, scope: Scope, since: datetime) -> int:
        return len(
            {
                one.session
                for one in self.more.seen
                if one.at >= since and self.concerns(scope, one)
            }
        )

    def has_unfollowed(self, org_id: OrgId, since: datetime) -> bool:
        return any(
            one.org_id == org_id and one.at >= since for one in self.more.unfollowed
        )

    def forget_sessions(self, before: datetime) -> bool:
        with self.stored.lock:
            self.more.seen = [one for one in self.more.seen if one.at >= before]
            stored = [one for one in self.more.unfollowed if one.at >= before]
            self.more.unfollowed = stored
        return False

    def quality(self, scope: Scope, days: DateRange) -> Sequence[PlaybackQualityDay]:
        first, last = days.first or date.min, days.last or date.max
        found: dict[date, list[PlaybackQuality]] = {}
        for one in self.more.quality:
            if first <= one.day <= last and self.concerns(scope, one):
                found.setdefault(one.day, []).append(one.quality)
        return [
            PlaybackQualityDay(day=day, quality=self.joined(qualities))
            for day, qualities in sorted(found.items())
        ]

    def joined(self, qualities: Sequence[PlaybackQuality]) -> PlaybackQuality:
        rows = [one.to_columns() for one in qualities]
        return PlaybackQuality.from_columns(
            together(declared.aggregation, values)
            for declared, values in zip(COLUMNS, zip(*rows, strict=True), strict=True)
        )

    def named(self, counts: Sequence[OriginCount]) -> Sequence[OriginCount]:
        known: dict[tuple[VideoId, date], set[str]] = {}
        for one in self.more.origins:
            if one.by is BreakdownBy.REFERRER:
                known.setdefault((one.video_id, one.day), set()).add(one.value)
        return with_few_hosts(counts, known)

    def breakdown(
        self, scope: Scope, days: DateRange, by: BreakdownBy
    ) -> Sequence[BreakdownDay]:
        first, last = days.first or date.min, days.last or date.max
        known: dict[tuple[date, str], int] = {}
        for one in self.more.origins:
            own = one.by is by and self.concerns(scope, one)
            if own and first <= one.day <= last:
                key = (one.day, one.value)
                known[key] = known.get(key, 0) + one.segments
        every = {count.day: count.segments for count in self.daily(scope, days)}
        return with_unknown(
            [(day, value, segments) for (day, value), segments in known.items()], every
        )

    def concerns(self, scope: Scope, what: HasPlace) -> bool:
        if isinstance(scope, VideoScope):
            return what.video_id == scope.video_id
        return what.org_id == scope.org_id and what.env_id in scope.env_ids


class SaysNothing(CapableStore):
    reports = frozenset()


class TakesMoreAgain(CapableStore):
    def write(self, batch: ServedBatch) -> None:
        self.more.ignored += batch.ignored
        self.more.minutes += batch.minutes
        self.more.quality += batch.quality
        self.more.origins += batch.origins
        less = attrs.evolve(batch, ignored=(), minutes=(), quality=(), origins=())
        super().write(less)


class KeepsTheLastReason(CapableStore):
    def ignored(self, scope: Scope, days: DateRange) -> Sequence[IgnoredTotal]:
        return super().ignored(scope, days)[-1:]


class IgnoresOneByOne(CapableStore):
    def apply(self, batch: ServedBatch) -> None:
        for one in batch.ignored:
            self.more.ignored.append(one)
        super().apply(attrs.evolve(batch, ignored=()))


class TakesReportsOneByOne(CapableStore):
    def apply(self, batch: ServedBatch) -> None:
        for one in batch.quality:
            self.more.quality.append(one)
        super().apply(attrs.evolve(batch, quality=()))


class TakesNoMinuteBack(CapableStore):
    def apply(self, batch: ServedBatch) -> None:
        minutes = tuple(m for m in batch.minutes if m.segments > 0)
        super().apply(attrs.evolve(batch, minutes=minutes))


class KnowsNoDays(CapableStore):
    def ignored(self, scope: Scope, days: DateRange) -> Sequence[IgnoredTotal]:
        del days
        return super().ignored(scope, DateRange())

    def quality(self, scope: Scope, days: DateRange) -> Sequence[PlaybackQualityDay]:
        del days
        return super().quality(scope, DateRange())

    def breakdown(
        self, scope: Scope, days: DateRange, by: BreakdownBy
    ) -> Sequence[BreakdownDay]:
        del days
        return super().breakdown(scope, DateRange(), by)


class IgnoresWhatCounts(CapableStore):
    def ignored(self, scope: Scope, days: DateRange) -> Sequence[IgnoredTotal]:
        served = [
            IgnoredTotal(reason=IgnoredReason.HEAD, height_px=720, requests=c.segments)
            for c in self.within(scope, days)
        ]
        return [*super().ignored(scope, days), *served]


class LeavesTheLastMinuteOut(CapableStore):
    def minutes(self, scope: Scope, first: int, last: int) -> Sequence[MinuteTotal]:
        return super().minutes(scope, first, last - 1)


class TakesEverybodys(CapableStore):
    def concerns(self, scope: Scope, what: HasPlace) -> bool:
        if isinstance(scope, EnvironmentScope) and not scope.env_ids:
            return True
        return super().concerns(scope, what)


class ForgetsOneMore(CapableStore):
    def forget_minutes(self, before: int) -> bool:
        return super().forget_minutes(before + 1)

    def forget_sessions(self, before: datetime) -> bool:
        return super().forget_sessions(before + timedelta(milliseconds=1))


class KeepsWhoHadMore(CapableStore):
    def forget_sessions(self, before: datetime) -> bool:
        stored = self.more.unfollowed
        is_more = super().forget_sessions(before)
        self.more.unfollowed = stored
        return is_more


class CountsEachTime(CapableStore):
    def viewers(self, scope: Scope, since: datetime) -> int:
        found = [one for one in self.more.seen if one.at >= since]
        return sum(self.concerns(scope, one) for one in found)


class ForgetsWhoHasMore(CapableStore):
    def has_unfollowed(self, org_id: OrgId, since: datetime) -> bool:
        last = [one for one in self.more.unfollowed if one.org_id == org_id][-1:]
        return any(one.at >= since for one in last)


class KeepsTheNewestNote(CapableStore):
    def apply(self, batch: ServedBatch) -> None:
        known = {(one.video_id, one.session): one for one in self.more.seen}
        known |= {(one.video_id, one.session): one for one in batch.seen}
        super().apply(attrs.evolve(batch, seen=()))
        self.more.seen = list(known.values())


class TakesOriginsOneByOne(CapableStore):
    def apply(self, batch: ServedBatch) -> None:
        for one in batch.origins:
            self.more.origins.append(one)
        super().apply(attrs.evolve(batch, origins=()))


class LeavesTheUnknownOut(CapableStore):
    def breakdown(
        self, scope: Scope, days: DateRange, by: BreakdownBy
    ) -> Sequence[BreakdownDay]:
        rows = super().breakdown(scope, days, by)
        return [row for row in rows if row.value is not None]


class NamesEveryHost(CapableStore):
    def named(self, counts: Sequence[OriginCount]) -> Sequence[OriginCount]:
        return counts


class KeepsTheNewestReport(CapableStore):
    def joined(self, qualities: Sequence[PlaybackQuality]) -> PlaybackQuality:
        return qualities[-1]


class LeavesTheNewestMetricOut(CapableStore):
    def joined(self, qualities: Sequence[PlaybackQuality]) -> PlaybackQuality:
        right = super().joined(qualities).to_columns()
        left_out = len(METRICS[-1].columns)
        return PlaybackQuality.from_columns([*right[:-left_out], *[None] * left_out])


class TakesUntoldForNought(CapableStore):
    def joined(self, qualities: Sequence[PlaybackQuality]) -> PlaybackQuality:
        right = super().joined(qualities)
        least = right.bitrate_kbps.least or 0
        return attrs.evolve(
            right, bitrate_kbps=attrs.evolve(right.bitrate_kbps, least=least)
        )


def together(aggregation: Aggregation, values: Sequence[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    if aggregation is Aggregation.SUM:
        return sum(known)
    return (min if aggregation is Aggregation.MIN else max)(known, default=None)


def made(kind: type[CapableStore]) -> tuple[CapableStore, Callable[[], CapableStore]]:
    """
    Return a store, and how another one is opened on the same data.
    """
    stored = StoredReports()
    return kind(stored), lambda: kind(stored)
