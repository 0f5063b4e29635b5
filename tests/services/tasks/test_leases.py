"""
Leases: kept while the work goes on, given up when the database is away.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import timedelta

import pytest

from hvcore.domain.tasks.task import Lane, NewTask, Task, TaskState
from hvcore.errors import UnavailableError
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.services.tasks import leases
from hvcore.services.tasks.leases import TaskRun, TaskStopped
from tests.services.conftest import World
from tests.support.servers import wait_until


class Away:
    """
    A database that answers no more.
    """

    def __init__(self, error: Exception) -> None:
        self.error = error
        self.asked = 0

    @contextmanager
    def write(self, *, is_durable: bool = True) -> Iterator[Work]:
        del is_durable
        self.asked += 1
        raise self.error
        yield  # type: ignore[unreachable]  # makes this a generator

    def read(self) -> AbstractContextManager[Work]:
        return self.write()

    def ping(self) -> None:
        raise self.error

    def forget_overwritten(self) -> None:
        raise self.error

    def check_room(self) -> None:
        raise self.error

    def clock_ahead_s(self) -> float:
        raise self.error


@pytest.fixture
def leased(world: World) -> Task:
    task = NewTask(kind="any", lane=Lane.LIGHT, org_id=world.env.org_id, subject="x")
    with world.services.uow.write() as work:
        work.tasks.add([task])
        work.commit()
    with world.services.uow.write() as work:
        taken = work.tasks.lease(task.id, worker="test:1")
        work.commit()
    assert taken is not None
    return taken


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "RENEW_EVERY_S", 0.01)


def never() -> bool:
    return False


def test_a_lease_is_renewed_with_the_progress(world: World, leased: Task) -> None:
    def stored() -> float:
        with world.services.uow.read() as work:
            task = work.tasks.find(leased.id)
        assert task is not None
        return task.progress

    with TaskRun(world.services.uow, leased, never) as run:
        run.report(0.5)
        wait_until(lambda: stored() == 0.5)
        run.check()


def test_a_cancelled_task_stops_its_work(world: World, leased: Task) -> None:
    with TaskRun(world.services.uow, leased, never) as run:
        with world.services.uow.write() as work:
            work.tasks.cancel("x", kinds=["any"])
            work.commit()
        wait_until(lambda: run.is_lost)
        with pytest.raises(TaskStopped):
            run.check()
        with pytest.raises(TaskStopped):
            run.finish()

    with world.services.uow.read() as work:
        task = work.tasks.find(leased.id)
    assert task is not None
    assert task.state is TaskState.CANCELLED


def test_the_work_outlives_a_short_outage_of_the_database(leased: Task) -> None:
    away = Away(UnavailableError())
    uow: UnitOfWork = away

    with TaskRun(uow, leased, never) as run:
        wait_until(lambda: away.asked > 3)
        run.check()


def test_the_work_stops_when_its_lease_must_have_run_out(
    leased: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leases, "LEASE", timedelta(seconds=0.05))

    with TaskRun(Away(UnavailableError()), leased, never) as run:
        wait_until(lambda: run.is_lost)


def test_no_error_of_the_renewal_leaves_the_work_without_a_lease(
    leased: Task,
) -> None:
    with TaskRun(Away(RuntimeError("a bug")), leased, never) as run:
        wait_until(lambda: run.is_lost)
