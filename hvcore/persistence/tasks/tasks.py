"""
Store the tasks of workers in the database: order, lease and finish them.

Every change of a leased task is one UPDATE that names its fence (the number of the lease), so that
a worker which lost its lease changes nothing, whatever the isolation level.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection, RowMapping

from hvcore.domain.ids import OrgId, TaskId
from hvcore.domain.tasks.kinds import PART_KINDS
from hvcore.domain.tasks.task import (
    ENDED,
    LEASE,
    Lane,
    LaneBacklog,
    NewTask,
    Task,
    TaskCount,
    TaskState,
)
from hvcore.persistence.json_columns import dump_plain
from hvcore.persistence.rows import new_task_to_row, payload_to_row, task_from_row
from hvcore.persistence.statements import insert_all_new, is_storable
from hvcore.persistence.tables import tasks as table
from hvcore.persistence.tasks.backlogs import (
    read_backlogs,
    read_counts,
    read_waiting_encode_s,
    read_waiting_for_encoder,
)
from hvcore.persistence.tasks.lane_accounts import LaneAccounts
from hvcore.persistence.tasks.windows import (
    KNOWN_LANES,
    Window,
    due_windows,
    fill_windows,
    first_of,
    ring_again,
)

MAX_RUNG_BY_A_COMMIT: Final = 64
"""Puts happen one by one after the commit; the sweep rings for the rest."""

_LEASED: Final = TaskState.LEASED.value
_DUE: Final = TaskState.DUE.value
_QUEUED: Final = TaskState.QUEUED.value
_ENDED: Final = sorted(state.value for state in ENDED)


class SqlTaskRepository:
    """Store tasks; see ports.repositories.tasks.TaskRepository."""

    def __init__(self, connection: Connection, now: Callable[[], datetime]) -> None:
        self._connection = connection
        self._now = now
        self._windows: set[Window] = set()
        self._accounts = LaneAccounts(connection)

    def settle(self, *, rings: bool) -> Sequence[Task]:
        """
        Update each organization's account of worker time in a lane, after this transaction has changed tasks.

        If wanted, tasks that are due are queued, too.

        Args:
            rings: Whether to mark due tasks as queued, as far as each organization has room in
                the queue.

        Returns:
            The tasks that are queued now, for which workers must be woken.
        """
        windows, self._windows = self._windows, set()
        if not windows:
            return []
        now, rung = self._now(), list[Task]()
        if rings:
            # Sorted: transactions that fill the same windows do so in one order.
            ordered = sorted(windows)
            rung += fill_windows(self._connection, ordered, now, MAX_RUNG_BY_A_COMMIT)
        self._accounts.settle(windows, now)
        return rung

    def add(self, tasks: Iterable[NewTask]) -> None:
        now, ordered = self._now(), list(tasks)
        rows = [new_task_to_row(task, now) for task in ordered]
        insert_all_new(self._connection, table, rows)
        for task in ordered:
            self._touch(task.org_id, task.lane.value)

    def find(self, task_id: TaskId, *, for_update: bool = False) -> Task | None:
        if not is_storable(task_id):
            return None
        statement = sa.select(table).where(table.c.id == task_id)
        found = self._select(statement.with_for_update() if for_update else statement)
        return found[0] if found else None

    def of_subject(self, subject: str, *, kind: str | None = None) -> Sequence[Task]:
        statement = sa.select(table).where(table.c.subject == subject)
        if kind is not None:
            statement = statement.where(table.c.kind == kind)
        return self._select(statement.order_by(table.c.seq))

    def of_subjects(self, subjects: Sequence[str], *, kind: str) -> Sequence[Task]:
        statement = sa.select(table).where(
            table.c.subject.in_(subjects), table.c.kind == kind
        )
        return self._select(statement.order_by(table.c.seq))

    def unended(self, subject: str, *, kind: str) -> Sequence[Task]:
        statement = sa.select(table).where(
            table.c.subject == subject,
            table.c.kind == kind,
            table.c.state.not_in(_ENDED),
        )
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

    def backlogs(self) -> Sequence[LaneBacklog]:
        return read_backlogs(self._connection, self._now())

    def counts(self) -> Sequence[TaskCount]:
        return read_counts(self._connection, self._now())

    def waiting_encode_s(self) -> float:
        return read_waiting_encode_s(self._connection)

    def waiting_for_encoder(self, org_id: OrgId, limit: int) -> Sequence[str]:
        return read_waiting_for_encoder(self._connection, org_id, limit)

    def lease(self, task_id: TaskId, *, worker: str) -> Task | None:
        return self._lease(table.c.id == task_id, self._now(), worker)

    def lease_next(
        self, lane: Lane, *, worker: str, most_percent: int, for_reserve: bool = False
    ) -> Task | None:
        now = self._now()
        for turn in self._accounts.in_order(
            lane, now, most_percent, for_reserve=for_reserve
        ):
            window = (turn.org_id, lane.value)
            seq = first_of(self._connection, window, now, subjects=turn.subjects)
            if seq is not None:
                return self._lease(table.c.seq == seq, now, worker)
            if turn.subjects is None:
                # Its account said otherwise.
                self._touch(*window)
        return None

    def lanes_with_work(self, lanes: Sequence[Lane]) -> Sequence[Lane]:
        return self._accounts.lanes_with_work(lanes, self._now())

    def charge(self, task: Task, cost_s: float) -> None:
        self._accounts.charge(task.org_id, task.lane.value, cost_s)
        self._touch(task.org_id, task.lane.value)

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
        End a leased task as failed; return False if the lease is lost.

        A task that ``take_lost`` has just returned can be ended, too: its
        fence is the newest until somebody leases it.

        Args:
            error: The reason, for operators.
        """
        is_latest = sa.and_(
            table.c.id == task.id,
            table.c.fence == task.fence,
            table.c.state.not_in(_ENDED),
        )
        return self._end(is_latest, TaskState.FAILED, error=error)

    def note(
        self, task: Task, payload: Mapping[str, object], *, progress: float | None
    ) -> bool:
        values: dict[str, Any] = {} if progress is None else {"progress": progress}
        statement = sa.update(table).where(_held(task))
        statement = statement.values(
            **payload_to_row(payload), updated_at=self._now(), **values
        )
        return self._connection.execute(statement).rowcount == 1

    def put_back(  # noqa: PLR0913 - what a task has
        self,
        task: Task,
        *,
        not_before: datetime | None = None,
        attempts: int | None = None,
        losses: int | None = None,
        payload: Mapping[str, object] | None = None,
        progress: float | None = None,
        error: str | None = None,
    ) -> bool:
        now = self._now()
        values: dict[str, Any] = {}
        if attempts is not None:
            values["attempts"] = attempts
        if losses is not None:
            values["losses"] = losses
        if payload is not None:
            values |= payload_to_row(payload)
        if progress is not None:
            values["progress"] = progress
        if error is not None:
            values["error"] = error
        changed = self._change(
            _held(task), **_freed(now), not_before=not_before or now, **values
        )
        return bool(changed)

    def hurry(self, waiting: Sequence[Task]) -> int:
        now = self._now()
        later = sa.and_(
            table.c.id.in_([task.id for task in waiting]),
            table.c.state == _DUE,
            table.c.not_before > now,
        )
        return len(self._change(later, not_before=now, updated_at=now))

    def cancel(self, subject: str, *, kinds: Sequence[str]) -> Sequence[Task]:
        return self._cancel([subject], kinds)

    def cancel_all(self, subjects: Sequence[str], *, kinds: Sequence[str]) -> int:
        """Cancel every unfinished task of the given kinds about the given subjects; return the number of cancelled tasks."""
        return len(self._cancel(subjects, kinds))

    def put_off(
        self, chosen: Sequence[int], *, not_before: datetime, error: str
    ) -> int:
        """
        Postpone waiting tasks, and take queued ones out of the queue; return the number of changed tasks.

        Args:
            chosen: The numbers (``seq``) of the tasks.
            not_before: The earliest moment at which the tasks may run.
            error: Why they wait, for operators.
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

    def rest(self, subject: str, *, kinds: Sequence[str], until: datetime) -> int:
        # One statement for all states, as in _cancel.
        unended = sa.and_(
            table.c.subject == subject,
            table.c.kind.in_(kinds),
            table.c.state.in_((_LEASED, _DUE, _QUEUED)),
        )
        now = self._now()
        leased = self._select(sa.select(table).where(unended, table.c.worker != ""))
        resting = self._change(unended, **_freed(now), not_before=until)
        for task in leased:
            self._charge_time(task, now)
        return len(resting)

    def take_lost(self, limit: int) -> Sequence[Task]:
        now = self._now()
        statement = (
            sa.select(table.c.seq)
            .where(
                table.c.state == _LEASED,
                table.c.lease_until < now,
                table.c.lane.in_(KNOWN_LANES),
            )
            .order_by(table.c.lease_until)
            .limit(limit)
            # Whoever holds the row is finishing or renewing it right now.
            .with_for_update(skip_locked=True)
        )
        lost = self._connection.execute(statement).scalars().all()
        return self._lose(table.c.seq.in_(lost), now) if lost else []

    def free_worker(self, worker: str) -> int:
        """
        Make the leased tasks of a dead worker due again; return the number of tasks.

        Each counts as a lost attempt; otherwise a file that kills its worker would be tried for
        ever.
        """
        return self._free(table.c.worker == worker)

    def free_host(self, worker_prefix: str) -> int:
        """
        Make the leased tasks of all workers of a dead host due again; return the number of tasks.

        Args:
            worker_prefix: The beginning that the names of all workers of the host share, up to
                the colon, which is included.
        """
        begins = table.c.worker.startswith(worker_prefix, autoescape=True)
        return self._free(begins)

    def to_ring(self, limit: int) -> Sequence[Task]:
        """
        Mark due tasks as queued, as far as each organization has room in the queue.

        Returns:
            The newly queued tasks, and queued tasks that no worker took for a while, at most
            ``limit`` together; the caller puts all of them into the queue.
        """
        now = self._now()
        windows = due_windows(self._connection, now)
        # None should be: an account that is wrong would hide the tasks for ever.
        self._windows.update(self._accounts.unsettled(windows, now))
        rung = list(fill_windows(self._connection, windows, now, limit))
        return [*rung, *ring_again(self._connection, now, limit - len(rung))]

    def ended_before(self, moment: datetime, limit: int) -> Sequence[int]:
        is_old = sa.and_(table.c.state.in_(_ENDED), table.c.updated_at < moment)
        old = (
            sa.select(table.c.seq)
            # Before the limit: parts that are kept would hide what follows.
            .where(is_old, sa.not_(_is_awaited(is_old)))
            .order_by(table.c.updated_at)
            .limit(limit)
        )
        return self._connection.execute(old).scalars().all()

    def forget(self, chosen: Sequence[int]) -> int:
        statement = sa.delete(table).where(
            table.c.seq.in_(chosen), table.c.state.in_(_ENDED)
        )
        return self._connection.execute(statement).rowcount if chosen else 0

    def _cancel(self, subjects: Sequence[str], kinds: Sequence[str]) -> Sequence[Task]:
        # One statement for all states: a task that is leased between two would be in
        # neither, and would go on.
        unended = sa.and_(
            table.c.subject.in_(subjects),
            table.c.kind.in_(kinds),
            table.c.state.in_((_LEASED, _DUE, _QUEUED)),
        )
        now = self._now()
        ended = self._change(
            unended,
            state=TaskState.CANCELLED.value,
            lease_until=None,
            updated_at=now,
        )
        for task in ended:
            # Only a lease names a worker.
            if task.worker:
                self._charge_time(task, now)
        return ended

    def _free(self, is_dead: sa.ColumnElement[bool]) -> int:
        held = sa.and_(table.c.state == _LEASED, is_dead)
        return len(self._lose(held, self._now()))

    def _lose(self, condition: sa.ColumnElement[bool], now: datetime) -> Sequence[Task]:
        lost = self._change(
            sa.and_(condition, table.c.state == _LEASED),
            **_freed(now),
            not_before=now,
            losses=table.c.losses + 1,
        )
        for task in lost:
            self._charge_time(task, now)
        return lost

    def _lease(
        self, condition: sa.ColumnElement[bool], now: datetime, worker: str
    ) -> Task | None:
        may_run = sa.or_(
            table.c.state == _QUEUED,
            sa.and_(table.c.state == _DUE, table.c.not_before <= now),
        )
        leased = self._change(
            sa.and_(condition, may_run),
            state=_LEASED,
            fence=table.c.fence + 1,
            leased_at=now,
            lease_until=now + LEASE,
            worker=worker,
            updated_at=now,
        )
        for task in leased:
            self._accounts.serve(task.org_id, task.lane.value)
        return leased[0] if leased else None

    def _charge_time(self, task: Task, now: datetime) -> None:
        """Charge an attempt that cannot say any more what it has cost."""
        if task.leased_at is not None:
            self.charge(task, (now - task.leased_at).total_seconds())

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
        known = (row for row in rows if row["lane"] in KNOWN_LANES)
        return [task_from_row(row) for row in sorted(known, key=_by_seq)]

    def _select(self, statement: sa.Select[tuple[object, ...]]) -> Sequence[Task]:
        rows = self._connection.execute(statement).mappings()
        return [task_from_row(row) for row in rows if row["lane"] in KNOWN_LANES]

    def _touch(self, org_id: str, lane: str) -> None:
        self._windows.add((org_id, lane))


def _held(task: Task) -> sa.ColumnElement[bool]:
    return sa.and_(
        table.c.id == task.id, table.c.fence == task.fence, table.c.state == _LEASED
    )


def _is_awaited(is_old: sa.ColumnElement[bool]) -> sa.ColumnElement[bool]:
    """
    Tell of an ended task that it is a part of a job that has not ended.

    A job is put together from what its parts have returned, however long encoders, a
    far transcoder or the storage are away in between.
    """
    is_part = sa.and_(table.c.kind.in_(PART_KINDS), table.c.job_id.is_not(None))
    # Job by job: to look for the rest of a job at each of its parts costs its square.
    jobs = sa.select(table.c.subject, table.c.job_id).where(is_old, is_part)
    old = jobs.distinct().subquery("old")
    further = table.alias("further")
    goes_on = sa.exists().where(
        further.c.subject == old.c.subject,
        further.c.job_id == old.c.job_id,
        further.c.state.not_in(_ENDED),
    )
    return sa.and_(is_part, table.c.job_id.in_(sa.select(old.c.job_id).where(goes_on)))


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
