"""
Choose the due tasks that go into the queue, a window for each organization and lane.

The queue is a plain FIFO, in which no organization has more than QUEUE_WINDOW tasks
of a lane. For outbound tasks that makes it fair; of other lanes it only wakes workers.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from hvcore.domain.tasks.task import (
    QUEUE_WINDOW,
    RINGS_AGAIN_AFTER,
    Lane,
    Task,
    TaskState,
)
from hvcore.persistence.rows import task_from_row
from hvcore.persistence.tables import UtcDateTime, tasks

KNOWN_LANES: Final = sorted(lane.value for lane in Lane)
"""While versions change, those of newer ones are left to their sweep and workers."""

Window = tuple[str, str]
"""An organization and a lane."""

# Made once: every change of a task runs them.
_IN_QUEUE: Final = (
    sa.select(tasks.c.org_id, tasks.c.lane, sa.func.count().label("number"))
    .where(
        tasks.c.state == TaskState.QUEUED.value,
        tasks.c.org_id.in_(sa.bindparam("org_ids", expanding=True)),
    )
    .group_by(tasks.c.org_id, tasks.c.lane)
)
_FIRST: Final = (
    sa.select(tasks.c.seq, tasks.c.not_before)
    .where(
        tasks.c.state == sa.bindparam("of_state", type_=sa.Text),
        tasks.c.org_id == sa.bindparam("of_org", type_=sa.Text),
        tasks.c.lane == sa.bindparam("of_lane", type_=sa.Text),
        tasks.c.not_before <= sa.bindparam("at", type_=UtcDateTime),
    )
    .order_by(tasks.c.not_before, tasks.c.seq)
    .limit(sa.bindparam("most", type_=sa.Integer))
    # A transaction that holds one is marking, taking or ending it right now.
    .with_for_update(skip_locked=True)
)

_FIRST_ABOUT: Final = _FIRST.where(
    tasks.c.subject.in_(sa.bindparam("subjects", expanding=True, type_=sa.Text))
)


def fill_windows(
    connection: Connection, windows: Sequence[Window], now: datetime, limit: int
) -> Sequence[Task]:
    """
    Mark the tasks that are due first as queued, as far as the windows have room.

    Args:
        windows: The windows (an organization in a lane), filled in this order.

    Returns:
        The tasks that are queued now, for which workers must be woken; at most ``limit``.
    """
    if not windows:
        return []
    waiting = _waiting(connection, windows)
    chosen: list[int] = []
    for window in windows:
        if len(chosen) >= limit:
            break
        room = min(QUEUE_WINDOW - waiting.get(window, 0), limit - len(chosen))
        if room > 0:
            chosen += [row.seq for row in _first(connection, window, now, room)]
    return _update(connection, chosen, {"state": TaskState.QUEUED.value}, now)


def first_of(
    connection: Connection,
    window: Window,
    now: datetime,
    *,
    subjects: Collection[str] | None = None,
) -> int | None:
    """
    Return the number (``seq``) of the task of a window that is to run next; None if there is none.

    Args:
        subjects: The subjects that the task may have; None allows every subject.
    """
    queued = _first(connection, window, now, 1, TaskState.QUEUED, subjects=subjects)
    both = [*queued, *_first(connection, window, now, 1, subjects=subjects)]
    ordered = sorted(both, key=lambda row: (row.not_before, row.seq))
    return ordered[0].seq if ordered else None


def due_windows(connection: Connection, now: datetime) -> Sequence[Window]:
    """Return the windows (an organization in a lane) that have due tasks, the longest wait first."""
    statement = (
        sa.select(tasks.c.org_id, tasks.c.lane)
        .where(
            tasks.c.state == TaskState.DUE.value,
            tasks.c.not_before <= now,
            tasks.c.lane.in_(KNOWN_LANES),
        )
        .group_by(tasks.c.org_id, tasks.c.lane)
        .order_by(sa.func.min(tasks.c.not_before))
    )
    return [(org_id, lane) for org_id, lane in connection.execute(statement)]


def ring_again(connection: Connection, now: datetime, limit: int) -> Sequence[Task]:
    """Return at most ``limit`` queued tasks that no worker took for a while, and record that they are put into the queue again."""
    statement = (
        sa.select(tasks.c.seq)
        .where(
            tasks.c.state == TaskState.QUEUED.value,
            tasks.c.updated_at < now - RINGS_AGAIN_AFTER,
            tasks.c.lane.in_(KNOWN_LANES),
        )
        .order_by(tasks.c.updated_at, tasks.c.seq)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    chosen = connection.execute(statement).scalars().all()
    return _update(connection, chosen, {}, now)


def _waiting(connection: Connection, windows: Sequence[Window]) -> dict[Window, int]:
    org_ids = {org_id for org_id, _ in windows}
    rows = connection.execute(_IN_QUEUE, {"org_ids": list(org_ids)})
    return {(row.org_id, row.lane): row.number for row in rows}


def _first(  # noqa: PLR0913 - a place in an order
    connection: Connection,
    window: Window,
    now: datetime,
    limit: int,
    state: TaskState = TaskState.DUE,
    *,
    subjects: Collection[str] | None = None,
) -> Sequence[Any]:
    org_id, lane = window
    values: dict[str, object] = {
        "of_state": state.value,
        "of_org": org_id,
        "of_lane": lane,
        "at": now,
        "most": limit,
    }
    if subjects is None:
        return connection.execute(_FIRST, values).all()
    return connection.execute(
        _FIRST_ABOUT, {**values, "subjects": list(subjects)}
    ).all()


def _update(
    connection: Connection,
    chosen: Sequence[int],
    values: dict[str, Any],
    now: datetime,
) -> Sequence[Task]:
    if not chosen:
        return []
    statement = (
        sa.update(tasks)
        .where(tasks.c.seq.in_(chosen))
        .values(updated_at=now, **values)
        .returning(*tasks.c)
    )
    rows = connection.execute(statement).mappings().all()
    # RETURNING promises no order.
    by_due = sorted(rows, key=lambda row: (row["not_before"], row["seq"]))
    return [task_from_row(row) for row in by_due]
