"""
The tasks: ordering, leasing, finishing.

Every change of a leased task is one UPDATE that names its fence, so that a
worker which lost its lease changes nothing, whatever the isolation level.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection, RowMapping

from hvcore.domain.ids import OrgId, TaskId
from hvcore.domain.tasks.task import ENDED, LEASE, NewTask, Task, TaskState
from hvcore.persistence.json_columns import dump_plain
from hvcore.persistence.rows import new_task_to_row, payload_to_row, task_from_row
from hvcore.persistence.statements import insert_all_new, is_storable
from hvcore.persistence.tables import tasks as table
from hvcore.persistence.tasks.windows import (
    Window,
    due_windows,
    fill_windows,
    ring_again,
)

MAX_RUNG_BY_A_COMMIT: Final = 64
"""Puts happen one by one after the commit; the sweep rings for the rest."""

_LEASED: Final = TaskState.LEASED.value
_DUE: Final = TaskState.DUE.value
_QUEUED: Final = TaskState.QUEUED.value
_ENDED: Final = sorted(state.value for state in ENDED)


class SqlTaskRepository:
    """
    Tasks in the database; see ports.unit_of_work.Tasks.
    """

    def __init__(self, connection: Connection, now: Callable[[], datetime]) -> None:
        self._connection = connection
        self._now = now
        self._windows: set[Window] = set()

    def fill_windows(self) -> Sequence[Task]:
        """
        Mark due tasks as queued where this transaction added or freed some.
        """
        windows, self._windows = self._windows, set()
        if not windows:
            return []
        return fill_windows(
            self._connection, windows, self._now(), MAX_RUNG_BY_A_COMMIT
        )

    def add(self, tasks: Iterable[NewTask]) -> None:
        now, ordered = self._now(), list(tasks)
        rows = [new_task_to_row(task, now) for task in ordered]
        insert_all_new(self._connection, table, rows)
        for task in ordered:
            self._touch(task.org_id, task.lane.value)

    def find(self, task_id: TaskId) -> Task | None:
        if not is_storable(task_id):
            return None
        found = self._select(sa.select(table).where(table.c.id == task_id))
        return found[0] if found else None

    def of_subject(self, subject: str, *, kind: str | None = None) -> Sequence[Task]:
        statement = sa.select(table).where(table.c.subject == subject)
        if kind is not None:
            statement = statement.where(table.c.kind == kind)
        return self._select(statement.order_by(table.c.seq))

    def search(
        self,
        *,
        state: TaskState | None = None,
        org_id: OrgId | None = None,
        subject: str | None = None,
        kind: str | None = None,
        limit: int = 100,
    ) -> Sequence[Task]:
        statement = sa.select(table)
        if state is not None:
            statement = statement.where(table.c.state == state.value)
        if org_id is not None:
            statement = statement.where(table.c.org_id == org_id)
        if subject is not None:
            statement = statement.where(table.c.subject == subject)
        if kind is not None:
            statement = statement.where(table.c.kind == kind)
        order = (table.c.updated_at.desc(), table.c.seq.desc())
        return self._select(statement.order_by(*order).limit(limit))

    def lease(self, task_id: TaskId, *, worker: str) -> Task | None:
        now = self._now()
        may_run = sa.or_(
            table.c.state == _QUEUED,
            sa.and_(table.c.state == _DUE, table.c.not_before <= now),
        )
        leased = self._change(
            sa.and_(table.c.id == task_id, may_run),
            state=_LEASED,
            fence=table.c.fence + 1,
            lease_until=now + LEASE,
            worker=worker,
            updated_at=now,
        )
        return leased[0] if leased else None

    def renew(self, task: Task, *, progress: float | None) -> bool:
        now = self._now()
        values: dict[str, Any] = {} if progress is None else {"progress": progress}
        statement = (
            sa.update(table)
            .where(_held(task))
            .values(lease_until=now + LEASE, updated_at=now, **values)
        )
        return self._connection.execute(statement).rowcount == 1

    def finish(self, task: Task, *, result: Mapping[str, object] | None = None) -> bool:
        return self._end(
            _held(task),
            TaskState.DONE,
            progress=1.0,
            # Why it had to wait or be tried again says nothing any more.
            error="",
            result=None if result is None else dump_plain(result),
        )

    def fail(self, task: Task, *, error: str) -> bool:
        """
        End a leased task as failed; False if the lease is lost.

        A task that ``take_lost`` has just returned can be ended, too: its
        fence is the newest until somebody leases it.
        """
        is_latest = sa.and_(
            table.c.id == task.id,
            table.c.fence == task.fence,
            table.c.state.not_in(_ENDED),
        )
        return self._end(is_latest, TaskState.FAILED, error=error)

    def put_back(
        self,
        task: Task,
        *,
        not_before: datetime | None = None,
        attempts: int | None = None,
        payload: Mapping[str, object] | None = None,
        error: str | None = None,
    ) -> bool:
        now = self._now()
        values: dict[str, Any] = {}
        if attempts is not None:
            values["attempts"] = attempts
        if payload is not None:
            values |= payload_to_row(payload)
        if error is not None:
            values["error"] = error
        changed = self._change(
            _held(task), **_freed(now), not_before=not_before or now, **values
        )
        return bool(changed)

    def cancel(self, subject: str, *, kinds: Sequence[str]) -> int:
        return self.cancel_all([subject], kinds=kinds)

    def cancel_all(self, subjects: Sequence[str], *, kinds: Sequence[str]) -> int:
        """
        End every unfinished task of these kinds about one of many things.
        """
        unfinished = sa.and_(
            table.c.subject.in_(subjects),
            table.c.kind.in_(kinds),
            table.c.state.not_in(_ENDED),
        )
        now = self._now()
        changed = self._change(
            unfinished,
            state=TaskState.CANCELLED.value,
            lease_until=None,
            updated_at=now,
        )
        return len(changed)

    def put_off(
        self, chosen: Sequence[int], *, not_before: datetime, error: str
    ) -> int:
        """
        Have waiting tasks wait for longer; those in the queue leave it.

        Args:
            chosen: Their ``seq``.
        """
        waiting = sa.and_(table.c.seq.in_(chosen), table.c.state.in_((_DUE, _QUEUED)))
        changed = self._change(
            waiting,
            state=_DUE,
            not_before=not_before,
            updated_at=self._now(),
            error=error,
        )
        return len(changed)

    def take_lost(self, limit: int) -> Sequence[Task]:
        now = self._now()
        statement = (
            sa.select(table.c.seq)
            .where(table.c.state == _LEASED, table.c.lease_until < now)
            .order_by(table.c.lease_until)
            .limit(limit)
            # Whoever holds the row is finishing or renewing it right now.
            .with_for_update(skip_locked=True)
        )
        lost = self._connection.execute(statement).scalars().all()
        return self._lose(table.c.seq.in_(lost), now) if lost else []

    def free_worker(self, worker_prefix: str) -> int:
        """
        Make the tasks of workers that are known to be dead due again.

        Counts as a loss too, or a file that kills its worker runs for ever.
        """
        held = sa.and_(
            table.c.state == _LEASED,
            table.c.worker.startswith(worker_prefix, autoescape=True),
        )
        return len(self._lose(held, self._now()))

    def to_ring(self, limit: int) -> Sequence[Task]:
        """
        Mark due tasks as queued, within each organization's window.

        Returns:
            Those, and queued ones that nobody took; the caller puts them into
            the queue.
        """
        now = self._now()
        rung: list[Task] = []
        for window in due_windows(self._connection, now):
            if len(rung) >= limit:
                return rung
            room = limit - len(rung)
            rung += fill_windows(self._connection, [window], now, room)
        return [*rung, *ring_again(self._connection, now, limit - len(rung))]

    def forget_ended(self, before: datetime, limit: int) -> int:
        old = (
            sa.select(table.c.seq)
            .where(table.c.state.in_(_ENDED), table.c.updated_at < before)
            .order_by(table.c.updated_at)
            .limit(limit)
        )
        chosen = self._connection.execute(old).scalars().all()
        statement = sa.delete(table).where(table.c.seq.in_(chosen))
        return self._connection.execute(statement).rowcount if chosen else 0

    def _lose(self, condition: sa.ColumnElement[bool], now: datetime) -> Sequence[Task]:
        return self._change(
            sa.and_(condition, table.c.state == _LEASED),
            **_freed(now),
            not_before=now,
            losses=table.c.losses + 1,
        )

    def _end(
        self, condition: sa.ColumnElement[bool], state: TaskState, **values: object
    ) -> bool:
        changed = self._change(
            condition,
            state=state.value,
            lease_until=None,
            updated_at=self._now(),
            **values,
        )
        return bool(changed)

    def _change(
        self, condition: sa.ColumnElement[bool], **values: object
    ) -> Sequence[Task]:
        statement = sa.update(table).where(condition).values(**values)
        rows = self._connection.execute(statement.returning(*table.c)).mappings().all()
        for row in rows:
            self._touch(row["org_id"], row["lane"])
        return [task_from_row(row) for row in sorted(rows, key=_by_seq)]

    def _select(self, statement: sa.Select[tuple[object, ...]]) -> Sequence[Task]:
        return [
            task_from_row(r) for r in self._connection.execute(statement).mappings()
        ]

    def _touch(self, org_id: str, lane: str) -> None:
        self._windows.add((org_id, lane))


def _held(task: Task) -> sa.ColumnElement[bool]:
    return sa.and_(
        table.c.id == task.id, table.c.fence == task.fence, table.c.state == _LEASED
    )


def _freed(now: datetime) -> dict[str, Any]:
    # A new fence: whoever held the task until now can no longer end it.
    return {
        "state": _DUE,
        "fence": table.c.fence + 1,
        "lease_until": None,
        "worker": "",
        "updated_at": now,
    }


def _by_seq(row: RowMapping) -> int:
    seq: int = row["seq"]
    return seq
