"""
What a blow has interrupted, and how long it takes until somebody goes on.
"""

import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

import attrs
import psutil
import sqlalchemy as sa

from hvcore.assembly import Services
from hvcore.domain.tasks.kinds import PART_KINDS
from hvcore.domain.tasks.task import ENDED
from hvcore.errors import UnavailableError
from hvcore.persistence.tables import tasks

LOOKS_EVERY_S: Final = 0.25
WORKERS: Final = frozenset({"encode", "light"})
_ENDED: Final = {state.value for state in ENDED}


@attrs.define
class Debt:
    """
    An attempt that was interrupted.

    Attributes:
        since: Of the blow itself.
        last: Of the last blow that could keep others from taking it on.
    """

    fence: int
    lane: str
    kind: str
    since: float
    last: float


@attrs.frozen(kw_only=True)
class Paid:
    """
    An attempt that was followed by the next one, or by the end.
    """

    kind: str
    after_s: float
    after_last_s: float


@attrs.frozen
class FinishedPart:
    """
    What must not change any more.
    """

    fence: int
    attempts: int
    result: str


class Debts:
    """
    Looks at the tasks all the time, in a thread of its own.

    Attributes:
        redone: Parts that were done and did not stay so.
        ended: How many tasks have ended.
        hits: How often the encoder of a task was struck.
    """

    def __init__(self, services: Services) -> None:
        self._engine = services.engine
        self._open: dict[str, Debt] = {}
        self._finished: dict[str, FinishedPart] = {}
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="debts")
        self.paid: list[Paid] = []
        self.redone: list[str] = []
        self.hits: dict[str, int] = {}
        self.ended = 0

    def start(self) -> None:
        """
        Begin to look.
        """
        self._thread.start()

    def stop(self) -> None:
        """
        Look no more.
        """
        self._over.set()
        if self._thread.is_alive():
            self._thread.join()

    def owed(self) -> Mapping[str, Debt]:
        """
        Return the attempts that nobody has followed yet.
        """
        with self._lock:
            return dict(self._open)

    def struck(self, kind: str, victim: psutil.Process) -> None:
        """
        Take note of a blow, right before it falls.
        """
        now = time.monotonic()
        workers = None if kind == "up" else self._workers_of(kind, victim)
        held = self._held(workers)
        with self._lock:
            for row in held:
                if kind == "ffmpeg":
                    self.hits[row.subject] = self.hits.get(row.subject, 0) + 1
                self._open.setdefault(
                    row.id, Debt(row.fence, row.lane, row.kind, now, now)
                )
        self.touched(kind)

    def holders(self) -> set[str]:
        """
        Return the numbers of the processes that work on something.
        """
        return {str(row.worker).rpartition(":")[2] for row in self._held(None)}

    def touched(self, kind: str) -> None:
        """
        Take note that who could go on was kept from it.
        """
        now = time.monotonic()
        with self._lock:
            for debt in self._open.values():
                is_light = debt.lane != "encode"
                if kind in {"up", "sweep", "queue"} or (kind == "light") == is_light:
                    debt.last = now

    def _workers_of(self, kind: str, victim: psutil.Process) -> set[str]:
        if kind in WORKERS:
            return {str(victim.pid)}
        if kind == "ffmpeg":
            with suppress(psutil.Error):
                return {str(parent.pid) for parent in victim.parents()}
        return set()

    def _held(self, workers: set[str] | None) -> list[sa.Row[tuple[object, ...]]]:
        statement = sa.select(
            tasks.c.id,
            tasks.c.fence,
            tasks.c.lane,
            tasks.c.kind,
            tasks.c.worker,
            tasks.c.subject,
        ).where(tasks.c.state == "leased")
        with self._engine.connect() as connection:
            rows = connection.execute(statement).all()
        return [
            row
            for row in rows
            if workers is None or str(row.worker).rpartition(":")[2] in workers
        ]

    def _run(self) -> None:
        while not self._over.wait(LOOKS_EVERY_S):
            with suppress(UnavailableError, sa.exc.OperationalError):
                self._look()

    def _look(self) -> None:
        with self._engine.connect() as connection:
            rows = connection.execute(
                sa.select(
                    tasks.c.id,
                    tasks.c.kind,
                    tasks.c.state,
                    tasks.c.fence,
                    tasks.c.attempts,
                    tasks.c.result,
                )
            ).all()
        self.ended = sum(row.state in _ENDED for row in rows)
        now = time.monotonic()
        with self._lock:
            for row in rows:
                debt = self._open.get(row.id)
                # Freed and taken again, each of which raises it by one.
                if debt and (row.state in _ENDED or row.fence >= debt.fence + 2):
                    self.paid.append(
                        Paid(
                            kind=debt.kind,
                            after_s=now - debt.since,
                            after_last_s=now - debt.last,
                        )
                    )
                    del self._open[row.id]
                if row.kind in PART_KINDS:
                    self._compare(row)

    def _compare(self, row: sa.Row[tuple[object, ...]]) -> None:
        before = self._finished.get(row.id)
        if before is None:
            if row.state == "done":
                found = FinishedPart(row.fence, row.attempts, row.result)
                self._finished[row.id] = found
            return
        # An erasure of the video's personal data takes the result, and nothing else.
        result = before.result if row.result is None else row.result
        found = FinishedPart(row.fence, row.attempts, result)
        if row.state != "done" or before != found:
            self.redone.append(f"part {row.id} was done and is {row.state} now")
