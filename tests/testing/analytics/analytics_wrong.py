"""
Analytics stores in memory that keep other names, numbers or days than they were given.
"""

import re
import struct
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from datetime import date, timedelta

import attrs

from hvcore.domain.analytics.segments import (
    DateRange,
    DayCount,
    EnvironmentScope,
    HeightCount,
    Scope,
    ServedBatch,
    ServedCount,
    ServedTotals,
)
from hvcore.domain.ids import VideoId
from tests.testing.memory import MemoryStore


class ChangesCounts(MemoryStore):
    """
    Keeps each count otherwise than it came.
    """

    def kept(self, count: ServedCount) -> ServedCount:
        raise NotImplementedError

    def apply(self, batch: ServedBatch) -> None:
        counts = tuple(self.kept(count) for count in batch.counts)
        super().apply(attrs.evolve(batch, counts=counts))


class ChangesNames(ChangesCounts):
    """
    Takes a video's name for another, written or asked.
    """

    def name(self, given: str) -> str:
        raise NotImplementedError

    def kept(self, count: ServedCount) -> ServedCount:
        name = VideoId(self.name(count.place.video_id))
        return attrs.evolve(count, place=attrs.evolve(count.place, video_id=name))

    def served(self, videos: Collection[VideoId]) -> Mapping[VideoId, int]:
        found = super().served([VideoId(self.name(video)) for video in videos])
        return {video: found[VideoId(self.name(video))] for video in videos}


class FoldsCase(ChangesNames):
    def name(self, given: str) -> str:
        return given.casefold()


class TrimsNames(ChangesNames):
    def name(self, given: str) -> str:
        return given.strip()


class NormalizesNames(ChangesNames):
    def name(self, given: str) -> str:
        return unicodedata.normalize("NFC", given)


class KnowsAscii(ChangesNames):
    def name(self, given: str) -> str:
        return given.encode("ascii", "replace").decode()


class KnowsThreeByteCharacters(ChangesNames):
    def name(self, given: str) -> str:
        return "".join(one if ord(one) < 0x10000 else "?" for one in given)


class EndsAtTabs(ChangesNames):
    def name(self, given: str) -> str:
        return given.split("\t", maxsplit=1)[0]


class EscapesQuotes(ChangesNames):
    def kept(self, count: ServedCount) -> ServedCount:
        name = VideoId(count.place.video_id.replace("'", "''"))
        return attrs.evolve(count, place=attrs.evolve(count.place, video_id=name))

    def name(self, given: str) -> str:
        return given


class TakesNamesForNumbers(ChangesNames):
    def name(self, given: str) -> str:
        return str(int(given)) if given.isdecimal() else given


class TakesAWordForNull(ChangesNames):
    def served(self, videos: Collection[VideoId]) -> Mapping[VideoId, int]:
        found = MemoryStore.served(self, videos)
        return {video: n for video, n in found.items() if video != "NULL"}

    def name(self, given: str) -> str:
        return given


class FoldsCaseOfFiles(MemoryStore):
    def write(self, batch: ServedBatch) -> None:
        part = attrs.evolve(batch.id, file=batch.id.file.casefold())
        super().write(attrs.evolve(batch, id=part))

    def position(self, file: str) -> int:
        return super().position(file.casefold())


class FoldsCaseOfOwners(MemoryStore):
    def is_in(self, count: ServedCount, scope: Scope) -> bool:
        place = count.place
        if not isinstance(scope, EnvironmentScope):
            return super().is_in(count, scope)
        is_own = place.org_id.casefold() == scope.org_id.casefold()
        return is_own and place.env_id in scope.env_ids


class TakesOwnersForPatterns(MemoryStore):
    def is_in(self, count: ServedCount, scope: Scope) -> bool:
        place = count.place
        if not isinstance(scope, EnvironmentScope):
            return super().is_in(count, scope)
        return self.is_like(place.org_id, scope.org_id) and any(
            self.is_like(place.env_id, env) for env in scope.env_ids
        )

    def is_like(self, name: str, asked: str) -> bool:
        # As LIKE of SQL.
        pattern = re.escape(asked).replace("_", ".").replace("%", ".*")
        return re.fullmatch(pattern, name, re.DOTALL) is not None


class JoinsNamesOfOwners(MemoryStore):
    def is_in(self, count: ServedCount, scope: Scope) -> bool:
        place = count.place
        if not isinstance(scope, EnvironmentScope):
            return super().is_in(count, scope)
        asked = {scope.org_id + env for env in scope.env_ids}
        return place.org_id + place.env_id in asked


class KnowsNoOrganizations(MemoryStore):
    def is_in(self, count: ServedCount, scope: Scope) -> bool:
        if isinstance(scope, EnvironmentScope):
            return count.place.env_id in scope.env_ids
        return super().is_in(count, scope)


class KnowsNoEnvironments(MemoryStore):
    def is_in(self, count: ServedCount, scope: Scope) -> bool:
        if isinstance(scope, EnvironmentScope) and scope.env_ids:
            return count.place.org_id == scope.org_id
        return super().is_in(count, scope)


class TakesOneOwnerForAll(MemoryStore):
    def apply(self, batch: ServedBatch) -> None:
        counts = list(batch.counts)
        owners = [attrs.evolve(c.place, org_id=counts[0].place.org_id) for c in counts]
        owned = tuple(
            attrs.evolve(count, place=place)
            for count, place in zip(counts, owners, strict=True)
        )
        super().apply(attrs.evolve(batch, counts=owned))


class CountsIn32Bits(ChangesCounts):
    def kept(self, count: ServedCount) -> ServedCount:
        return attrs.evolve(count, segments=(count.segments + 2**31) % 2**32 - 2**31)


class CountsInSinglePrecision(ChangesCounts):
    def kept(self, count: ServedCount) -> ServedCount:
        (segments,) = struct.unpack("f", struct.pack("f", count.segments))
        return attrs.evolve(count, segments=int(segments))


class StopsCountingAt32Bits(ChangesCounts):
    def kept(self, count: ServedCount) -> ServedCount:
        return attrs.evolve(count, segments=min(count.segments, 2**31 - 1))


class KeepsPositionsIn32Bits(MemoryStore):
    def position(self, file: str) -> int:
        return super().position(file) % 2**32


class SumsUpIn32Bits(MemoryStore):
    def totals(self, scope: Scope, days: DateRange) -> ServedTotals:
        found = super().totals(scope, days)
        return attrs.evolve(found, segments=found.segments % 2**32)


class TakesFiftyCounts(MemoryStore):
    def apply(self, batch: ServedBatch) -> None:
        super().apply(attrs.evolve(batch, counts=batch.counts[:50]))


class TakesAsManyAsOldSqlite(MemoryStore):
    def apply(self, batch: ServedBatch) -> None:
        super().apply(attrs.evolve(batch, counts=batch.counts[:999]))


class AnswersForFiftyVideos(MemoryStore):
    def served(self, videos: Collection[VideoId]) -> Mapping[VideoId, int]:
        return super().served(list(videos)[:50])


class AnswersInItsOwnOrder(MemoryStore):
    def served(self, videos: Collection[VideoId]) -> Mapping[VideoId, int]:
        found = super().served(sorted(videos))
        return dict(zip(videos, found.values(), strict=True))


class KnowsTheUsualHeights(ChangesCounts):
    def kept(self, count: ServedCount) -> ServedCount:
        usual = (144, 240, 360, 480, 720, 1080, 1440, 2160)
        px = min(usual, key=lambda one: abs(one - count.place.height_px))
        return attrs.evolve(count, place=attrs.evolve(count.place, height_px=px))


class SortsHeightsAsTexts(MemoryStore):
    def by_height(self, scope: Scope, days: DateRange) -> Sequence[HeightCount]:
        return sorted(
            super().by_height(scope, days), key=lambda one: str(one.height_px)
        )


class GivesHeightsTheDaysOfAll(MemoryStore):
    def by_height(self, scope: Scope, days: DateRange) -> Sequence[HeightCount]:
        every = self.totals(scope, days).days
        return [attrs.evolve(h, days=every) for h in super().by_height(scope, days)]


class HasLocalDays(ChangesCounts):
    def kept(self, count: ServedCount) -> ServedCount:
        return attrs.evolve(count, day=count.first_at.astimezone().date())


class BeginsDaysAMomentLate(ChangesCounts):
    def kept(self, count: ServedCount) -> ServedCount:
        begins = count.first_at - timedelta(milliseconds=1)
        return attrs.evolve(count, day=begins.date())


class ListsTheNewestDayFirst(MemoryStore):
    def daily(self, scope: Scope, days: DateRange) -> Sequence[DayCount]:
        return list(reversed(super().daily(scope, days)))


class LeavesTheFirstDayOut(MemoryStore):
    def within(self, scope: Scope, days: DateRange) -> list[ServedCount]:
        return [c for c in super().within(scope, days) if c.day != days.first]


class EndsADayLater(MemoryStore):
    def within(self, scope: Scope, days: DateRange) -> list[ServedCount]:
        last = days.last and days.last + timedelta(days=1)
        return super().within(scope, attrs.evolve(days, last=last))


class SwapsTheEnds(MemoryStore):
    def within(self, scope: Scope, days: DateRange) -> list[ServedCount]:
        if days.first and days.last:
            first, last = sorted([days.first, days.last])
            days = DateRange(first=first, last=last)
        return super().within(scope, days)


class MindsEmptyRanges(MemoryStore):
    def within(self, scope: Scope, days: DateRange) -> list[ServedCount]:
        assert (days.first or date.min) <= (days.last or date.max), "an empty range"
        return super().within(scope, days)


class TakesTheLastForTheLatest(MemoryStore):
    def totals(self, scope: Scope, days: DateRange) -> ServedTotals:
        found = self.within(scope, days)
        right = super().totals(scope, days)
        return attrs.evolve(right, last_at=found[-1].last_at) if found else right
