"""
A queue in a file that every process can open, and that keeps every promise.
"""

import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

from hvcore.plugin_api import (
    Lane,
    Queue,
    QueueOutage,
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
