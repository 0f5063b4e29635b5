"""
Stores that keep everything of a batch, and give the wrong rows of it.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

import attrs

from hvcore.domain.analytics.breakdown import (
    BreakdownBy,
    BreakdownDay,
    OriginCount,
    with_few_hosts,
)
from hvcore.domain.analytics.ignored import IgnoredTotal
from hvcore.domain.analytics.live import MinuteTotal
from hvcore.domain.analytics.playback_metrics import PlaybackQuality
from hvcore.domain.analytics.playback_quality import PlaybackQualityDay
from hvcore.domain.analytics.segments import (
    DateRange,
    EnvironmentScope,
    Scope,
    ServedBatch,
    VideoScope,
)
from tests.testing.analytics.capable_memory import CapableStore, HasPlace


class EndsADayEarly(CapableStore):
    def ignored(self, scope: Scope, days: DateRange) -> Sequence[IgnoredTotal]:
        return super().ignored(scope, self.less(days))

    def quality(self, scope: Scope, days: DateRange) -> Sequence[PlaybackQualityDay]:
        return super().quality(scope, self.less(days))

    def breakdown(
        self, scope: Scope, days: DateRange, by: BreakdownBy
    ) -> Sequence[BreakdownDay]:
        return super().breakdown(scope, self.less(days), by)

    def less(self, days: DateRange) -> DateRange:
        last = days.last and days.last - timedelta(days=1)
        return attrs.evolve(days, last=last)


class KnowsNoOrganizations(CapableStore):
    def concerns(self, scope: Scope, what: HasPlace) -> bool:
        if isinstance(scope, EnvironmentScope):
            return what.env_id in scope.env_ids
        return super().concerns(scope, what)


class LeavesTheFirstMinuteOut(CapableStore):
    def minutes(self, scope: Scope, first: int, last: int) -> Sequence[MinuteTotal]:
        return super().minutes(scope, first + 1, last)


class ListsTheNewestFirst(CapableStore):
    def minutes(self, scope: Scope, first: int, last: int) -> Sequence[MinuteTotal]:
        return list(reversed(super().minutes(scope, first, last)))

    def quality(self, scope: Scope, days: DateRange) -> Sequence[PlaybackQualityDay]:
        return list(reversed(super().quality(scope, days)))

    def breakdown(
        self, scope: Scope, days: DateRange, by: BreakdownBy
    ) -> Sequence[BreakdownDay]:
        return list(reversed(super().breakdown(scope, days, by)))


class FillsDaysWithoutReports(CapableStore):
    def quality(self, scope: Scope, days: DateRange) -> Sequence[PlaybackQualityDay]:
        found = {one.day: one for one in super().quality(scope, days)}
        for one in self.daily(scope, days):
            none = PlaybackQualityDay(day=one.day, quality=PlaybackQuality.of([]))
            found.setdefault(one.day, none)
        return [found[day] for day in sorted(found)]


class LeavesTheMomentOut(CapableStore):
    def viewers(self, scope: Scope, since: datetime) -> int:
        return super().viewers(scope, since + timedelta(milliseconds=1))


class FoldsCaseOfSessions(CapableStore):
    def viewers(self, scope: Scope, since: datetime) -> int:
        found = [one for one in self.more.seen if one.at >= since]
        own = [one for one in found if self.concerns(scope, one)]
        return len({one.session.lower() for one in own})


class KeepsNoMinuteBelowZero(CapableStore):
    def apply(self, batch: ServedBatch) -> None:
        super().apply(batch)
        if sum(minute.segments for minute in self.more.minutes) < 0:
            self.more.minutes.clear()


class TakesAVideoForItsEnvironment(CapableStore):
    def concerns(self, scope: Scope, what: HasPlace) -> bool:
        return isinstance(scope, VideoScope) or super().concerns(scope, what)


class ForgetsTwentyAndSaysThatNoneIsLeft(CapableStore):
    def forget_minutes(self, before: int) -> bool:
        kept = list(self.more.minutes)
        old = [one for one in kept if one.minute < before][:20]
        self.more.minutes = [one for one in kept if one not in old]
        return False

    def forget_sessions(self, before: datetime) -> bool:
        kept = list(self.more.seen)
        old = [one for one in kept if one.at < before][:20]
        self.more.seen = [one for one in kept if one not in old]
        return False


class ForgetsWhatCameMeanwhile(CapableStore):
    def forget_minutes(self, before: int) -> bool:
        left = [one for one in self.more.minutes if one.minute >= before]
        self.more.minutes = left
        return False

    def forget_sessions(self, before: datetime) -> bool:
        left = [one for one in self.more.seen if one.at >= before]
        self.more.seen = left
        return False


class CountsHostsAmiss(CapableStore):
    """
    Takes other hosts for known than those of the video's day.
    """

    def hosts(self, one: OriginCount) -> set[str]:
        raise NotImplementedError

    def named(self, counts: Sequence[OriginCount]) -> Sequence[OriginCount]:
        known = {(one.video_id, one.day): self.hosts(one) for one in counts}
        return with_few_hosts(counts, known)

    def known(self, **of: object) -> set[str]:
        return {
            one.value
            for one in self.more.origins
            if one.by is BreakdownBy.REFERRER
            and all(getattr(one, name) == value for name, value in of.items())
        }


class CountsHostsOfAllVideos(CountsHostsAmiss):
    def hosts(self, one: OriginCount) -> set[str]:
        return self.known(day=one.day)


class CountsHostsOfAllDays(CountsHostsAmiss):
    def hosts(self, one: OriginCount) -> set[str]:
        return self.known(video_id=one.video_id)


class NamesOneHostLess(CountsHostsAmiss):
    def hosts(self, one: OriginCount) -> set[str]:
        # The row of all others takes a name's room.
        return {*self.known(video_id=one.video_id, day=one.day), "others"}
