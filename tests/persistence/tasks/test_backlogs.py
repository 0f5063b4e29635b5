"""
What waits in each lane is counted on every database.
"""

from datetime import UTC, datetime

import pytest

from hvcore.domain.tasks.task import QUEUE_WINDOW, Lane, LaneBacklog
from hvcore.persistence.unit_of_work import SqlUnitOfWork
from tests.persistence.samples import new_task

pytestmark = pytest.mark.services
FAR = datetime(2100, 1, 1, tzinfo=UTC)


def test_lanes_without_work_are_there(uow: SqlUnitOfWork) -> None:
    with uow.read() as work:
        assert list(work.tasks.backlogs()) == [LaneBacklog(lane=lane) for lane in Lane]


def test_tasks_are_counted_by_how_they_stand(uow: SqlUnitOfWork) -> None:
    failed, leased, done = (new_task(lane=Lane.LIGHT) for _ in range(3))
    waiting = [new_task(lane=Lane.LIGHT) for _ in range(QUEUE_WINDOW + 2)]
    later = new_task(lane=Lane.LIGHT, not_before=FAR)
    with uow.write() as work:
        work.tasks.add([failed, leased, done])
        work.commit()
    with uow.write() as work:
        for task in (failed, leased, done):
            held = work.tasks.lease(task.id, worker="w1")
            assert held is not None
            if task is failed:
                work.tasks.fail(held, error="no")
            elif task is done:
                work.tasks.finish(held)
        work.tasks.add([*waiting, later])
        work.commit()

    with uow.read() as work:
        found = {one.lane: one for one in work.tasks.backlogs()}
        last = work.tasks.find(waiting[-1].id)
    assert last is not None

    assert found[Lane.LIGHT] == LaneBacklog(
        lane=Lane.LIGHT,
        due=2,
        later=1,
        queued=QUEUE_WINDOW,
        leased=1,
        failed=1,
        oldest_due_at=last.not_before,
    )
