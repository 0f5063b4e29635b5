"""
Analytics sinks that lose or double counts: in memory, and in a file.
"""

import fcntl
import json
import os
import threading
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any, ClassVar, Final, NoReturn

import attrs

from hvcore.domain.analytics.segments import SegmentPlace, ServedBatch
from hvcore.domain.ids import VideoId
from hvcore.errors import UnavailableError
from hvcore.ports.analytics import AnalyticsSink, BatchRefusedError
from tests.testing import memory
from tests.testing.memory import MemoryStore, StoredCounts


class LooksThenWrites(memory.LooksThenWrites):
    def between(self) -> None:
        pass


class WritesWhatItReadBefore(memory.WritesWhatItReadBefore):
    def between(self) -> None:
        pass


class MovesThePositionFirst(memory.MovesThePositionFirst):
    def between(self) -> None:
        pass


class ShowsHalfABatch(MemoryStore):
    def apply(self, batch: ServedBatch) -> None:
        for count in list(batch.counts):
            self.stored.counts.append(count)
        super().apply(attrs.evolve(batch, counts=()))

    def served(self, videos: Collection[VideoId]) -> Mapping[VideoId, int]:
        counts = list(self.stored.counts)
        return {
            video: sum(c.segments for c in counts if c.place.video_id == video)
            for video in videos
        }


class ForgetsWhatCameMeanwhile(MemoryStore):
    def forget(self, file: str) -> None:
        left = {
            name: end for name, end in self.stored.positions.items() if name != file
        }
        self.stored.positions = left


class KnowsTheLastBatch(MemoryStore):
    def __init__(self, stored: StoredCounts) -> None:
        super().__init__(stored)
        self.last: object = None

    def follows(self, batch: ServedBatch) -> bool:
        is_new, self.last = batch.id != self.last, batch.id
        return is_new


class MovesBack(MemoryStore):
    def write(self, batch: ServedBatch) -> None:
        super().write(batch)
        with self.stored.lock:
            self.stored.positions[batch.id.file] = batch.id.end


class PassesOverWhatIsEarly(MemoryStore):
    def follows(self, batch: ServedBatch) -> bool:
        return batch.id.start == self.position(batch.id.file)


class TakesEarlyOnesOfNewFiles(MemoryStore):
    def follows(self, batch: ServedBatch) -> bool:
        return self.position(batch.id.file) == 0 or super().follows(batch)


class MindsWhatWasWritten(MemoryStore):
    def follows(self, batch: ServedBatch) -> bool:
        if batch.id.start != self.position(batch.id.file):
            raise BatchRefusedError(batch.id.file)
        return True


class LeaksErrors(MemoryStore):
    def fail(self) -> NoReturn:
        raise ConnectionRefusedError("Nobody listens.")


class LosesWhatItCannotWrite(MemoryStore):
    def write(self, batch: ServedBatch) -> None:
        if not self.is_down:
            super().write(batch)


class InventsAPosition(MemoryStore):
    def position(self, file: str) -> int:
        return 0 if self.is_down else super().position(file)


class AnswersZeroWhenDown(MemoryStore):
    def served(self, videos: Collection[VideoId]) -> Mapping[VideoId, int]:
        return {} if self.is_down else super().served(videos)


class PingsWhenDown(MemoryStore):
    def ping(self) -> None:
        pass


class WaitsForItsServer(MemoryStore):
    def fail(self) -> NoReturn:
        threading.Event().wait(2)
        raise UnavailableError("It was waited for.")


class FileSink(AnalyticsSink):
    """
    Keeps every promise for processes: a file that is replaced as a whole.
    """

    def __init__(self, folder: Path) -> None:
        self.path: Final = str(folder / "counts.json")

    def write(self, batch: ServedBatch) -> None:
        with self.turn():
            state = self.read()
            position = state["positions"].get(batch.id.file, 0)
            if batch.id.end <= position:
                return
            if batch.id.start != position:
                raise BatchRefusedError(batch.id.file)
            self.add(state, batch)

    def add(self, state: dict[str, dict[str, int]], batch: ServedBatch) -> None:
        self.count(state, batch)
        state["positions"][batch.id.file] = batch.id.end
        self.save(state)

    def count(self, state: dict[str, dict[str, int]], batch: ServedBatch) -> None:
        for one in batch.counts:
            place = attrs.astuple(one.place)
            cell = json.dumps([*place, str(one.day)])
            state["counts"][cell] = state["counts"].get(cell, 0) + one.segments

    def position(self, file: str) -> int:
        return self.read()["positions"].get(file, 0)

    def forget(self, file: str) -> None:
        with self.turn():
            state = self.read()
            state["positions"].pop(file, None)
            self.save(state)

    def counted(self, video_id: VideoId) -> int:
        counts = self.read()["counts"]
        return sum(n for cell, n in counts.items() if json.loads(cell)[2] == video_id)

    def counted_at(self, place: SegmentPlace, day: date) -> int:
        cell = json.dumps([*attrs.astuple(place), str(day)])
        return self.read()["counts"].get(cell, 0)

    @contextmanager
    def turn(self) -> Iterator[None]:
        lock = os.open(f"{self.path}.lock", os.O_RDWR | os.O_CREAT)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)

    def read(self) -> Any:  # noqa: ANN401 - of JSON
        try:
            with open(self.path, "rb") as file:  # noqa: PTH123 - one line, not ten
                text = file.read()
        except FileNotFoundError:
            text = b""
        return json.loads(text or b'{"positions": {}, "counts": {}}')

    def save(self, state: dict[str, dict[str, int]]) -> None:
        with open(f"{self.path}.new", "w") as file:  # noqa: PTH123 - as above
            file.write(json.dumps(state))
        os.replace(f"{self.path}.new", self.path)  # noqa: PTH105 - as above


class SavesThePositionFirst(FileSink):
    def add(self, state: dict[str, dict[str, int]], batch: ServedBatch) -> None:
        state["positions"][batch.id.file] = batch.id.end
        self.save(state)
        self.count(state, batch)
        self.save(state)


class SavesTheCountsFirst(FileSink):
    def add(self, state: dict[str, dict[str, int]], batch: ServedBatch) -> None:
        self.count(state, batch)
        self.save(state)
        state["positions"][batch.id.file] = batch.id.end
        self.save(state)


class SavesCountByCount(FileSink):
    def count(self, state: dict[str, dict[str, int]], batch: ServedBatch) -> None:
        for one in batch.counts:
            super().count(state, attrs.evolve(batch, counts=(one,)))
            self.save(state)


class SavesInPlace(FileSink):
    def save(self, state: dict[str, dict[str, int]]) -> None:
        with open(self.path, "w") as file:  # noqa: PTH123 - as above
            file.write(json.dumps(state))


class SavesWhenItIsClosed(FileSink):
    """
    All of a process see what is not saved yet.
    """

    states: ClassVar[dict[str, Any]] = {}

    def read(self) -> Any:  # noqa: ANN401 - of JSON
        return self.states.get(self.path) or super().read()

    def save(self, state: dict[str, dict[str, int]]) -> None:
        self.states[self.path] = state

    def close(self) -> None:
        super().save(self.read())


class LeavesItsLock(FileSink):
    @contextmanager
    def turn(self) -> Iterator[None]:
        lock = f"{self.path}.held"
        while True:
            try:
                os.close(os.open(lock, os.O_CREAT | os.O_EXCL))
                break
            except FileExistsError:
                time.sleep(0.001)
        yield
        os.remove(lock)  # noqa: PTH107 - as above


class RemembersWhatItRead(FileSink):
    """
    Right as long as nobody else writes, as in a fork.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.state: Any = None

    def read(self) -> Any:  # noqa: ANN401 - of JSON
        self.state = self.state or super().read()
        return self.state
