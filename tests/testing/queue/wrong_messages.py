"""
Queues in a file that lose, repeat, delay or change messages, each in its own way.
"""

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

from hvcore.plugin_api import (
    Lane,
    SupportsPrepare,
    TaskId,
)
from tests.testing.queue.queue_file import LOOKS_EVERY_S, FileQueue


class LosesOneInFifty(FileQueue):
    count = 0

    def insert(self, task_id: TaskId, lane: Lane) -> None:
        self.count += 1
        if self.count % 50:
            super().insert(task_id, lane)


class OnlyReachesWhoListens(FileQueue):
    """As publish and subscribe does."""

    listeners = 0

    def insert(self, task_id: TaskId, lane: Lane) -> None:
        if self.listeners:
            super().insert(task_id, lane)

    def consume(
        self,
        handle: Callable[[TaskId], None],
        *,
        lanes: Sequence[Lane],
        until: Callable[[], bool],
    ) -> None:
        self.listeners += 1
        super().consume(handle, lanes=lanes, until=until)
        self.listeners -= 1


class SendsTwice(FileQueue):
    def insert(self, task_id: TaskId, lane: Lane) -> None:
        super().insert(task_id, lane)
        super().insert(task_id, lane)


class LooksThenTakes(FileQueue):
    """Two consumers see the same row before either removes it."""

    def first(self, lane: Lane) -> TaskId | None:
        with self.opened() as db:
            found = db.execute(
                "SELECT n, id FROM m WHERE lane = ? ORDER BY n LIMIT 1", [lane.value]
            ).fetchone()
            time.sleep(0.001)
            if found:
                db.execute("DELETE FROM m WHERE n = ?", [found[0]])
        return found and TaskId(found[1])


class ShoutsTheIds(FileQueue):
    def insert(self, task_id: TaskId, lane: Lane) -> None:
        super().insert(TaskId(task_id.upper()), lane)


class GivesBytes(FileQueue):
    def first(self, lane: Lane) -> TaskId | None:
        found = super().first(lane)
        return found and found.encode()  # type: ignore[return-value]


class NeverDelivers(FileQueue):
    """Whatever waits is due in an hour."""

    def take(self, turns: list[Lane]) -> TaskId | None:
        return None


class DeliversAtTheStartOnly(FileQueue):
    """A consumer does not see what is put later."""

    def consume(
        self,
        handle: Callable[[TaskId], None],
        *,
        lanes: Sequence[Lane],
        until: Callable[[], bool],
    ) -> None:
        turns = list(lanes)
        while not until() and (task_id := self.take(turns)) is not None:
            self.handed(handle, task_id)
        while not until():
            time.sleep(LOOKS_EVERY_S)


class HasOneLane(FileQueue):
    def first(self, lane: Lane) -> TaskId | None:
        return next(
            filter(None, (super(HasOneLane, self).first(x) for x in Lane)), None
        )


class KnowsTwoLanes(FileQueue):
    def insert(self, task_id: TaskId, lane: Lane) -> None:
        known = {Lane.ENCODE: Lane.ENCODE}
        super().insert(task_id, known.get(lane, Lane.LIGHT))


class EmptiesTheFirstLaneFirst(FileQueue):
    def take(self, turns: list[Lane]) -> TaskId | None:
        return next(filter(None, map(self.first, turns)), None)


class EmptiesTheLastLaneFirst(FileQueue):
    def take(self, turns: list[Lane]) -> TaskId | None:
        return next(filter(None, map(self.first, reversed(turns))), None)


class KnowsEachIdOnce(FileQueue):
    """Takes a message with an earlier id for a repetition, for ever."""

    def insert(self, task_id: TaskId, lane: Lane) -> None:
        known = self.folder / task_id
        if not known.exists():
            known.touch()
            super().insert(task_id, lane)


class ForgetsWhatIsPutMeanwhile(FileQueue):
    """Removes a message when it was handled, by its task's id."""

    def first(self, lane: Lane) -> TaskId | None:
        with self.opened() as db:
            found = db.execute(
                "SELECT id FROM m WHERE lane = ? ORDER BY n LIMIT 1", [lane.value]
            ).fetchone()
        return found and TaskId(found[0])

    def handed(self, handle: Callable[[TaskId], None], task_id: TaskId) -> None:
        super().handed(handle, task_id)
        with self.opened() as db:
            db.execute("DELETE FROM m WHERE id = ?", [task_id])


class LosesBothOfAPair(FileQueue):
    """A second ring cancels the first one."""

    def insert(self, task_id: TaskId, lane: Lane) -> None:
        with self.opened() as db:
            removed = db.execute("DELETE FROM m WHERE id = ?", [task_id]).rowcount
        if not removed:
            super().insert(task_id, lane)


class CountsEveryLane(FileQueue):
    def depth(self, lane: Lane) -> int:
        return sum(FileQueue.depth(self, one) for one in Lane)


class CountsNothing(FileQueue):
    def depth(self, lane: Lane) -> int:
        return 0


class PutsSlowly(FileQueue):
    def put(self, task_id: TaskId, *, kind: str, lane: Lane) -> None:
        time.sleep(0.4)
        super().put(task_id, kind=kind, lane=lane)


class PingHangs(FileQueue):
    def ping(self) -> None:
        time.sleep(3)


class KeepsPutsInItsProcess(FileQueue):
    """A thread writes what was put; a child of a fork has no such thread."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.buffer: list[tuple[TaskId, Lane]] = []
        threading.Thread(target=self.write, daemon=True).start()

    def put(self, task_id: TaskId, *, kind: str, lane: Lane) -> None:
        self.check()
        self.buffer.append((task_id, lane))

    def write(self) -> None:
        while True:
            while self.buffer:
                self.insert(*self.buffer.pop(0))
            time.sleep(LOOKS_EVERY_S)


class KeepsItsLockInAChild(FileQueue):
    """A child that is forked while a thread has the lock waits for it for good."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.lock = threading.Lock()

    def insert(self, task_id: TaskId, lane: Lane) -> None:
        with self.lock:
            super().insert(task_id, lane)


class KeepsItsConsumersLockInAChild(KeepsItsLockInAChild):
    def insert(self, task_id: TaskId, lane: Lane) -> None:
        with self.lock:
            pass
        FileQueue.insert(self, task_id, lane)

    def first(self, lane: Lane) -> TaskId | None:
        with self.lock:
            return super().first(lane)


class WritesLater(KeepsPutsInItsProcess):
    """And a killed process has not written yet."""

    def write(self) -> None:
        time.sleep(1)
        super().write()


class PreparesAnew(SupportsPrepare, FileQueue):
    def prepare(self) -> None:
        with self.opened() as db:
            db.execute("DELETE FROM m")

    def is_prepared(self) -> bool:
        return True


class ClosesBeforeItWrites(KeepsPutsInItsProcess):
    is_closed = False

    def insert(self, task_id: TaskId, lane: Lane) -> None:
        if not self.is_closed:
            super().insert(task_id, lane)

    def close(self) -> None:
        self.is_closed = True


class JoinsLanesById(FileQueue):
    def insert(self, task_id: TaskId, lane: Lane) -> None:
        with self.opened() as db:
            db.execute("DELETE FROM m WHERE id = ?", [task_id])
        super().insert(task_id, lane)


class KeepsAHundred(FileQueue):
    def insert(self, task_id: TaskId, lane: Lane) -> None:
        if self.depth(lane) < 100:
            super().insert(task_id, lane)


class KnowsOneKind(FileQueue):
    def put(self, task_id: TaskId, *, kind: str, lane: Lane) -> None:
        if kind.isascii():
            super().put(task_id, kind=kind, lane=lane)


class SharesOneFile(FileQueue):
    """
    All queues of the process are one.
    """

    first: ClassVar[Path | None] = None

    def __init__(self, folder: Path) -> None:
        SharesOneFile.first = SharesOneFile.first or folder
        super().__init__(SharesOneFile.first)


class SwallowsPutErrors(FileQueue):
    def put(self, task_id: TaskId, *, kind: str, lane: Lane) -> None:
        with suppress(OSError, KeyboardInterrupt):
            super().put(task_id, kind=kind, lane=lane)
