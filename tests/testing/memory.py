"""
An analytics store in memory: right, and wrong in one way each.
"""

import threading
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import date
from typing import Final, NoReturn

import attrs

from hvcore.domain.analytics.segments import (
    DateRange,
    DayCount,
    EnvironmentScope,
    EnvironmentServed,
    HeightCount,
    Scope,
    ServedBatch,
    ServedCount,
    ServedTotals,
    VideoScope,
)
from hvcore.domain.ids import EnvId, VideoId
from hvcore.errors import UnavailableError
from hvcore.ports.analytics import AnalyticsStore, BatchRefusedError

_MEETING: Final = threading.Barrier(2)


@attrs.define
class StoredCounts:
    """
    What outlives a store.
    """

    lock: threading.RLock = attrs.field(factory=threading.RLock)
    positions: dict[str, int] = attrs.field(factory=dict)
    counts: list[ServedCount] = attrs.field(factory=list)


class MemoryStore(AnalyticsStore):
    """
    Keeps every promise.
    """

    is_down = False

    def __init__(self, stored: StoredCounts) -> None:
        self._stored = stored

    @property
    def stored(self) -> StoredCounts:
        if self.is_down:
            self.fail()
        return self._stored

    def fail(self) -> NoReturn:
        raise UnavailableError("The counts are gone.")

    def ping(self) -> None:
        assert self.stored

    def write(self, batch: ServedBatch) -> None:
        with self.stored.lock:
            if self.follows(batch):
                self.apply(batch)

    def follows(self, batch: ServedBatch) -> bool:
        position = self.position(batch.id.file)
        if batch.id.end <= position:
            return False
        if batch.id.start != position:
            raise BatchRefusedError(batch.id.file)
        return True

    def apply(self, batch: ServedBatch) -> None:
        stored, counts = self.stored, [*self.stored.counts, *batch.counts]
        # In one line: an error comes before or after it.
        stored.positions[batch.id.file], stored.counts = batch.id.end, counts

    def position(self, file: str) -> int:
        with self.stored.lock:
            return self.stored.positions.get(file, 0)

    def forget(self, file: str) -> None:
        with self.stored.lock:
            self.stored.positions.pop(file, None)

    def served(self, videos: Collection[VideoId]) -> Mapping[VideoId, int]:
        with self.stored.lock:
            counts = list(self.stored.counts)
        return {
            video: sum(c.segments for c in counts if c.place.video_id == video)
            for video in videos
        }

    def by_environment(
        self, scope: EnvironmentScope, since: date
    ) -> Mapping[EnvId, EnvironmentServed]:
        found = self.within(scope, DateRange())
        return {
            env: EnvironmentServed(
                segments=sum(c.segments for c in found if c.place.env_id == env),
                segments_since=sum(
                    c.segments
                    for c in found
                    if c.place.env_id == env and c.day >= since
                ),
                last_at=max(c.last_at for c in found if c.place.env_id == env),
            )
            for env in {c.place.env_id for c in found}
        }

    def totals(self, scope: Scope, days: DateRange) -> ServedTotals:
        found = self.within(scope, days)
        return ServedTotals(
            segments=sum(c.segments for c in found),
            days=len({c.day for c in found}),
            first_at=min((c.first_at for c in found), default=None),
            last_at=max((c.last_at for c in found), default=None),
        )

    def daily(self, scope: Scope, days: DateRange) -> Sequence[DayCount]:
        found = self.within(scope, days)
        return [
            DayCount(
                day=day,
                videos=self.different(c for c in found if c.day == day),
                heights={
                    px: sum(
                        c.segments
                        for c in found
                        if c.day == day and c.place.height_px == px
                    )
                    for px in {c.place.height_px for c in found if c.day == day}
                },
            )
            for day in sorted({c.day for c in found})
        ]

    def by_height(self, scope: Scope, days: DateRange) -> Sequence[HeightCount]:
        found = self.within(scope, days)
        made = []
        for px in sorted({c.place.height_px for c in found}):
            ones = [c for c in found if c.place.height_px == px]
            made.append(
                HeightCount(
                    height_px=px,
                    segments=sum(c.segments for c in ones),
                    videos=self.different(ones),
                    days=len({c.day for c in ones}),
                    first_at=min(c.first_at for c in ones),
                    last_at=max(c.last_at for c in ones),
                )
            )
        return made

    def different(self, counts: Iterable[ServedCount]) -> int:
        return len({c.place.video_id for c in counts})

    def within(self, scope: Scope, days: DateRange) -> list[ServedCount]:
        with self.stored.lock:
            counts = list(self.stored.counts)
        first, last = days.first or date.min, days.last or date.max
        return [c for c in counts if first <= c.day <= last and self.is_in(c, scope)]

    def is_in(self, count: ServedCount, scope: Scope) -> bool:
        place = count.place
        if isinstance(scope, VideoScope):
            return place.video_id == scope.video_id
        return place.org_id == scope.org_id and place.env_id in scope.env_ids


def meet() -> None:
    """
    Wait until another thread is here, or for as long as one might take.
    """
    with suppress(threading.BrokenBarrierError):
        _MEETING.wait(0.05)
    if _MEETING.broken:
        _MEETING.reset()


class CountsAgain(MemoryStore):
    def follows(self, batch: ServedBatch) -> bool:
        super().follows(batch)
        return True


class RefusesNothing(MemoryStore):
    def follows(self, batch: ServedBatch) -> bool:
        return batch.id.end > self.position(batch.id.file)


class AppliesOneByOne(MemoryStore):
    def apply(self, batch: ServedBatch) -> None:
        for count in batch.counts:
            self.stored.counts.append(count)
        super().apply(attrs.evolve(batch, counts=()))


class MovesThePositionFirst(MemoryStore):
    def write(self, batch: ServedBatch) -> None:
        if self.follows(batch):
            self.stored.positions[batch.id.file] = batch.id.end
            self.between()
            self.stored.counts += list(batch.counts)

    def between(self) -> None:
        # Others look meanwhile.
        time.sleep(0.002)


class LooksThenWrites(MemoryStore):
    def write(self, batch: ServedBatch) -> None:
        if self.follows(batch):
            self.between()
            self.apply(batch)

    def between(self) -> None:
        meet()


class WritesWhatItReadBefore(MemoryStore):
    def write(self, batch: ServedBatch) -> None:
        if self.follows(batch):
            counts = [*self.stored.counts, *batch.counts]
            self.between()
            self.stored.counts = counts
            self.stored.positions[batch.id.file] = batch.id.end

    def between(self) -> None:
        meet()


class PassesOverNothing(MemoryStore):
    def apply(self, batch: ServedBatch) -> None:
        if batch.counts:
            super().apply(batch)


class KnowsOneFile(MemoryStore):
    def position(self, file: str) -> int:
        return max(self.stored.positions.values(), default=0)


class BeginsAtOne(MemoryStore):
    def position(self, file: str) -> int:
        return self.stored.positions.get(file, 1)


class ForgetsEverything(MemoryStore):
    def forget(self, file: str) -> None:
        self.stored.positions.clear()
        self.stored.counts.clear()


class PreparesAnew(MemoryStore):
    def prepare(self) -> None:
        self.stored.counts.clear()


class IsLate(MemoryStore):
    def __init__(self, stored: StoredCounts) -> None:
        super().__init__(stored)
        self.waiting: list[ServedCount] = []

    def apply(self, batch: ServedBatch) -> None:
        waiting, self.waiting = self.waiting, list(batch.counts)
        super().apply(attrs.evolve(batch, counts=tuple(waiting)))


class KeepsToItself(MemoryStore):
    def __init__(self, stored: StoredCounts) -> None:
        super().__init__(StoredCounts())


class HasNoEmptyAnswer(MemoryStore):
    def totals(self, scope: Scope, days: DateRange) -> ServedTotals:
        return attrs.evolve(super().totals(scope, days), days=1)


class TakesNoneForAll(MemoryStore):
    def is_in(self, count: ServedCount, scope: Scope) -> bool:
        if isinstance(scope, EnvironmentScope) and not scope.env_ids:
            return True
        return super().is_in(count, scope)


class LeavesTheLastDayOut(MemoryStore):
    def within(self, scope: Scope, days: DateRange) -> list[ServedCount]:
        found = super().within(scope, days)
        return [c for c in found if c.day != days.last]


class KeepsSeconds(MemoryStore):
    def apply(self, batch: ServedBatch) -> None:
        counts = tuple(
            attrs.evolve(c, last_at=c.last_at.replace(microsecond=0))
            for c in batch.counts
        )
        super().apply(attrs.evolve(batch, counts=counts))


class CountsVideosEachDay(MemoryStore):
    def different(self, counts: Iterable[ServedCount]) -> int:
        return len({(c.place.video_id, c.day) for c in counts})


class TakesNothingBack(MemoryStore):
    def apply(self, batch: ServedBatch) -> None:
        counts = tuple(c for c in batch.counts if c.segments > 0)
        super().apply(attrs.evolve(batch, counts=counts))


class KeepsNoSumBelowZero(MemoryStore):
    def apply(self, batch: ServedBatch) -> None:
        super().apply(batch)
        if sum(count.segments for count in self.stored.counts) < 0:
            self.stored.counts.clear()


class BeginsWithTheFirst(MemoryStore):
    def apply(self, batch: ServedBatch) -> None:
        begins = min((c.day for c in self.stored.counts), default=date.min)
        counts = tuple(attrs.evolve(c, day=max(begins, c.day)) for c in batch.counts)
        super().apply(attrs.evolve(batch, counts=counts))
