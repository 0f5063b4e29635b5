"""
Rounds of the sweep of which a part fails.
"""

from datetime import timedelta

import pytest
import sqlalchemy as sa

from hvcore.domain.ids import TaskId
from hvcore.domain.tasks.task import Lane, NewTask
from hvcore.errors import UnavailableError
from hvcore.persistence.tables import domain_lists, tasks
from hvcore.services.tasks.runs import ring_for
from hvcore_worker.sweep import sweep_once
from tests.services.conftest import World
from tests.support.fakes import MemoryQueue


@pytest.mark.parametrize("gone", ["idempotency", "events"])
def test_a_step_that_fails_ends_no_round_of_tidying(world: World, gone: str) -> None:
    services = world.services
    old = services.clock.now() - timedelta(days=1)
    with services.engine.begin() as connection:
        connection.execute(
            sa.insert(domain_lists).values(id="x", domains="[]", expires_at=old)
        )
        connection.execute(sa.text(f"DROP TABLE {gone}"))

    sweep_once(services, holder="test", tidies=True)

    with services.engine.connect() as connection:
        assert connection.execute(sa.select(domain_lists)).all() == []


def test_lost_tasks_that_cannot_be_read_keep_no_task_from_the_queue(
    world: World,
) -> None:
    services = world.services
    lost, due = (
        NewTask(kind="any", lane=Lane.LIGHT, org_id=world.env.org_id, subject=subject)
        for subject in ("lost", "due")
    )
    with services.uow.write() as work:
        work.tasks.add([lost])
        assert work.tasks.lease(lost.id, worker="w")
        work.commit()
    with services.engine.begin() as connection:
        connection.execute(sa.update(tasks).values(payload="no JSON"))
    world.clock.move(minutes=11)
    with services.uow.write() as work:
        work.tasks.add([due])
        work.commit()
    world.clock.move(minutes=11)
    world.queue.messages.clear()

    sweep_once(services, holder="test", tidies=False)

    assert [task_id for task_id, _ in world.queue.messages] == [due.id]


def test_of_two_processes_one_sweeps_until_it_is_gone(world: World) -> None:
    runs = world.services.task_runs
    assert runs.sweep(holder="one")
    task = NewTask(kind="any", lane=Lane.LIGHT, org_id=world.env.org_id, subject="x")
    with world.services.uow.write() as work:
        work.tasks.add([task])
        work.commit()
    world.clock.move(minutes=1)
    assert runs.sweep(holder="one")
    world.queue.messages.clear()

    assert not runs.sweep(holder="other")
    assert world.queue.messages == []

    world.clock.move(hours=1)
    assert runs.sweep(holder="other")
    assert [task_id for task_id, _ in world.queue.messages] == [task.id]


class PickyQueue(MemoryQueue):
    """
    Refuses one task, for a reason of its own.
    """

    def __init__(self, refused: TaskId, error: Exception) -> None:
        super().__init__()
        self.refused, self.error = refused, error

    def put(self, task_id: TaskId, *, kind: str, lane: Lane) -> None:
        if task_id == self.refused:
            raise self.error
        super().put(task_id, kind=kind, lane=lane)


@pytest.mark.parametrize(
    ("error", "put"), [(ValueError("a bug"), 2), (UnavailableError("no answer"), 0)]
)
def test_a_task_that_the_queue_refuses_keeps_no_other_out_of_it(
    world: World, error: Exception, put: int
) -> None:
    ordered = [
        NewTask(kind="any", lane=Lane.LIGHT, org_id=world.env.org_id, subject="x")
        for _ in range(3)
    ]
    with world.services.uow.write() as work:
        work.tasks.add(ordered)
        due = work.tasks.of_subject("x")
        work.commit()
    queue = PickyQueue(ordered[0].id, error)

    ring_for(queue, due)

    # A lane that does not answer is not asked for each.
    assert len(queue.messages) == put


def test_a_lane_that_takes_no_message_keeps_no_other_lane_waiting(world: World) -> None:
    ordered = [
        NewTask(kind="any", lane=lane, org_id=world.env.org_id, subject="x")
        for lane in (Lane.ENCODE, Lane.ENCODE, Lane.LIGHT)
    ]
    with world.services.uow.write() as work:
        work.tasks.add(ordered)
        due = work.tasks.of_subject("x")
        work.commit()
    queue = PickyQueue(ordered[0].id, UnavailableError("this lane's queue is missing"))

    ring_for(queue, sorted(due, key=lambda task: task.id != queue.refused))

    # A lane that does not answer is not asked for each.
    assert queue.messages == [(ordered[2].id, Lane.LIGHT)]
