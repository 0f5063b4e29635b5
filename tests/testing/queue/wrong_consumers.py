"""
Queues in a file whose consumers stop, go on or hold up others wrongly, each in its own way.
"""

import logging
import signal
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from hvcore.plugin_api import (
    Lane,
    TaskId,
)
from tests.testing.queue.queue_file import LOOKS_EVERY_S, FileQueue


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
    """Delivers a message again at once after its handler has failed."""

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
