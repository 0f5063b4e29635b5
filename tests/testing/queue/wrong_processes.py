"""
Queues in a file that are wrong between processes or in an outage, each in its own way.
"""

import logging
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from hvcore.plugin_api import (
    Lane,
    TaskId,
    UnavailableError,
)
from tests.testing.queue.queue_file import LOOKS_EVERY_S, FileQueue


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


class SaysNothingOfOutages(FileQueue):
    def consume(
        self,
        handle: Callable[[TaskId], None],
        *,
        lanes: Sequence[Lane],
        until: Callable[[], bool],
    ) -> None:
        turns = list(lanes)
        while not until():
            with suppress(UnavailableError):
                self.check()
                if (task_id := self.take(turns)) is not None:
                    self.handed(handle, task_id)
            time.sleep(LOOKS_EVERY_S)


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
