"""Count the backlog of each task lane: waiting tasks and failed ones."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import attrs
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from hvcore.domain.ids import OrgId
from hvcore.domain.tasks.kinds import TRANSCODE_KINDS, TRANSCODE_PLAN
from hvcore.domain.tasks.task import Lane, LaneBacklog, TaskCount, TaskState
from hvcore.persistence.tables import tasks as table
from hvcore.persistence.tables import transcode_jobs

UNKNOWN_S: Final = 60.0
"""Of a video that is not planned yet, where none was made lately."""
LATEST_TASKS: Final = 1_000
"""Of all kinds, of which those with a job say how long videos are: as many as an index gives
in a millisecond."""
_COUNTED: Final = (
    TaskState.DUE,
    TaskState.QUEUED,
    TaskState.LEASED,
    TaskState.FAILED,
)
_LATER: Final = "later"
_WAITING: Final = (TaskState.DUE.value, TaskState.QUEUED.value)


def read_backlogs(connection: Connection, now: datetime) -> Sequence[LaneBacklog]:
    """Return the backlog of every task lane, in the order of the lanes."""
    is_later = sa.and_(table.c.state == TaskState.DUE.value, table.c.not_before > now)
    name = sa.case((is_later, _LATER), else_=table.c.state).label("name")
    statement = (
        sa.select(
            table.c.lane,
            name,
            sa.func.count().label("count"),
            sa.func.min(table.c.not_before).label("oldest"),
        )
        .where(table.c.state.in_([state.value for state in _COUNTED]))
        .group_by(table.c.lane, name)
    )
    counts: dict[str, dict[str, Any]] = {lane.value: {} for lane in Lane}
    for row in connection.execute(statement).mappings():
        found = counts.setdefault(row["lane"], {})
        found[row["name"]] = row["count"]
        if row["name"] == TaskState.DUE.value:
            found["oldest_due_at"] = row["oldest"]
    return [_backlog(lane, counts[lane.value]) for lane in Lane]


def read_counts(connection: Connection, now: datetime) -> Sequence[TaskCount]:
    """Return the number of unended tasks and of failed tasks, for each lane and kind of task."""
    is_later = sa.case((table.c.not_before > now, 1), else_=0).label("is_later")
    places = (table.c.lane, table.c.kind, table.c.state, is_later)
    statement = (
        sa.select(
            *places,
            sa.func.count().label("count"),
            sa.func.min(table.c.not_before).label("oldest_due_at"),
        )
        .where(table.c.state.in_([state.value for state in _COUNTED]))
        .group_by(*places)
    )
    rows = connection.execute(statement).mappings()
    return [TaskCount(**{**row, "is_later": bool(row["is_later"])}) for row in rows]


def read_waiting_encode_s(connection: Connection) -> float:
    """
    Return the total length of source video, in seconds, that waits in the encode lane.

    A part counts for its share of the work of its job. A video that is not planned yet
    counts as the average length of the videos made last.
    """
    seconds = sa.func.sum(table.c.weight * transcode_jobs.c.duration_s)
    statement = (
        sa.select(seconds)
        .join(transcode_jobs, transcode_jobs.c.id == table.c.job_id)
        .where(table.c.lane == Lane.ENCODE.value, table.c.state.in_(_WAITING))
    )
    planned_s = float(connection.execute(statement).scalar_one() or 0.0)
    unplanned = sa.select(sa.func.count()).where(
        table.c.kind == TRANSCODE_PLAN,
        # Planning takes a moment, and its parts follow: the number is not to fall.
        table.c.state.in_((*_WAITING, TaskState.LEASED.value)),
    )
    count = connection.execute(unplanned).scalar_one()
    return planned_s + (count * _typical_s(connection) if count else 0.0)


def _typical_s(connection: Connection) -> float:
    latest = (
        sa.select(table.c.job_id)
        .where(table.c.state == TaskState.DONE.value)
        .order_by(table.c.updated_at.desc())
        .limit(LATEST_TASKS)
        .subquery("latest")
    )
    mean_s = sa.select(sa.func.avg(transcode_jobs.c.duration_s)).where(
        transcode_jobs.c.id.in_(sa.select(latest.c.job_id)),
        transcode_jobs.c.duration_s > 0,
    )
    return float(connection.execute(mean_s).scalar_one() or UNKNOWN_S)


def _backlog(lane: Lane, values: Mapping[str, Any]) -> LaneBacklog:
    return attrs.evolve(LaneBacklog(lane=lane), **values)


def read_waiting_for_encoder(
    connection: Connection, org_id: OrgId, limit: int
) -> Sequence[str]:
    """Return the ids of an organization's videos that wait for an encoder, at most ``limit``; see TaskRepository.waiting_for_encoder."""
    at_work = sa.select(table.c.subject).where(
        table.c.state == TaskState.LEASED.value,
        table.c.org_id == org_id,
        table.c.kind.in_(TRANSCODE_KINDS),
    )
    taken = set(connection.execute(at_work).scalars())
    found: dict[str, None] = {}
    # Parts first: a video that is not planned yet has none before those that are.
    for lane in (Lane.ENCODE, Lane.PLAN):
        waiting: list[tuple[datetime, int, str]] = []
        for state in (TaskState.QUEUED, TaskState.DUE):
            statement = (
                sa.select(table.c.not_before, table.c.seq, table.c.subject)
                .where(
                    table.c.state == state.value,
                    table.c.org_id == org_id,
                    table.c.lane == lane.value,
                    table.c.kind.in_(TRANSCODE_KINDS),
                )
                .order_by(table.c.not_before, table.c.seq)
                .limit(limit)
            )
            waiting += [tuple(row) for row in connection.execute(statement)]
        found |= dict.fromkeys(subject for _at, _seq, subject in sorted(waiting))
    return [subject for subject in found if subject not in taken]
