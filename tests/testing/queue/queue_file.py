"""
A queue in a file that every process can open, and wrong ones, each in its own way.
"""

import logging
import os
import signal
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import ClassVar, Final

from hvcore.plugin_api import (
    Lane,
    Queue,
    QueueOutage,
    SupportsPrepare,
    TaskId,
    UnavailableError,
    hand_over,
)

LOOKS_EVERY_S: Final = 0.03


class FileQueue(Queue):
    """
    Keeps every promise. While the file ``away`` is there, it does not answer.

    The file ``over`` halts threads that a wrong queue has left behind: a fork while one of
    them is in SQLite gives the child a lock that nobody releases.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with self.opened() as db:
            db.execute("PRAGMA journal_mode=WAL")
            db.execute("CREATE TABLE IF NOT EXISTS m (n INTEGER PRIMARY KEY, id, lane)")

    def put(self, task_id: TaskId, *, kind: str, lane: Lane) -> None:
        self.check()
        self.insert(task_id, lane)

    def consume(
        self,
        handle: Callable[[TaskId], None],
        *,
        lanes: Sequence[Lane],
        until: Callable[[], bool],
    ) -> None:
        outage, turns = QueueOutage(), list(lanes)
        while not until():
            try:
                self.check()
                task_id = self.take(turns)
            except UnavailableError as exc:
                outage.wait(exc, until)
                continue
            if task_id is None:
                time.sleep(LOOKS_EVERY_S)
            else:
                self.handed(handle, task_id)

    def depth(self, lane: Lane) -> int:
        self.check()
        with self.opened() as db:
            found = db.execute("SELECT count(*) FROM m WHERE lane = ?", [lane.value])
            return int(found.fetchone()[0])

    def ping(self) -> None:
        self.check()

    def opened(self) -> closing[sqlite3.Connection]:
        if (self.folder / "over").exists():
            threading.Event().wait()
        made = sqlite3.connect(
            self.folder / "queue.sqlite3", isolation_level=None, timeout=10
        )
        made.execute("PRAGMA synchronous=OFF")
        return closing(made)

    def check(self) -> None:
        if (self.folder / "away").exists():
            raise UnavailableError("The file is away.")

    def insert(self, task_id: TaskId, lane: Lane) -> None:
        with self.opened() as db:
            db.execute("INSERT INTO m (id, lane) VALUES (?, ?)", [task_id, lane.value])

    def take(self, turns: list[Lane]) -> TaskId | None:
        for lane in tuple(turns):
            turns.append(turns.pop(0))
            if (found := self.first(lane)) is not None:
                return found
        return None

    def first(self, lane: Lane) -> TaskId | None:
        with self.opened() as db:
            found = db.execute(
                "DELETE FROM m WHERE n = (SELECT n FROM m WHERE lane = ?"
                " ORDER BY n LIMIT 1) RETURNING id",
                [lane.value],
            ).fetchone()
        return found and TaskId(found[0])

    def handed(self, handle: Callable[[TaskId], None], task_id: TaskId) -> None:
        hand_over(handle, task_id)


# What is lost, repeated, late or wrong.


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
    """Takes what was put before for a repetition, for ever."""

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


# Consumers that stop, go on, and hold up others wrongly.


class AsksOnceInFiveSeconds(FileQueue):
    def consume(
        self,
        handle: Callable[[TaskId], None],
        *,
        lanes: Sequence[Lane],
        until: Callable[[], bool],
    ) -> None:
        turns = list(lanes)
        while not until():
            end = time.monotonic() + 5
            while time.monotonic() < end:
                if (task_id := self.take(turns)) is not None:
                    self.handed(handle, task_id)
                    break
                time.sleep(LOOKS_EVERY_S)


class EmptiesTheQueueFirst(FileQueue):
    def consume(
        self,
        handle: Callable[[TaskId], None],
        *,
        lanes: Sequence[Lane],
        until: Callable[[], bool],
    ) -> None:
        while not until():
            while (task_id := self.take(list(lanes))) is not None:
                self.handed(handle, task_id)
            time.sleep(LOOKS_EVERY_S)


class TakesTenAtATime(FileQueue):
    """Whatever it has taken is lost when it stops or is killed."""

    def consume(
        self,
        handle: Callable[[TaskId], None],
        *,
        lanes: Sequence[Lane],
        until: Callable[[], bool],
    ) -> None:
        mine: list[TaskId] = []
        while not until():
            turns = list(lanes)
            taken = [self.take(turns) for _ in range(10)] if not mine else []
            mine += [one for one in taken if one is not None]
            if mine:
                self.handed(handle, mine.pop(0))
            else:
                time.sleep(LOOKS_EVERY_S)


class TakesTenAndGivesThemBack(TakesTenAtATime):
    """But only if it ends in order: who is killed or busy keeps them."""

    def consume(
        self,
        handle: Callable[[TaskId], None],
        *,
        lanes: Sequence[Lane],
        until: Callable[[], bool],
    ) -> None:
        mine: list[tuple[TaskId, Lane]] = []
        while not until():
            for lane in lanes if not mine else ():
                taken = [self.first(lane) for _ in range(10)]
                mine += [(one, lane) for one in taken if one is not None]
            if mine:
                self.handed(handle, mine.pop(0)[0])
            else:
                time.sleep(LOOKS_EVERY_S)
        for task_id, lane in mine:
            self.insert(task_id, lane)


class GoesOnInTheBackground(FileQueue):
    def consume(
        self,
        handle: Callable[[TaskId], None],
        *,
        lanes: Sequence[Lane],
        until: Callable[[], bool],
    ) -> None:
        def work() -> None:
            for _ in range(200):
                if (task_id := self.take(list(lanes))) is not None:
                    self.handed(handle, task_id)
                time.sleep(LOOKS_EVERY_S)

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        while not until() and thread.is_alive():
            time.sleep(LOOKS_EVERY_S)


class HandlesUnderItsLock(FileQueue):
    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.lock = threading.Lock()

    def put(self, task_id: TaskId, *, kind: str, lane: Lane) -> None:
        with self.lock:
            super().put(task_id, kind=kind, lane=lane)

    def handed(self, handle: Callable[[TaskId], None], task_id: TaskId) -> None:
        with self.lock:
            super().handed(handle, task_id)


class HandlesInItsTransaction(FileQueue):
    """Nobody else takes anything while it handles."""

    def handed(self, handle: Callable[[TaskId], None], task_id: TaskId) -> None:
        with self.opened() as db:
            db.execute("BEGIN IMMEDIATE")
            super().handed(handle, task_id)


class HandlesInAPool(FileQueue):
    def handed(self, handle: Callable[[TaskId], None], task_id: TaskId) -> None:
        handed = super().handed
        threading.Thread(target=lambda: handed(handle, task_id), daemon=True).start()


class EndsWithTheFirstError(FileQueue):
    def handed(self, handle: Callable[[TaskId], None], task_id: TaskId) -> None:
        handle(task_id)


class TriesForEver(FileQueue):
    """What a handler fails at comes again at once."""

    def handed(self, handle: Callable[[TaskId], None], task_id: TaskId) -> None:
        try:
            handle(task_id)
        except Exception:
            logging.getLogger(__name__).exception("again")
            self.insert(task_id, Lane.LIGHT)


class SaysNothingOfErrors(FileQueue):
    def handed(self, handle: Callable[[TaskId], None], task_id: TaskId) -> None:
        with suppress(Exception):
            handle(task_id)


class TracesEveryError(FileQueue):
    def handed(self, handle: Callable[[TaskId], None], task_id: TaskId) -> None:
        try:
            handle(task_id)
        except Exception:
            logging.getLogger(__name__).exception("it failed")


class SwallowsInterrupts(FileQueue):
    def handed(self, handle: Callable[[TaskId], None], task_id: TaskId) -> None:
        try:
            super().handed(handle, task_id)
        except BaseException:
            logging.getLogger(__name__).exception("never mind")


class KnowsNoConsumers(FileQueue):
    def workers(self, lane: Lane) -> int:
        return 0


# Of several processes.


class StaysAtHome(FileQueue):
    spans_processes = False


class RingsForEverybody(FileQueue):
    """Each process has a place of its own for how far it has read."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.read = 0
        self.lock = threading.Lock()

    def first(self, lane: Lane) -> TaskId | None:
        with self.lock, self.opened() as db:
            found = db.execute(
                "SELECT n, id FROM m WHERE lane = ? AND n > ? ORDER BY n LIMIT 1",
                [lane.value, self.read],
            ).fetchone()
            if found:
                self.read = found[0]
        return found and TaskId(found[1])

    def depth(self, lane: Lane) -> int:
        with self.opened() as db:
            found = db.execute(
                "SELECT count(*) FROM m WHERE lane = ? AND n > ?",
                [lane.value, self.read],
            )
            return int(found.fetchone()[0])


class ClosesBeforeItWrites(KeepsPutsInItsProcess):
    is_closed = False

    def insert(self, task_id: TaskId, lane: Lane) -> None:
        if not self.is_closed:
            super().insert(task_id, lane)

    def close(self) -> None:
        self.is_closed = True


class InstallsSignalHandlers(FileQueue):
    def consume(
        self,
        handle: Callable[[TaskId], None],
        *,
        lanes: Sequence[Lane],
        until: Callable[[], bool],
    ) -> None:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, lambda *_: None)
        super().consume(handle, lanes=lanes, until=until)


class RaisesItsClientsErrors(FileQueue):
    def check(self) -> None:
        try:
            super().check()
        except UnavailableError as exc:
            raise sqlite3.OperationalError("unable to open database file") from exc


class WaitsForItsServer(FileQueue):
    def put(self, task_id: TaskId, *, kind: str, lane: Lane) -> None:
        end = time.monotonic() + 3
        while (self.folder / "away").exists() and time.monotonic() < end:
            time.sleep(LOOKS_EVERY_S)
        super().put(task_id, kind=kind, lane=lane)


class TakesWhatItCannotSend(FileQueue):
    """Raises nothing while the server is away."""

    def put(self, task_id: TaskId, *, kind: str, lane: Lane) -> None:
        if not (self.folder / "away").exists():
            super().put(task_id, kind=kind, lane=lane)


class PingsItself(FileQueue):
    def ping(self) -> None:
        pass


class EndsWithAnOutage(FileQueue):
    def consume(
        self,
        handle: Callable[[TaskId], None],
        *,
        lanes: Sequence[Lane],
        until: Callable[[], bool],
    ) -> None:
        turns = list(lanes)
        while not until():
            self.check()
            if (task_id := self.take(turns)) is not None:
                self.handed(handle, task_id)
            time.sleep(LOOKS_EVERY_S)


class GivesUpAfterAnOutage(FileQueue):
    """Waits, and takes nothing any more."""

    was_away = False

    def check(self) -> None:
        self.was_away |= (self.folder / "away").exists()
        super().check()

    def take(self, turns: list[Lane]) -> TaskId | None:
        return None if self.was_away else super().take(turns)


class IsDeafInAnOutage(FileQueue):
    """Does not ask whether to end while the server is away."""

    def take(self, turns: list[Lane]) -> TaskId | None:
        return super().take(turns)

    def consume(
        self,
        handle: Callable[[TaskId], None],
        *,
        lanes: Sequence[Lane],
        until: Callable[[], bool],
    ) -> None:
        end = time.monotonic() + 6
        while (self.folder / "away").exists() and time.monotonic() < end:
            time.sleep(LOOKS_EVERY_S)
        super().consume(handle, lanes=lanes, until=until)


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


class TakesThreeAtATime(FileQueue):
    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.taken: list[TaskId] = []

    def first(self, lane: Lane) -> TaskId | None:
        if not self.taken:
            for _ in range(3):
                found = super().first(lane)
                if found is not None:
                    self.taken.append(found)
        return self.taken.pop(0) if self.taken else None


class LogsEachAttempt(FileQueue):
    def check(self) -> None:
        try:
            super().check()
        except UnavailableError:
            logging.getLogger(__name__).warning("it does not answer")
            raise


class PutsInOneLane(FileQueue):
    """
    Right within a process.
    """

    def insert(self, task_id: TaskId, lane: Lane) -> None:
        is_alone = threading.current_thread() is threading.main_thread()
        super().insert(
            task_id, lane if is_alone and not self.is_child() else Lane.LIGHT
        )

    def is_child(self) -> bool:
        return os.getpid() != _PARENT


_PARENT: Final = os.getpid()
