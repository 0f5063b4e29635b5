"""
Build the SQL statements that read and change lane accounts (each organization's share of a task lane), once in a process.

Every change of a task runs some of these statements; building them costs more than running
them.
"""

from functools import cache
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection

from hvcore.domain.tasks.task import TaskState
from hvcore.persistence.statements import insert_into
from hvcore.persistence.tables import UtcDateTime, tasks
from hvcore.persistence.tables import lane_shares as table

_LEASED: Final = TaskState.LEASED.value
_WAITING: Final = (TaskState.DUE.value, TaskState.QUEUED.value)
# Not named as columns, which an UPDATE would set. "at" is the present moment.
_at = sa.bindparam("at", type_=UtcDateTime)
_lane: sa.BindParameter[str] = sa.bindparam("of_lane", type_=sa.Text)
_org_id: sa.BindParameter[str] = sa.bindparam("of_org", type_=sa.Text)


def _seconds(name: str) -> sa.BindParameter[float]:
    return sa.bindparam(name, type_=sa.Float)


def _first_due() -> sa.ScalarSelect[Any]:
    # Each state by itself: so it is two looks into an index, however many wait.
    firsts = [
        sa.select(
            sa.select(tasks.c.not_before)
            .where(
                tasks.c.state == state,
                tasks.c.org_id == _org_id,
                tasks.c.lane == _lane,
            )
            .order_by(tasks.c.not_before)
            .limit(1)
            .scalar_subquery()
            .label("not_before")
        )
        for state in _WAITING
    ]
    both = sa.union_all(*firsts).subquery()
    first = sa.func.min(both.c.not_before, type_=UtcDateTime)
    return sa.select(first).scalar_subquery()


def _has_running() -> sa.ColumnElement[bool]:
    return sa.exists().where(
        tasks.c.state == _LEASED, tasks.c.org_id == _org_id, tasks.c.lane == _lane
    )


def _has_due() -> sa.ColumnElement[bool]:
    return sa.or_(
        *(
            sa.exists().where(
                tasks.c.state == state,
                tasks.c.org_id == _org_id,
                tasks.c.lane == _lane,
                tasks.c.not_before <= _at,
            )
            for state in _WAITING
        )
    )


_of_lane = table.c.lane == _lane
_is_due = sa.and_(_of_lane, table.c.is_active.is_(True), table.c.due_at <= _at)
_comes = sa.and_(_of_lane, table.c.is_active.is_(False), table.c.due_at <= _at)
_mine = sa.and_(_of_lane, table.c.org_id == _org_id)

RUNNING: Final = (
    sa.select(tasks.c.org_id, sa.func.count().label("runs"))
    .where(tasks.c.state == _LEASED, tasks.c.lane == _lane)
    .group_by(tasks.c.org_id)
)
RUNNING_SUBJECTS: Final = (
    sa.select(tasks.c.org_id, tasks.c.subject, sa.func.count().label("runs"))
    .where(tasks.c.state == _LEASED, tasks.c.lane == _lane)
    .group_by(tasks.c.org_id, tasks.c.subject)
)
DUE_SUBJECTS: Final = (
    sa.select(tasks.c.org_id, tasks.c.subject)
    .where(
        tasks.c.subject.in_(sa.bindparam("subjects", expanding=True, type_=sa.Text)),
        # An expression, so that SQLite looks for the subjects, which have some tasks,
        # and not through everything that waits.
        sa.func.coalesce(tasks.c.state, "").in_(_WAITING),
        tasks.c.lane == _lane,
        tasks.c.not_before <= _at,
    )
    .distinct()
)
"""About which of some subjects a task is due."""
_waiting = sa.select(table.c.org_id, table.c.spent_s, table.c.waits_since)
LEAST_SPENT: Final = (
    _waiting.where(_is_due)
    .order_by(table.c.spent_s, table.c.waits_since)
    .limit(sa.bindparam("most", type_=sa.Integer))
)
THESE: Final = _waiting.where(
    _is_due, table.c.org_id.in_(sa.bindparam("org_ids", expanding=True))
)
DUE: Final = sa.select(table.c.org_id, table.c.lane).where(table.c.due_at <= _at)
COMES: Final = sa.select(table.c.org_id).where(_comes).limit(1)
LEAST: Final = sa.select(sa.func.min(table.c.spent_s).label("spent_s")).where(
    _of_lane, table.c.is_active.is_(True)
)
"""Of those who are there."""
MOST: Final = sa.select(sa.func.max(table.c.spent_s).label("spent_s")).where(_of_lane)
LET_IN: Final = (
    sa.update(table)
    .where(_comes)
    .values(
        is_active=True,
        waits_since=table.c.due_at,
        spent_s=sa.case(
            (table.c.spent_s < _seconds("least_s"), _seconds("least_s")),
            (table.c.spent_s > _seconds("most_s"), _seconds("most_s")),
            else_=table.c.spent_s,
        ),
    )
)
LOCK: Final = sa.select(table.c.lane).where(_mine).with_for_update()

_there = table.alias()
_least = (
    sa.select(sa.func.min(_there.c.spent_s))
    .where(_there.c.lane == _lane, _there.c.is_active.is_(True))
    .scalar_subquery()
)
_after_s = table.c.spent_s + _seconds("cost_s")
_most_s = _least + _seconds("debt_s")
SETTLE: Final = (
    sa.update(table)
    .where(_mine)
    .values(
        due_at=_first_due(),
        is_active=sa.and_(table.c.is_active, sa.or_(_has_running(), _has_due())),
        spent_s=sa.case(
            (_after_s <= _most_s, _after_s),
            (table.c.spent_s < _most_s, _most_s),
            # More than that it owes already; or nobody is there.
            else_=sa.case((_least.is_(None), _after_s), else_=table.c.spent_s),
        ),
        waits_since=sa.case(
            (sa.bindparam("is_served", type_=sa.Boolean), _at),
            else_=table.c.waits_since,
        ),
    )
)


@cache
def with_work(lanes: tuple[str, ...]) -> sa.Executable:
    """Return the statement that reads, for each of the given lanes, whether the lane has a due task."""
    return sa.select(
        *(
            sa.exists().where(
                table.c.lane == lane,
                # Both: so that the index knows.
                table.c.is_active.in_((True, False)),
                table.c.due_at <= _at,
            )
            for lane in lanes
        )
    )


def new_account(connection: Connection) -> postgresql.Insert | sqlite.Insert:
    """Return the statement that inserts an organization's account of a lane, unless the account exists."""
    return (
        insert_into(connection, table)
        .values(
            lane=_lane, org_id=_org_id, spent_s=0.0, is_active=False, waits_since=_at
        )
        .on_conflict_do_nothing()
    )
