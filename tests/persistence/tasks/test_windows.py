"""
Each organization has a window of tasks in the queue.
"""

from datetime import timedelta

from sqlalchemy.engine import Engine

from hvcore.domain.tasks.task import (
    QUEUE_WINDOW,
    RINGS_AGAIN_AFTER,
    Lane,
)
from hvcore.persistence.unit_of_work import SqlUnitOfWork
from tests.persistence.samples import (
    NOW,
    OTHER_ORG,
    Rung,
    age_tasks,
    new_task,
)
from tests.persistence.tasks.leased import MOMENT, add_task, lease_next


def test_an_organization_has_a_window_of_each_lane_in_the_queue(
    uow: SqlUnitOfWork, rung: Rung
) -> None:
    mine = [new_task() for _ in range(QUEUE_WINDOW + 5)]
    light = new_task(lane=Lane.LIGHT)
    theirs = new_task(org_id=OTHER_ORG)

    add_task(uow, *mine, light)
    add_task(uow, theirs)

    first = [task.id for task in mine[:QUEUE_WINDOW]]
    assert sorted(rung.ids) == sorted([*first, light.id, theirs.id])
    with uow.write() as work:
        assert work.tasks.to_ring(100) == []


def test_the_next_task_is_rung_for_when_one_ends(
    uow: SqlUnitOfWork, rung: Rung
) -> None:
    orders = [new_task() for _ in range(QUEUE_WINDOW + 2)]
    add_task(uow, *orders)
    task = lease_next(uow, orders[0].id)
    assert task is not None

    with uow.write() as work:
        work.tasks.finish(task)
        work.commit()

    assert rung.ids == [order.id for order in orders[: QUEUE_WINDOW + 1]]


def test_older_tasks_go_first(uow: SqlUnitOfWork, rung: Rung) -> None:
    old = [new_task() for _ in range(QUEUE_WINDOW + 1)]
    add_task(uow, *old)
    with uow.write() as work:
        work.tasks.cancel("vid_1", kinds=["transcode.part"])
        young = new_task("vid_2", not_before=NOW - timedelta(days=1))
        work.tasks.add([new_task("vid_3"), young])
        rung.ids.clear()
        work.commit()

    assert rung.ids[0] == young.id


def test_a_queued_task_that_nobody_took_is_rung_for_again(
    uow: SqlUnitOfWork, engine: Engine
) -> None:
    new = new_task()
    add_task(uow, new)
    with uow.write() as work:
        assert work.tasks.to_ring(10) == []

    age_tasks(engine, RINGS_AGAIN_AFTER + MOMENT)

    with uow.write() as work:
        assert [task.id for task in work.tasks.to_ring(10)] == [new.id]
        work.commit()
    with uow.write() as work:
        assert work.tasks.to_ring(10) == []


def test_ringing_is_bounded(uow: SqlUnitOfWork, engine: Engine) -> None:
    add_task(uow, *(new_task(lane=lane) for lane in (*Lane, *Lane)))
    age_tasks(engine, RINGS_AGAIN_AFTER + MOMENT)

    with uow.write() as work:
        assert len(work.tasks.to_ring(3)) == 3
