"""
Analytics stores in memory that mix up tenants, videos, heights, days or files.
"""

import fnmatch
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import ClassVar

import attrs

from hvcore.domain.analytics.segments import ServedBatch, ServedCount
from tests.testing.memory import MemoryStore, StoredCounts


class Changes(MemoryStore):
    """
    Keeps some of the counts, or changed ones.
    """

    def apply(self, batch: ServedBatch) -> None:
        kept = tuple(one for one in batch.counts if self.keeps(one))
        super().apply(attrs.evolve(batch, counts=tuple(map(self.changed, kept))))

    def keeps(self, one: ServedCount) -> bool:
        del one
        return True

    def changed(self, one: ServedCount) -> ServedCount:
        return one


class KnowsTheFirstTenant(MemoryStore):
    def apply(self, batch: ServedBatch) -> None:
        first = batch.counts[0].place
        counts = tuple(
            attrs.evolve(
                one,
                place=attrs.evolve(one.place, org_id=first.org_id, env_id=first.env_id),
            )
            for one in batch.counts
        )
        super().apply(attrs.evolve(batch, counts=counts))


class KnowsTheFirstVideo(MemoryStore):
    def apply(self, batch: ServedBatch) -> None:
        first = batch.counts[0].place.video_id
        counts = tuple(
            attrs.evolve(one, place=attrs.evolve(one.place, video_id=first))
            for one in batch.counts
        )
        super().apply(attrs.evolve(batch, counts=counts))


class TakesTheLastOf(MemoryStore):
    def apply(self, batch: ServedBatch) -> None:
        last = {self.key(one): one for one in batch.counts}
        super().apply(attrs.evolve(batch, counts=tuple(last.values())))

    def key(self, one: ServedCount) -> object:
        return one.place.video_id, one.day


class DropsSound(Changes):
    def keeps(self, one: ServedCount) -> bool:
        return one.place.height_px > 0


class StopsAt2160(Changes):
    def changed(self, one: ServedCount) -> ServedCount:
        height_px = min(2160, one.place.height_px)
        return attrs.evolve(one, place=attrs.evolve(one.place, height_px=height_px))


class KnowsNoFuture(Changes):
    def keeps(self, one: ServedCount) -> bool:
        return one.day <= datetime.now(UTC).date()


class DropsOldDays(Changes):
    def keeps(self, one: ServedCount) -> bool:
        return one.day > datetime.now(UTC).date() - timedelta(days=365)


class HasDaysOfItsZone(Changes):
    def changed(self, one: ServedCount) -> ServedCount:
        return attrs.evolve(one, day=one.last_at.astimezone().date())


class ReplacesCells(MemoryStore):
    def apply(self, batch: ServedBatch) -> None:
        super().apply(batch)
        cells = {(one.place, one.day): one for one in self.stored.counts}
        self.stored.counts = list(cells.values())


class SharesPositions(MemoryStore):
    positions: ClassVar[dict[str, int]] = {}

    def __init__(self, stored: StoredCounts) -> None:
        super().__init__(attrs.evolve(stored, positions=self.positions))


class SharesCounts(MemoryStore):
    counts: ClassVar[list[ServedCount]] = []

    def apply(self, batch: ServedBatch) -> None:
        super().apply(batch)
        self.counts.extend(batch.counts)
        self.stored.counts = list(self.counts)


class ForgetsAll(MemoryStore):
    """
    Forgets the files of which a test says so.
    """

    does: Callable[[str, str], bool]

    def forget(self, file: str) -> None:
        with self.stored.lock:
            for name in list(self.stored.positions):
                if type(self).does(name, file):
                    del self.stored.positions[name]


class ForgetsBeginnings(ForgetsAll):
    does = staticmethod(str.startswith)


class ForgetsPatterns(ForgetsAll):
    does = staticmethod(fnmatch.fnmatchcase)


class RemembersPositions(MemoryStore):
    def __init__(self, stored: StoredCounts) -> None:
        super().__init__(stored)
        self.ends: dict[str, int] = {}

    def position(self, file: str) -> int:
        self.ends[file] = max(self.ends.get(file, 0), super().position(file))
        return self.ends[file]

    def forget(self, file: str) -> None:
        self.ends.pop(file, None)
        super().forget(file)


class ForgetsCountsOfAFile(MemoryStore):
    def forget(self, file: str) -> None:
        super().forget(file)
        self.stored.counts = self.stored.counts[:1]


class MindsUnknownFiles(MemoryStore):
    def forget(self, file: str) -> None:
        del self.stored.positions[file]


class ClosesForAll(MemoryStore):
    def close(self) -> None:
        self.stored.positions.clear()


class IsNeverPrepared(MemoryStore):
    def is_prepared(self) -> bool:
        return False


class PreparesOnce(MemoryStore):
    is_new = True

    def prepare(self) -> None:
        assert self.is_new, "there are tables already"
        self.is_new = False


class LooksBeforeItPrepares(MemoryStore):
    """The second of two that find nothing does not expect the tables of the first one."""

    is_new = True

    def prepare(self) -> None:
        if not self.is_new:
            return
        self.make_tables()

    def make_tables(self) -> None:
        assert self.is_new, "there are tables already"
        self.is_new = False


class SwallowsInterrupts(MemoryStore):
    def write(self, batch: ServedBatch) -> None:
        with suppress(KeyboardInterrupt):
            super().write(batch)

    def forget(self, file: str) -> None:
        with suppress(KeyboardInterrupt):
            super().forget(file)


class CountsThenMoves(MemoryStore):
    def apply(self, batch: ServedBatch) -> None:
        self.stored.counts += list(batch.counts)
        self.stored.positions[batch.id.file] = batch.id.end


class MovesInMemoryFirst(MemoryStore):
    def __init__(self, stored: StoredCounts) -> None:
        super().__init__(stored)
        self.ends: dict[str, int] = {}

    def apply(self, batch: ServedBatch) -> None:
        self.ends[batch.id.file] = batch.id.end
        super().apply(batch)

    def position(self, file: str) -> int:
        return self.ends.get(file, super().position(file))

    def forget(self, file: str) -> None:
        self.ends.pop(file, None)
        super().forget(file)


class ForgetsThenRemembers(MemoryStore):
    def forget(self, file: str) -> None:
        positions = dict(self.stored.positions)
        self.stored.positions.clear()
        positions.pop(file, None)
        self.stored.positions.update(positions)
