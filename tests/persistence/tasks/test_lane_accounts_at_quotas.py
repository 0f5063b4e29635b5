"""
Whose task a worker gets while organizations encode as much as they may.
"""

from collections.abc import Collection, Sequence
from datetime import UTC, datetime

import attrs
import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sqlalchemy.engine import Engine

from hvcore.domain.access.quotas import QuotaLimits
from hvcore.domain.ids import OrgId
from hvcore.domain.tasks.task import Lane, NewTask, Task
from hvcore.persistence.statements import insert_into
from hvcore.persistence.tables import (
    lane_shares,
    organization_limits,
    organizations,
    tasks,
)
from hvcore.persistence.tasks.lane_accounts import MOST_ASKED
from hvcore.persistence.unit_of_work import SqlUnitOfWork
from tests.persistence.samples import new_task

MOMENT = datetime(2026, 1, 1, tzinfo=UTC)
SUBJECTS = ("vid_1", "vid_2", "vid_3")
subjects = st.lists(st.sampled_from(SUBJECTS), max_size=3)


@attrs.frozen
class Backlog:
    """What an organization has in work, what waits, and its quota."""

    quota: int | None
    running: Sequence[str]
    waiting: Sequence[str]


AT_QUOTA = Backlog(quota=1, running=["vid_1"], waiting=["vid_2"])
BUSY = Backlog(quota=None, running=["vid_1", "vid_2"], waiting=["vid_3"])
FURTHER_PART = Backlog(
    quota=2, running=["vid_1", "vid_2", "vid_2"], waiting=["vid_3", "vid_2"]
)
backlogs = st.builds(
    Backlog, st.one_of(st.none(), st.integers(1, 3)), subjects, subjects
)


@settings(
    deadline=None,
    max_examples=12,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@example(at_quota=MOST_ASKED, others=[BUSY])
@example(at_quota=2 * MOST_ASKED, others=[FURTHER_PART])
@given(at_quota=st.integers(0, 20), others=st.lists(backlogs, max_size=4))
def test_a_free_worker_gets_a_task_if_any_may_be_taken(
    uow: SqlUnitOfWork, engine: Engine, at_quota: int, others: Sequence[Backlog]
) -> None:
    given_ = [*[AT_QUOTA] * at_quota, *others]
    by_org = {OrgId(f"org_{number}"): each for number, each in enumerate(given_)}
    _begin_with(uow, engine, by_org)

    running = {org_id: set(each.running) for org_id, each in by_org.items()}
    waiting = {org_id: list(each.waiting) for org_id, each in by_org.items()}
    while task := _take(uow):
        may = _may_be_taken(by_org[task.org_id], running[task.org_id])
        assert may is None or task.subject in may
        waiting[task.org_id].remove(task.subject)
        running[task.org_id].add(task.subject)

    for org_id, each in by_org.items():
        may = _may_be_taken(each, running[org_id])
        assert may is not None or not waiting[org_id]
        assert not set(waiting[org_id]) & set(may or ())


def _may_be_taken(backlog: Backlog, running: set[str]) -> Collection[str] | None:
    """
    Return the subjects of which tasks may be taken; None is all.
    """
    is_full = backlog.quota is not None and len(running) >= backlog.quota
    return running if is_full else None


def _begin_with(
    uow: SqlUnitOfWork, engine: Engine, by_org: dict[OrgId, Backlog]
) -> None:
    with engine.begin() as connection:
        for table in (tasks, lane_shares, organization_limits):
            connection.execute(sa.delete(table))
        rows = [{"id": org_id, "created_at": MOMENT} for org_id in by_org]
        if rows:
            new = insert_into(connection, organizations).on_conflict_do_nothing()
            connection.execute(new, rows)
    ordered: list[NewTask] = []
    with uow.write() as work:
        for org_id, backlog in by_org.items():
            limits = QuotaLimits(concurrent_encodes=backlog.quota)
            work.quotas.set_limits(org_id, limits)
            taken = [new_task(subject, org_id=org_id) for subject in backlog.running]
            ordered += taken
            work.tasks.add(taken)
            work.tasks.add(new_task(name, org_id=org_id) for name in backlog.waiting)
        for task in ordered:
            # By its id, quotas count for nothing: one may have been lowered since.
            assert work.tasks.lease(task.id, worker="w")
        work.commit()


def _take(uow: SqlUnitOfWork) -> Task | None:
    with uow.write() as work:
        task = work.tasks.lease_next(Lane.ENCODE, worker="w", most_percent=50)
        work.commit()
    return task


@pytest.mark.parametrize("at_quota", [MOST_ASKED - 1, MOST_ASKED, 3 * MOST_ASKED])
def test_organizations_at_their_quota_hide_nobody(
    uow: SqlUnitOfWork, engine: Engine, at_quota: int
) -> None:
    by_org = {OrgId(f"org_{number}"): AT_QUOTA for number in range(at_quota)}
    _begin_with(uow, engine, {**by_org, OrgId("org_busy"): BUSY})

    task = _take(uow)

    assert task is not None
    assert task.org_id == "org_busy"
