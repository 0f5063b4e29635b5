"""
How much waits in each lane, and what failed there.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import attrs
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from hvcore.domain.tasks.task import Lane, LaneBacklog, TaskState
from hvcore.persistence.tables import tasks as table

_COUNTED: Final = (
    TaskState.DUE,
    TaskState.QUEUED,
    TaskState.LEASED,
    TaskState.FAILED,
)
_LATER: Final = "later"


def read_backlogs(connection: Connection, now: datetime) -> Sequence[LaneBacklog]:
    """
    Return the backlog of every lane, in their order.
    """
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


def _backlog(lane: Lane, values: Mapping[str, Any]) -> LaneBacklog:
    return attrs.evolve(LaneBacklog(lane=lane), **values)
