"""
Whose task a worker gets: shares of a lane.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from hvcore.domain.access.quotas import QuotaLimits
from hvcore.domain.ids import OrgId, TaskId
from hvcore.domain.tasks.fair_order import MAX_DEBT_S
from hvcore.domain.tasks.task import FAIR_LANES, Lane, NewTask, Task
from hvcore.persistence.tables import lane_shares
from hvcore.persistence.unit_of_work import SqlUnitOfWork
from tests.conftest import SettableClock
from tests.persistence.samples import (
    ORG,
    OTHER_ORG,
    age_tasks,
    at_once,
    new_task,
)

THIRD_ORG = OrgId("org_c")
MOMENT = timedelta(seconds=1)


class TickingClock(SettableClock):
    """
    Shows a later moment each time, as clocks do.
    """

    def now(self) -> datetime:
        self.move(timedelta(milliseconds=1))
        return super().now()


@pytest.fixture
def clock() -> SettableClock:
    return TickingClock()


def _add(uow: SqlUnitOfWork, org_id: OrgId, count: int = 1) -> list[NewTask]:
    ordered = [new_task(f"vid_{org_id}", org_id=org_id) for _ in range(count)]
    with uow.write() as work:
        work.tasks.add(ordered)
        work.commit()
    return ordered


def _take(
    uow: SqlUnitOfWork, *, most_percent: int = 50, for_reserve: bool = False
) -> Task | None:
    with uow.write() as work:
        task = work.tasks.lease_next(
            Lane.ENCODE, worker="w", most_percent=most_percent, for_reserve=for_reserve
        )
        work.commit()
    return task


def _taken(uow: SqlUnitOfWork) -> Task:
    task = _take(uow)
    assert task is not None
    return task


def _end(uow: SqlUnitOfWork, task: Task, cost_s: float = 1) -> None:
    with uow.write() as work:
        assert work.tasks.finish(task)
        work.tasks.charge(task, cost_s)
        work.commit()


def _one_by_one(uow: SqlUnitOfWork, costs_s: dict[OrgId, float], count: int) -> str:
    """
    Let one worker run so many tasks; tell whose they were, by last letters.
    """
    order = ""
    for _ in range(count):
        task = _taken(uow)
        order += task.org_id[-1]
        _end(uow, task, costs_s[task.org_id])
    return order


def _has_work(uow: SqlUnitOfWork) -> Sequence[Lane]:
    with uow.read() as work:
        return work.tasks.lanes_with_work(FAIR_LANES)


def test_nothing_is_taken_where_nothing_waits(uow: SqlUnitOfWork) -> None:
    assert _has_work(uow) == []
    assert _take(uow) is None


def test_a_look_says_in_which_lanes_there_is_work(uow: SqlUnitOfWork) -> None:
    with uow.write() as work:
        later = work.now() + timedelta(hours=1)
        work.tasks.add([new_task(lane=Lane.PLAN), new_task(lane=Lane.ENCODE)])
        work.tasks.add([new_task(lane=Lane.LIGHT, not_before=later)])
        work.commit()

    assert _has_work(uow) == [Lane.PLAN, Lane.ENCODE]


def test_one_organization_is_served_in_its_order(uow: SqlUnitOfWork) -> None:
    ordered = _add(uow, ORG, 20)

    assert [_taken(uow).id for _ in ordered] == [task.id for task in ordered]
    assert _take(uow) is None
    assert _has_work(uow) == []


def test_an_organization_with_nothing_in_work_gets_the_next_worker(
    uow: SqlUnitOfWork,
) -> None:
    _add(uow, ORG, 20)
    assert [_taken(uow).org_id for _ in range(4)] == [ORG] * 4

    _add(uow, OTHER_ORG)

    assert _taken(uow).org_id == OTHER_ORG
    assert _taken(uow).org_id == ORG


def test_two_share_many_workers(uow: SqlUnitOfWork) -> None:
    _add(uow, ORG, 20)
    _add(uow, OTHER_ORG, 20)

    counts = Counter(_taken(uow).org_id for _ in range(8))

    assert counts == {ORG: 4, OTHER_ORG: 4}


def test_one_worker_alternates(uow: SqlUnitOfWork) -> None:
    _add(uow, ORG, 9)
    _add(uow, OTHER_ORG, 9)

    assert _one_by_one(uow, {ORG: 1, OTHER_ORG: 1}, 6) == "ababab"


def test_a_share_is_of_what_was_spent_and_not_of_tasks(uow: SqlUnitOfWork) -> None:
    _add(uow, ORG, 9)
    _add(uow, OTHER_ORG, 40)

    order = _one_by_one(uow, {ORG: 10, OTHER_ORG: 1}, 22)

    assert order == "a" + "b" * 10 + "a" + "b" * 10


def test_nobody_saves_up_while_others_work(uow: SqlUnitOfWork) -> None:
    _add(uow, ORG, 30)
    _one_by_one(uow, {ORG: 10}, 10)

    _add(uow, OTHER_ORG, 30)

    assert _one_by_one(uow, {ORG: 10, OTHER_ORG: 10}, 6) == "ababab"


def test_time_spent_beside_nobody_is_no_debt(uow: SqlUnitOfWork) -> None:
    _add(uow, ORG, 10)
    _one_by_one(uow, {ORG: 100}, 10)

    _add(uow, OTHER_ORG, 30)
    _add(uow, ORG, 30)

    assert _one_by_one(uow, {ORG: 10, OTHER_ORG: 10}, 6) == "bababa"


def test_a_debt_is_remembered_while_others_work(uow: SqlUnitOfWork) -> None:
    _add(uow, OTHER_ORG, 20)
    _add(uow, ORG, 1)
    assert _one_by_one(uow, {ORG: 4, OTHER_ORG: 1}, 2) == "ba"

    _add(uow, ORG, 1)

    assert _one_by_one(uow, {ORG: 4, OTHER_ORG: 1}, 4) == "bbba"


def test_a_debt_ends_somewhere(uow: SqlUnitOfWork) -> None:
    _add(uow, ORG, 2)
    _add(uow, OTHER_ORG, 20)

    costs_s = {ORG: 100 * MAX_DEBT_S, OTHER_ORG: MAX_DEBT_S / 4}

    assert _one_by_one(uow, costs_s, 6) == "abbbba"


def test_a_slice_that_cost_nothing_passes_the_turn_on(uow: SqlUnitOfWork) -> None:
    _add(uow, ORG, 5)
    _add(uow, OTHER_ORG, 5)

    assert _one_by_one(uow, {ORG: 0, OTHER_ORG: 0}, 6) == "ababab"


def test_a_newcomer_goes_before_who_had_a_slice_while_it_came(
    uow: SqlUnitOfWork, engine: Engine
) -> None:
    _add(uow, ORG, 5)
    long_slice = _taken(uow)
    _add(uow, OTHER_ORG)
    age_tasks(engine, MOMENT)
    _end(uow, long_slice, 60)

    assert _taken(uow).org_id == OTHER_ORG


def test_weights_share_what_is_spent(uow: SqlUnitOfWork) -> None:
    with uow.write() as work:
        work.quotas.set_limits(ORG, QuotaLimits(weight=3.0))
        work.commit()
    _add(uow, ORG, 20)
    _add(uow, OTHER_ORG, 20)

    order = _one_by_one(uow, {ORG: 1, OTHER_ORG: 1}, 12)

    assert Counter(order) == {"a": 9, "b": 3}


def test_a_quota_of_encodes_holds_back_further_videos(uow: SqlUnitOfWork) -> None:
    with uow.write() as work:
        work.quotas.set_limits(ORG, QuotaLimits(concurrent_encodes=1))
        work.tasks.add(
            new_task(subject, org_id=ORG) for subject in ("vid_1", "vid_2", "vid_1")
        )
        work.commit()

    first, further = _taken(uow), _taken(uow)

    # Parts of the video that has begun go on; the other one waits for its end.
    assert [first.subject, further.subject] == ["vid_1", "vid_1"]
    assert _take(uow) is None
    _end(uow, first)
    assert _take(uow) is None
    _end(uow, further)
    assert _taken(uow).subject == "vid_2"


@pytest.mark.parametrize("how", ["cancelled", "lost", "freed"])
def test_an_attempt_that_says_no_cost_is_charged_its_time(
    uow: SqlUnitOfWork, engine: Engine, how: str
) -> None:
    _add(uow, ORG, 2)
    _add(uow, OTHER_ORG, 12)
    task = _taken(uow)
    assert task.org_id == ORG
    age_tasks(engine, timedelta(seconds=30))

    with uow.write() as work:
        if how == "cancelled":
            assert len(work.tasks.cancel(task.subject, kinds=[task.kind])) == 2
        elif how == "lost":
            assert len(work.tasks.take_lost(10)) == 1
        else:
            assert work.tasks.free_worker("w") == 1
        work.commit()
    _add(uow, ORG, 1)

    # More than ten slices of 2.9 s, and less than eleven.
    assert _one_by_one(uow, {ORG: 1, OTHER_ORG: 2.9}, 12) == "b" * 11 + "a"


def test_a_task_that_waits_for_its_time_is_not_taken(
    uow: SqlUnitOfWork, engine: Engine
) -> None:
    (first,) = _add(uow, ORG)
    task = _taken(uow)
    with uow.write() as work:
        later = work.now() + timedelta(minutes=1)
        assert work.tasks.put_back(task, not_before=later)
        work.commit()
    assert _has_work(uow) == []
    assert _take(uow) is None

    age_tasks(engine, timedelta(minutes=2))

    assert _has_work(uow) == [Lane.ENCODE]
    assert _taken(uow).id == first.id


def test_many_workers_at_once_share_as_one_after_the_other(uow: SqlUnitOfWork) -> None:
    for org_id in (ORG, OTHER_ORG, THIRD_ORG):
        _add(uow, org_id, 20)

    taken = [t for t in at_once(lambda _: _take(uow), threads=9) if isinstance(t, Task)]

    assert len({task.id for task in taken}) == 9
    counts = Counter(task.org_id for task in taken)
    assert counts == {ORG: 3, OTHER_ORG: 3, THIRD_ORG: 3}


def test_workers_and_customers_at_once_leave_nothing_behind(
    uow: SqlUnitOfWork,
) -> None:
    org_ids = [ORG, OTHER_ORG, THIRD_ORG]

    def work_or_order(number: int) -> list[TaskId]:
        if number % 2:
            return [_add(uow, org_ids[n % 3])[0].id for n in range(12)]
        ended: list[TaskId] = []
        for _ in range(12):
            if task := _take(uow):
                _end(uow, task)
                ended.append(task.id)
        return ended

    results = at_once(work_or_order, threads=6)
    ordered = {id_ for ids in results[1::2] if isinstance(ids, list) for id_ in ids}
    ended = [id_ for ids in results[::2] if isinstance(ids, list) for id_ in ids]
    while _has_work(uow):
        task = _taken(uow)
        ended.append(task.id)
        _end(uow, task)

    assert len(ordered) == 36
    assert sorted(ended) == sorted(ordered)


def test_an_account_that_was_lost_is_found_again(
    uow: SqlUnitOfWork, engine: Engine
) -> None:
    orders = _add(uow, ORG, 20)
    with engine.connect() as connection, connection.begin():
        connection.execute(sa.delete(lane_shares))
    assert _has_work(uow) == []

    with uow.write() as work:
        work.tasks.to_ring(100)
        work.commit()

    assert _taken(uow).id == orders[0].id


def test_a_reserve_takes_nothing_while_nothing_else_runs(uow: SqlUnitOfWork) -> None:
    _add(uow, ORG)
    _add(uow, OTHER_ORG)

    assert _take(uow, for_reserve=True) is None


def test_a_reserve_takes_only_what_is_of_somebody_else(uow: SqlUnitOfWork) -> None:
    _add(uow, ORG, 3)
    assert _taken(uow).org_id == ORG

    assert _take(uow, for_reserve=True) is None
    _add(uow, OTHER_ORG, 2)
    task = _take(uow, for_reserve=True)

    assert task is not None
    assert task.org_id == OTHER_ORG
    # Now both have one in work.
    assert _take(uow, for_reserve=True) is None
