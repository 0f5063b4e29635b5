"""
Tasks: leases, fences, windows.
"""

from datetime import timedelta

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from hvcore.domain.ids import TaskId
from hvcore.domain.tasks.kinds import TRANSCODE_ASSEMBLE, TRANSCODE_PART
from hvcore.domain.tasks.task import (
    LEASE,
    NewTask,
    Task,
    TaskState,
)
from hvcore.persistence.unit_of_work import SqlUnitOfWork
from hvcore.services.tasks import runs as task_runs
from hvcore.services.tasks.runs import TaskRuns
from tests.conftest import SettableClock
from tests.persistence.samples import (
    ORG,
    Rung,
    age_tasks,
    at_once,
    new_task,
)
from tests.persistence.tasks.leased import MOMENT, add_task, lease_next
from tests.support.fakes import MemoryQueue


def _leased(uow: SqlUnitOfWork, new: NewTask) -> Task:
    add_task(uow, new)
    task = lease_next(uow, new.id)
    assert task is not None
    return task


def _find(uow: SqlUnitOfWork, task_id: TaskId) -> Task:
    with uow.read() as work:
        task = work.tasks.find(task_id)
    assert task is not None
    return task


def test_a_task_comes_back_as_it_was_ordered(uow: SqlUnitOfWork) -> None:
    payload = {"weight": 0.25, "text": "\0 ß \ud800", "deep": [{"n": 2**70}]}
    new = new_task(payload=payload)

    add_task(uow, new)

    task = _find(uow, new.id)
    assert (task.kind, task.lane, task.org_id) == (new.kind, new.lane, ORG)
    assert task.payload == payload
    assert task.state is TaskState.QUEUED


def test_a_due_task_is_rung_for_after_the_commit(
    uow: SqlUnitOfWork, rung: Rung
) -> None:
    new = new_task()

    with uow.write() as work:
        work.tasks.add([new])
        assert rung.ids == []
        work.commit()

    assert rung.ids == [new.id]


def test_without_a_commit_nothing_is_kept_or_rung_for(
    uow: SqlUnitOfWork, rung: Rung
) -> None:
    new = new_task()

    with uow.write() as work:
        work.tasks.add([new])

    with uow.read() as work:
        assert work.tasks.find(new.id) is None
    assert rung.ids == []


def test_a_queue_that_fails_does_not_fail_the_commit(
    engine: Engine, clock: SettableClock, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(_: object) -> None:
        raise OSError("no queue")

    uow = SqlUnitOfWork(engine, clock, refuse)
    new = new_task()

    add_task(uow, new)

    assert _find(uow, new.id).state is TaskState.QUEUED
    assert "ringing for tasks failed" in caplog.text


def test_a_later_task_is_not_rung_for_before_its_time(
    uow: SqlUnitOfWork, engine: Engine, rung: Rung
) -> None:
    with uow.read() as work:
        later = work.now() + timedelta(minutes=1)
    new = new_task(not_before=later)
    add_task(uow, new)
    assert rung.ids == []
    assert lease_next(uow, new.id) is None

    age_tasks(engine, timedelta(minutes=2))
    with uow.write() as work:
        due = work.tasks.to_ring(10)
        work.commit()

    assert [task.id for task in due] == [new.id]


def test_forty_tasks_and_eight_threads_lease_each_task_once(
    uow: SqlUnitOfWork,
) -> None:
    orders = [new_task() for _ in range(40)]
    add_task(uow, *orders)

    def lease_all(number: int) -> list[TaskId]:
        return [o.id for o in orders if lease_next(uow, o.id, f"w{number}") is not None]

    taken = at_once(lease_all, threads=8)

    ids = [id_ for result in taken if isinstance(result, list) for id_ in result]
    assert sorted(ids) == sorted(order.id for order in orders)


def test_a_task_that_ended_is_not_leased_again(uow: SqlUnitOfWork) -> None:
    task = _leased(uow, new_task())
    with uow.write() as work:
        assert work.tasks.finish(task, result={"n": 1})
        work.commit()

    assert lease_next(uow, task.id) is None
    assert _find(uow, task.id).result == {"n": 1}


def test_a_stale_fence_is_refused(uow: SqlUnitOfWork, engine: Engine) -> None:
    stale = _leased(uow, new_task())
    age_tasks(engine, LEASE + MOMENT)
    with uow.write() as work:
        assert [t.losses for t in work.tasks.take_lost(10)] == [1]
        work.commit()
    fresh = lease_next(uow, stale.id, "w2")
    assert fresh is not None
    assert fresh.fence > stale.fence

    with uow.write() as work:
        assert not work.tasks.renew(stale, progress=0.9)
        assert not work.tasks.finish(stale)
        assert not work.tasks.fail(stale, error="x")
        assert not work.tasks.put_back(stale)
        assert work.tasks.finish(fresh)
        work.commit()


def test_a_worker_that_lost_its_lease_ends_nothing_before_the_next_lease(
    uow: SqlUnitOfWork, engine: Engine
) -> None:
    stale = _leased(uow, new_task())
    age_tasks(engine, LEASE + MOMENT)

    with uow.write() as work:
        work.tasks.take_lost(10)
        assert not work.tasks.fail(stale, error="x")
        assert not work.tasks.finish(stale)
        work.commit()


def test_a_lost_task_can_be_failed_by_whoever_took_it(
    uow: SqlUnitOfWork, engine: Engine, rung: Rung
) -> None:
    task = _leased(uow, new_task())
    age_tasks(engine, LEASE + MOMENT)
    rung.ids.clear()

    with uow.write() as work:
        (lost,) = work.tasks.take_lost(10)
        assert work.tasks.fail(lost, error="its worker vanished too often")
        work.commit()

    assert _find(uow, task.id).state is TaskState.FAILED
    assert rung.ids == []


def test_a_renewed_lease_is_not_lost(uow: SqlUnitOfWork, engine: Engine) -> None:
    task = _leased(uow, new_task())
    age_tasks(engine, LEASE - MOMENT)

    with uow.write() as work:
        assert work.tasks.renew(task, progress=0.5)
        work.commit()
    age_tasks(engine, 2 * MOMENT)
    with uow.write() as work:
        assert work.tasks.take_lost(10) == []

    assert _find(uow, task.id).progress == 0.5


def test_a_cancelled_task_is_not_renewed(uow: SqlUnitOfWork) -> None:
    task = _leased(uow, new_task("vid_9"))

    with uow.write() as work:
        assert work.tasks.cancel("vid_9", kinds=["other"]) == []
        (ended,) = work.tasks.cancel("vid_9", kinds=["other", task.kind])
        assert (ended.id, ended.state) == (task.id, TaskState.CANCELLED)
        work.commit()

    with uow.write() as work:
        assert not work.tasks.renew(task, progress=None)
        assert not work.tasks.finish(task)


def test_a_task_that_is_put_back_runs_again_at_its_time(
    uow: SqlUnitOfWork, engine: Engine, rung: Rung
) -> None:
    task = _leased(uow, new_task())
    rung.ids.clear()

    with uow.write() as work:
        assert work.tasks.put_back(
            task,
            not_before=work.now() + timedelta(minutes=1),
            attempts=1,
            payload={"handle": "h"},
            error="it broke",
        )
        work.commit()

    waiting = _find(uow, task.id)
    assert (waiting.state, waiting.attempts) == (TaskState.DUE, 1)
    assert (waiting.payload, waiting.error) == ({"handle": "h"}, "it broke")
    assert rung.ids == []
    assert lease_next(uow, task.id) is None
    age_tasks(engine, timedelta(minutes=2))
    assert lease_next(uow, task.id) is not None


def test_notes_of_a_leased_task_stay_with_it(uow: SqlUnitOfWork) -> None:
    task = _leased(uow, new_task())

    with uow.write() as work:
        assert work.tasks.note(task, {"handle": "h"}, progress=0.25)
        work.commit()
    with uow.write() as work:
        assert work.tasks.put_back(task, progress=0.5)
        assert not work.tasks.note(task, {"handle": "late"}, progress=None)
        work.commit()

    waiting = _find(uow, task.id)
    assert (waiting.payload, waiting.progress) == ({"handle": "h"}, 0.5)


def test_waiting_tasks_can_be_hurried(uow: SqlUnitOfWork, rung: Rung) -> None:
    waiting, leased = _leased(uow, new_task()), _leased(uow, new_task())
    with uow.write() as work:
        later = work.now() + timedelta(minutes=5)
        assert work.tasks.put_back(waiting, not_before=later)
        work.commit()
    rung.ids.clear()

    with uow.write() as work:
        assert work.tasks.hurry([waiting, leased]) == 1
        work.commit()

    assert rung.ids == [waiting.id]
    assert _find(uow, leased.id).state is TaskState.LEASED


def test_a_task_that_is_handed_back_is_rung_for_at_once(
    uow: SqlUnitOfWork, rung: Rung
) -> None:
    task = _leased(uow, new_task())
    rung.ids.clear()

    with uow.write() as work:
        assert work.tasks.put_back(task)
        work.commit()

    assert rung.ids == [task.id]
    assert _find(uow, task.id).attempts == 0


def test_tasks_of_a_dead_host_are_due_at_once(uow: SqlUnitOfWork, rung: Rung) -> None:
    mine, other = new_task(), new_task()
    add_task(uow, mine, other)
    lease_next(uow, mine.id, "host_1:7")
    lease_next(uow, other.id, "hostx1:7")
    rung.ids.clear()

    with uow.write() as work:
        assert work.tasks.free_host("host_1:") == 1
        work.commit()

    assert rung.ids == [mine.id]
    assert _find(uow, mine.id).losses == 1


def test_tasks_of_a_dead_worker_are_due_and_no_others(
    uow: SqlUnitOfWork, rung: Rung
) -> None:
    mine, other = new_task(), new_task()
    add_task(uow, mine, other)
    lease_next(uow, mine.id, "host_1:12")
    lease_next(uow, other.id, "host_1:123")
    rung.ids.clear()

    with uow.write() as work:
        assert work.tasks.free_worker("host_1:12") == 1
        work.commit()

    assert rung.ids == [mine.id]
    assert _find(uow, mine.id).losses == 1


def test_tasks_are_found_by_what_they_are_about(uow: SqlUnitOfWork) -> None:
    orders = [new_task("vid_7", kind=kind) for kind in ("a", "b", "a")]
    add_task(uow, *orders)

    with uow.read() as work:
        ids = [task.id for task in work.tasks.of_subject("vid_7", kind="a")]
        found = work.tasks.search(state=TaskState.QUEUED, org_id=ORG, subject="vid_7")
        none = work.tasks.search(state=TaskState.FAILED)

    assert ids == [orders[0].id, orders[2].id]
    assert [task.id for task in found] == [order.id for order in reversed(orders)]
    assert none == []


def test_tasks_are_found_by_several_subjects(uow: SqlUnitOfWork) -> None:
    orders = [new_task(about, kind="a") for about in ("vid_1", "vid_2", "vid_3")]
    add_task(uow, *orders, new_task("vid_1", kind="b"))

    with uow.read() as work:
        found = work.tasks.of_subjects(["vid_3", "vid_1", "vid_none"], kind="a")
        none = work.tasks.of_subjects([], kind="a")

    assert [task.id for task in found] == [orders[0].id, orders[2].id]
    assert none == []


def test_ended_tasks_are_forgotten_and_others_are_not(
    uow: SqlUnitOfWork, engine: Engine
) -> None:
    ended = _leased(uow, new_task())
    add_task(uow, new_task())
    with uow.write() as work:
        work.tasks.finish(ended)
        work.commit()
    age_tasks(engine, timedelta(days=30))

    with uow.write() as work:
        week_ago = work.now() - timedelta(days=7)
        assert work.tasks.forget(work.tasks.ended_before(week_ago, 10)) == 1
        assert work.tasks.ended_before(week_ago, 10) == []
        assert work.tasks.find(ended.id) is None


def test_ended_parts_are_kept_until_their_job_has_ended(
    uow: SqlUnitOfWork, engine: Engine
) -> None:
    def part(job: str, kind: str = TRANSCODE_PART) -> NewTask:
        return new_task("vid_1", kind=kind, payload={"job": job})

    def end(task: Task) -> None:
        with uow.write() as work:
            assert work.tasks.finish(task)
            work.commit()
        age_tasks(engine, timedelta(days=8))

    def forget() -> int:
        with uow.write() as work:
            # One at a time: what is kept is the oldest.
            before = work.now() - timedelta(days=7)
            count = sum(
                work.tasks.forget(work.tasks.ended_before(before, 1)) for _ in range(5)
            )
            work.commit()
        return count

    kept = [_leased(uow, part("job_a")) for _ in range(2)]
    for task in kept:
        end(task)
    assembling = _leased(uow, part("job_a", TRANSCODE_ASSEMBLE))
    of_ended_job, of_no_job = _leased(uow, part("job_b")), _leased(uow, new_task())
    end(of_ended_job)
    end(of_no_job)

    assert forget() == 2
    with uow.read() as work:
        assert {task.id for task in work.tasks.of_subject("vid_1")} == {
            task.id for task in (*kept, assembling)
        }
    end(assembling)
    assert forget() == 3


def test_a_backlog_of_ended_tasks_is_forgotten_in_one_round(
    uow: SqlUnitOfWork,
    engine: Engine,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(task_runs, "FORGET_BATCH", 2)
    for _ in range(5):
        ended = _leased(uow, new_task())
        with uow.write() as work:
            work.tasks.finish(ended)
            work.commit()
    age_tasks(engine, timedelta(days=30))
    with uow.read() as work:
        clock = SettableClock(work.now())
    runs = TaskRuns(uow=uow, queue=MemoryQueue(), clock=clock, handlers={})

    assert runs.forget_ended() == 5
    assert runs.forget_ended() == 0


def test_several_commits_ring_for_a_task_once(uow: SqlUnitOfWork, rung: Rung) -> None:
    orders = [new_task() for _ in range(40)]
    add_task(uow, *orders)

    def run_all(number: int) -> None:
        for order in orders:
            task = lease_next(uow, order.id, f"w{number}")
            if task is not None:
                with uow.write() as work:
                    assert work.tasks.finish(task)
                    work.commit()

    assert at_once(run_all, threads=6) == [None] * 6

    assert len(rung.ids) == len(set(rung.ids))


def test_tasks_in_a_lane_of_a_newer_version_are_left_to_it(
    uow: SqlUnitOfWork, engine: Engine
) -> None:
    due, other = new_task(), new_task()
    add_task(uow, due, other)
    with engine.begin() as connection:
        statement = sa.text(
            "UPDATE tasks SET lane = 'later', state = 'due' WHERE id = :id"
        )
        connection.execute(statement, {"id": other.id})

    with uow.write() as work:
        rung = work.tasks.to_ring(10)
        lost = work.tasks.take_lost(10)
        found = work.tasks.search()
        work.commit()

    assert other.id not in {task.id for task in (*rung, *lost, *found)}
    assert due.id in {task.id for task in found}
