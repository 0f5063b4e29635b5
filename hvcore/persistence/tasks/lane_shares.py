"""
The accounts by which a lane is shared between organizations.

A row says what waits for an organization and what was spent on it. It is brought
up to date in the transaction that changes the tasks, as the last thing but totals;
so whoever takes a task needs not look at all that wait.
"""

import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from hvcore.domain.ids import OrgId
from hvcore.domain.tasks.fair_order import (
    MAX_DEBT_S,
    USUAL_WEIGHT,
    Waiting,
    fair_order,
)
from hvcore.domain.tasks.task import FAIR_LANES, Lane, TaskState
from hvcore.persistence.statements import insert_into
from hvcore.persistence.tables import UtcDateTime, tasks
from hvcore.persistence.tables import lane_shares as table
from hvcore.persistence.tasks.windows import Window

MOST_ASKED: Final = 16
"""Organizations that one worker asks for a task, should the first ones have none."""

# With the number of a lane it is one that nothing else of the database uses.
_LOCK_NUMBER: Final = 0x6876_6C61
_FAIR: Final = frozenset(lane.value for lane in FAIR_LANES)
_LEASED: Final = TaskState.LEASED.value
_WAITING: Final = (TaskState.DUE.value, TaskState.QUEUED.value)


def weights_of(_connection: Connection, org_ids: Iterable[str]) -> Mapping[str, float]:
    """
    Return for how many usual organizations each of them counts.
    """
    return dict.fromkeys(org_ids, USUAL_WEIGHT)


class LaneShares:
    """
    The accounts, as one transaction sees and changes them.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._costs_s: dict[Window, float] = {}
        self._served: set[Window] = set()

    def charge(self, org_id: str, lane: str, cost_s: float) -> None:
        """
        Take note of what was spent on an organization.
        """
        window = (org_id, lane)
        self._costs_s[window] = self._costs_s.get(window, 0.0) + max(cost_s, 0.0)
        self._served.add(window)

    def serve(self, org_id: str, lane: str) -> None:
        """
        Take note that a task of an organization was taken.
        """
        self._served.add((org_id, lane))

    def lanes_with_work(self, lanes: Sequence[Lane], now: datetime) -> Sequence[Lane]:
        """
        Return the lanes in which something is due; a look that locks nothing.
        """
        has_work = [
            sa.exists().where(
                table.c.lane == lane.value,
                table.c.is_active.in_((True, False)),
                table.c.due_at <= now,
            )
            for lane in lanes
        ]
        found = self._connection.execute(sa.select(*has_work)).one()
        return [lane for lane, has in zip(lanes, found, strict=True) if has]

    def in_order(self, lane: Lane, now: datetime, most_percent: int) -> Sequence[OrgId]:
        """
        Return who is to be served first, second and so on.

        Until the transaction ends nobody else takes a task of this lane.
        """
        self._lock(lane)
        self._let_in(lane, now)
        running = self._running(lane)
        first = self._least_spent(lane, now, len(running) + MOST_ASKED)
        found = {row.org_id: row for row in (*first, *self._of(lane, now, running))}
        weights = weights_of(self._connection, found)
        waiting = [
            Waiting(
                org_id=OrgId(org_id),
                runs=running.get(org_id, 0),
                spent_s=row.spent_s,
                waits_since=row.waits_since,
                weight=weights[org_id],
            )
            for org_id, row in found.items()
        ]
        # Whoever waits while others have nothing to do would be served: all
        # workers but the one that asks are busy, or about to ask.
        workers = sum(running.values()) + 1
        ordered = fair_order(waiting, workers=workers, most_percent=most_percent)
        return [one.org_id for one in ordered[:MOST_ASKED]]

    def settle(self, windows: Collection[Window], now: datetime) -> None:
        """
        Bring the accounts up to date with the tasks that were changed.

        Called right before the commit; the rows stay locked until then.
        """
        touched = {window for window in windows if window[1] in _FAIR}
        changed = touched | {w for w in self._served if w[1] in _FAIR}
        # Sorted: transactions that settle the same accounts do so in one order.
        for window in sorted(changed):
            self._settle(window, now)
        self._costs_s, self._served = {}, set()

    def unsettled(self, windows: Collection[Window], now: datetime) -> list[Window]:
        """
        Return those of some windows, where tasks are due, that do not say so.
        """
        said = sa.select(table.c.org_id, table.c.lane).where(table.c.due_at <= now)
        known = {(org_id, lane) for org_id, lane in self._connection.execute(said)}
        return [w for w in windows if w[1] in _FAIR and w not in known]

    def _lock(self, lane: Lane) -> None:
        # On SQLite a writer is alone anyhow. Two that choose at once would both
        # serve the same organization.
        if self._connection.dialect.name == "postgresql":
            number = zlib.crc32(lane.value.encode()) >> 1
            self._connection.execute(
                sa.select(sa.func.pg_advisory_xact_lock(_LOCK_NUMBER, number))
            )

    def _let_in(self, lane: Lane, now: datetime) -> None:
        """
        Give a place to those who come: nobody saves up credit while idle.
        """
        comes = sa.and_(
            table.c.lane == lane.value,
            table.c.is_active.is_(False),
            table.c.due_at <= now,
        )
        first = sa.select(table.c.org_id).where(comes).limit(1)
        if self._connection.execute(first).first() is None:
            return
        least_s = self._least_s(lane.value)
        spent_s = sa.case(
            (table.c.spent_s < least_s, least_s),
            (table.c.spent_s > least_s + MAX_DEBT_S, least_s + MAX_DEBT_S),
            else_=table.c.spent_s,
        )
        self._connection.execute(
            sa.update(table)
            .where(comes)
            .values(is_active=True, waits_since=table.c.due_at, spent_s=spent_s)
        )

    def _least_s(self, lane: str) -> float:
        """
        Return the least that was spent on anybody who is there.
        """
        of_lane = table.c.lane == lane
        least = sa.select(sa.func.min(table.c.spent_s)).where(
            of_lane, table.c.is_active.is_(True)
        )
        found: float | None = self._connection.execute(least).scalar_one()
        if found is None:
            # Nobody is there: whoever comes now owes nothing for times in which
            # there was enough for all.
            most = sa.select(sa.func.max(table.c.spent_s)).where(of_lane)
            found = self._connection.execute(most).scalar_one()
        return found or 0.0

    def _running(self, lane: Lane) -> Mapping[str, int]:
        statement = (
            sa.select(tasks.c.org_id, sa.func.count().label("runs"))
            .where(tasks.c.state == _LEASED, tasks.c.lane == lane.value)
            .group_by(tasks.c.org_id)
        )
        rows = self._connection.execute(statement)
        return {row.org_id: row.runs for row in rows}

    def _least_spent(
        self, lane: Lane, now: datetime, limit: int
    ) -> Sequence[sa.Row[Any]]:
        statement = (
            _waiting(lane, now)
            .order_by(table.c.spent_s, table.c.waits_since)
            .limit(limit)
        )
        return self._connection.execute(statement).all()

    def _of(
        self, lane: Lane, now: datetime, org_ids: Collection[str]
    ) -> Sequence[sa.Row[Any]]:
        if not org_ids:
            return ()
        statement = _waiting(lane, now).where(table.c.org_id.in_(org_ids))
        return self._connection.execute(statement).all()

    def _settle(self, window: Window, now: datetime) -> None:
        org_id, lane = window
        new = insert_into(self._connection, table).values(
            lane=lane, org_id=org_id, spent_s=0.0, is_active=False, waits_since=now
        )
        # Locks the row. The next statement sees what others have committed until
        # then; who changes tasks of this organization later waits for us.
        locked = new.on_conflict_do_update(
            index_elements=[table.c.lane, table.c.org_id],
            set_={"lane": new.excluded.lane},
        ).returning(table)
        before = self._connection.execute(locked).mappings().one()
        due_at, has_running = self._connection.execute(
            sa.select(_first_due(org_id, lane), _has_running(org_id, lane))
        ).one()
        is_there = has_running or (due_at is not None and due_at <= now)
        after = {
            "spent_s": self._spent_s(window, before["spent_s"]),
            "due_at": due_at,
            "is_active": before["is_active"] and is_there,
            "waits_since": now if window in self._served else before["waits_since"],
        }
        if any(before[name] != value for name, value in after.items()):
            mine = sa.and_(table.c.lane == lane, table.c.org_id == org_id)
            self._connection.execute(sa.update(table).where(mine).values(**after))

    def _spent_s(self, window: Window, before_s: float) -> float:
        if window not in self._costs_s:
            return before_s
        org_id, lane = window
        weight = weights_of(self._connection, [org_id])[org_id]
        after_s = before_s + self._costs_s[window] / weight
        return max(before_s, min(after_s, self._least_s(lane) + MAX_DEBT_S))


def _waiting(lane: Lane, now: datetime) -> sa.Select[Any]:
    return sa.select(table.c.org_id, table.c.spent_s, table.c.waits_since).where(
        table.c.lane == lane.value,
        table.c.is_active.is_(True),
        table.c.due_at <= now,
    )


def _first_due(org_id: str, lane: str) -> sa.ScalarSelect[Any]:
    # Each state by itself: so it is two looks into an index, however many wait.
    firsts = [
        sa.select(
            sa.select(tasks.c.not_before)
            .where(
                tasks.c.state == state,
                tasks.c.org_id == org_id,
                tasks.c.lane == lane,
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


def _has_running(org_id: str, lane: str) -> sa.ColumnElement[bool]:
    return sa.exists().where(
        tasks.c.state == _LEASED, tasks.c.org_id == org_id, tasks.c.lane == lane
    )
