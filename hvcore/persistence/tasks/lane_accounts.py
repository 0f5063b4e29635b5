"""
Keep the accounts by which a task lane is shared between organizations.

An account is a row for an organization and a lane. It says when the organization's next
task is due, and how much worker time was spent on it. It is updated in the transaction
that changes the tasks, last but for the totals. So a worker that takes a task need not
look at all waiting tasks.
"""

import zlib
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import attrs
from sqlalchemy.engine import Connection

from hvcore.domain.access.quotas import EncodingWeight
from hvcore.domain.ids import OrgId
from hvcore.domain.tasks.fair_order import (
    MAX_DEBT_S,
    Waiting,
    fair_order,
    newcomers,
)
from hvcore.domain.tasks.task import FAIR_LANES, Lane
from hvcore.persistence.access.quotas import encoding_weights
from hvcore.persistence.tasks import lane_account_statements as sql
from hvcore.persistence.tasks.windows import Window

MOST_ASKED: Final = 16
"""Organizations that one worker asks for a task, should the first ones have none."""

# With the number of a lane it is one that nothing else of the database uses.
_LOCK_NUMBER: Final = 0x6876_6C61
_FAIR: Final = frozenset(lane.value for lane in FAIR_LANES)


def weights_of(connection: Connection, org_ids: Collection[str]) -> Mapping[str, float]:
    """Return the encoding weight of each organization by id; one with 2.0 gets twice the encoders of a usual one."""
    weights = encoding_weights(connection, org_ids)
    return {org_id: weight.weight for org_id, weight in weights.items()}


@attrs.frozen(kw_only=True)
class Turn:
    """
    An organization whose turn it is in a lane: a worker may take one of its tasks.

    Attributes:
        subjects: The subjects (ids of videos, jobs, …) of the tasks that may be taken;
            None allows every subject.
    """

    org_id: OrgId
    subjects: Collection[str] | None


class LaneAccounts:
    """Read and change the lane accounts (each organization's due time and spent worker time) within one transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._costs_s: dict[Window, float] = {}
        self._served_windows: set[Window] = set()

    def charge(self, org_id: str, lane: str, cost_s: float) -> None:
        """Charge worker time to an organization's account of a lane; ``settle`` writes it."""
        window = (org_id, lane)
        self._costs_s[window] = self._costs_s.get(window, 0.0) + max(cost_s, 0.0)
        self._served_windows.add(window)

    def serve(self, org_id: str, lane: str) -> None:
        """Note that a worker has taken a task of an organization in a lane; ``settle`` writes it."""
        self._served_windows.add((org_id, lane))

    def lanes_with_work(self, lanes: Sequence[Lane], now: datetime) -> Sequence[Lane]:
        """Return the lanes in which a task is due; locks nothing."""
        names = tuple(lane.value for lane in lanes)
        found = self._connection.execute(sql.with_work(names), {"at": now}).one()
        return [lane for lane, has in zip(lanes, found, strict=True) if has]

    def in_order(
        self, lane: Lane, now: datetime, most_percent: int, *, for_reserve: bool
    ) -> Sequence[Turn]:
        """
        Lock a lane, and return its organizations in the order in which workers serve them.

        Until the transaction ends nobody else takes a task of this lane. Organizations none of
        whose tasks may be taken now are left out.

        Args:
            most_percent: The percentage of the lane's workers that one organization may have
                while others wait.
            for_reserve: True if a worker asks that is kept free for organizations without a
                running task. Only these are returned then, and only while another organization
                has a running task.
        """
        self._lock(lane)
        self._let_in(lane, now)
        running = self._running(lane)
        if for_reserve and not running:
            return []
        limit = len(running) + MOST_ASKED
        rows = self._all(sql.LEAST_SPENT, lane, at=now, most=limit)
        if running:
            rows = [*rows, *self._all(sql.THESE, lane, at=now, org_ids=list(running))]
        found = {row.org_id: row for row in rows}
        weights = encoding_weights(self._connection, list(found))
        only = self._only_subjects(lane, now, running, weights)
        waiting: Sequence[Waiting] = [
            Waiting(
                org_id=OrgId(org_id),
                runs=sum(running.get(org_id, {}).values()),
                spent_s=row.spent_s,
                waits_since=row.waits_since,
                weight=weights[org_id].weight,
            )
            for org_id, row in found.items()
            if org_id not in only or only[org_id]
        ]
        if for_reserve:
            waiting = newcomers(waiting)
        # While somebody waits, all workers but the one that asks are busy, or
        # about to ask.
        workers = sum(sum(runs.values()) for runs in running.values()) + 1
        ordered = fair_order(waiting, workers=workers, most_percent=most_percent)
        return [
            Turn(org_id=one.org_id, subjects=only.get(one.org_id))
            for one in ordered[:MOST_ASKED]
        ]

    def _running(self, lane: Lane) -> Mapping[str, Mapping[str, int]]:
        """
        Return the number of tasks in work, by organization and subject.

        Only of encodes the subjects are told; elsewhere nobody asks for them.
        """
        if lane is not Lane.ENCODE:
            return {row.org_id: {"": row.runs} for row in self._all(sql.RUNNING, lane)}
        running: dict[str, dict[str, int]] = {}
        for row in self._all(sql.RUNNING_SUBJECTS, lane):
            running.setdefault(row.org_id, {})[row.subject] = row.runs
        return running

    def _only_subjects(
        self,
        lane: Lane,
        now: datetime,
        running: Mapping[str, Mapping[str, int]],
        weights: Mapping[str, EncodingWeight],
    ) -> Mapping[str, Collection[str]]:
        """
        Return the subjects whose tasks alone may be taken now, by organization.

        An organization encodes as many videos at a time as its quota says: then only
        further parts of these videos are taken. Any task of an organization that the
        answer lacks may be taken, and no task of one with an empty collection.
        """
        if lane is not Lane.ENCODE:
            return {}
        full = {
            org_id: running.get(org_id, {})
            for org_id, weight in weights.items()
            if weight.concurrent_encodes is not None
            and len(running.get(org_id, {})) >= weight.concurrent_encodes
        }
        subjects = {subject for runs in full.values() for subject in runs}
        if not subjects:
            return full
        rows = self._all(sql.DUE_SUBJECTS, lane, at=now, subjects=list(subjects))
        due = {(row.org_id, row.subject) for row in rows}
        return {
            org_id: {subject for subject in runs if (org_id, subject) in due}
            for org_id, runs in full.items()
        }

    def settle(self, windows: Collection[Window], now: datetime) -> None:
        """
        Update the accounts of worker time of organizations, after their tasks were changed.

        Call this right before the commit; the rows stay locked until then.

        Args:
            windows: The changed accounts: organizations, each in a lane.
            now: The present moment, by the clock that task leases are measured with.
        """
        # Sorted: transactions that settle the same accounts do so in one order.
        for org_id, lane in sorted({*windows, *self._served_windows}):
            if lane in _FAIR:
                self._settle(org_id, lane, now)
        self._costs_s, self._served_windows = {}, set()

    def unsettled(self, windows: Collection[Window], now: datetime) -> list[Window]:
        """Return the windows (an organization in a lane) with due tasks whose account does not say so."""
        said = self._connection.execute(sql.DUE, {"at": now})
        known = {(org_id, lane) for org_id, lane in said}
        return [w for w in windows if w[1] in _FAIR and w not in known]

    def _lock(self, lane: Lane) -> None:
        # On SQLite a writer is alone anyhow. Two that choose at once would both
        # serve the same organization.
        if self._connection.dialect.name == "postgresql":
            numbers = (_LOCK_NUMBER, zlib.crc32(lane.value.encode()) >> 1)
            self._connection.exec_driver_sql(
                "SELECT pg_advisory_xact_lock(%s, %s)", numbers
            )

    def _let_in(self, lane: Lane, now: datetime) -> None:
        """Add organizations that are new, or back: idling earns no credit."""
        if not self._all(sql.COMES, lane, at=now):
            return
        (least,) = self._all(sql.LEAST, lane)
        least_s = least.spent_s
        if least_s is None:
            # Nobody is there: whoever comes now owes nothing for times in which
            # there was enough for all.
            (most,) = self._all(sql.MOST, lane)
            least_s = most.spent_s or 0.0
        values = {"of_lane": lane.value, "at": now, "least_s": least_s}
        self._connection.execute(sql.LET_IN, {**values, "most_s": least_s + MAX_DEBT_S})

    def _settle(self, org_id: str, lane: str, now: datetime) -> None:
        window = (org_id, lane)
        cost_s = self._costs_s.get(window, 0.0)
        if cost_s:
            cost_s /= weights_of(self._connection, [org_id])[org_id]
        keys = {"of_org": org_id, "of_lane": lane, "at": now}
        values = {
            **keys,
            "cost_s": cost_s,
            "debt_s": MAX_DEBT_S,
            "is_served": window in self._served_windows,
        }
        if self._connection.dialect.name == "postgresql":
            # Later changes of this organization's tasks wait for this one. And the
            # next statement sees what was committed while this one waited.
            self._connection.execute(sql.LOCK, keys)
        if not self._connection.execute(sql.SETTLE, values).rowcount:
            self._connection.execute(sql.new_account(self._connection), keys)
            self._connection.execute(sql.SETTLE, values)

    def _all(self, statement: Any, lane: Lane, **values: object) -> Sequence[Any]:  # noqa: ANN401 - SQLAlchemy's
        given = {"of_lane": lane.value, **values}
        return self._connection.execute(statement, given).all()
