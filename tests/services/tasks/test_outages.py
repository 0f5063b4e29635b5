"""
A worker whose host lacks something: others do its work meanwhile.
"""

import errno
import os
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path

import attrs
import pytest

from hvcore.domain.tasks.task import (
    BACKOFF,
    MAX_ATTEMPTS,
    Lane,
    NewTask,
    Task,
    TaskState,
)
from hvcore.errors import UnavailableError
from hvcore.ports.unit_of_work import Work
from hvcore.services.tasks.lane_scheduler import LaneScheduler
from hvcore.services.tasks.leases import TaskRun
from hvcore.services.tasks.outages import (
    HANDED_ON_WAITS,
    HOST_RESTS_S,
    HostRest,
    is_of_this_host,
    is_outage,
    outage_wait,
)
from hvcore.services.tasks.runs import TaskRuns
from hvcore_worker.consume import work_until
from tests.services.conftest import World

LANES = LaneScheduler([Lane.LIGHT])


@attrs.define
class Writes:
    """
    A task that needs room on the disk.
    """

    error: Exception | None
    is_patient: bool = False
    backoff: Sequence[timedelta] = BACKOFF
    done: int = 0

    def run(self, run: TaskRun) -> None:
        if self.error is not None:
            raise self.error
        self.done += 1
        run.finish()

    def give_up(self, work: Work, task: Task, reason: str, *, error: str) -> None:
        raise AssertionError(error)


def full() -> OSError:
    return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def runs_of(world: World, handler: Writes) -> TaskRuns:
    handlers: Mapping[str, Writes] = {"any": handler}
    return attrs.evolve(world.services.task_runs, handlers=handlers, rest=HostRest())


def order(world: World, lane: Lane = Lane.LIGHT) -> NewTask:
    task = NewTask(kind="any", lane=lane, org_id=world.env.org_id, subject="x")
    with world.services.uow.write() as work:
        work.tasks.add([task])
        work.commit()
    return task


def never() -> bool:
    return False


def test_a_full_hosts_task_is_done_by_another_host_at_once(world: World) -> None:
    ordered = order(world)
    here, there = runs_of(world, Writes(full())), runs_of(world, Writes(None))

    here.run_next(LANES, worker="full:1", stopping=never)

    with world.services.uow.read() as work:
        task = work.tasks.find(ordered.id)
    assert task is not None
    assert (task.state, task.attempts) == (TaskState.DUE, 0)
    world.clock.move(seconds=HANDED_ON_WAITS.total_seconds())
    assert there.run_next(LANES, worker="other:1", stopping=never)
    assert here.rest.lasts
    assert not there.rest.lasts


def test_a_worker_that_rests_takes_nothing_and_still_ends(
    world: World, tmp_path: Path
) -> None:
    ordered, services = order(world), world.services
    services.task_runs.rest.begin()
    asked: list[None] = []

    def stopping() -> bool:
        asked.append(None)
        return len(asked) > 10

    work_until(
        stopping, lambda _: services, data_dir=tmp_path / "worker", lanes=[Lane.LIGHT]
    )

    with services.uow.read() as work:
        task = work.tasks.find(ordered.id)
    assert task is not None
    assert task.fence == 0


@pytest.mark.parametrize(
    ("number", "is_lack"),
    # The last one: files and sockets raise it, again and again perhaps.
    [(errno.ENOSPC, True), (errno.ENOMEM, True), (errno.EAGAIN, False)],
)
def test_a_lack_on_a_host_costs_no_attempt(number: int, *, is_lack: bool) -> None:
    error = OSError(number, os.strerror(number))

    assert is_outage(error) is is_lack
    assert is_of_this_host(error) is is_lack


def test_an_outage_of_what_all_need_lets_nobody_rest(world: World) -> None:
    order(world)
    here = runs_of(world, Writes(UnavailableError("The store does not answer.")))

    here.run_next(LANES, worker="one:1", stopping=never)

    assert not here.rest.lasts


def test_a_download_that_finds_the_disk_full_lets_nobody_rest(world: World) -> None:
    """
    Whoever runs outbound tasks sends mails meanwhile, which need no disk.
    """
    ordered = order(world, Lane.OUTBOUND)
    here = runs_of(world, Writes(full()))

    here.run(ordered.id, worker="full:1", stopping=never)

    with world.services.uow.read() as work:
        task = work.tasks.find(ordered.id)
    assert task is not None
    assert "No space left" in task.error
    assert not here.rest.lasts


def test_a_patient_task_is_tried_again_soon_and_later_every_ten_minutes(
    world: World,
) -> None:
    runs = runs_of(world, Writes(ValueError("refused"), is_patient=True))
    waits_s: list[float] = []
    ordered = order(world)
    for _ in range(2 * MAX_ATTEMPTS + 10):
        assert runs.run_next(LANES, worker="test:1", stopping=never)
        with world.services.uow.read() as work:
            task = work.tasks.find(ordered.id)
        assert task is not None
        waits_s.append((task.not_before - world.clock.now()).total_seconds())
        world.clock.move(seconds=waits_s[-1])

    assert waits_s[:4] == [2, 4, 8, 16]
    assert waits_s[-1] == max(waits_s) == 600


def test_a_host_rests_for_a_while_and_then_tries_again() -> None:
    now_s = [100.0]
    rest = HostRest(elapsed_s=lambda: now_s[0])
    assert not rest.lasts

    rest.begin()
    now_s[0] += HOST_RESTS_S - 0.1
    assert rest.lasts
    now_s[0] += 0.2
    assert not rest.lasts


def test_an_error_raised_from_a_fault_of_the_host_is_one_itself() -> None:
    with pytest.raises(UnavailableError, match="no room") as raised:
        raise UnavailableError("no room") from full()

    assert is_of_this_host(raised.value)
    assert not is_of_this_host(UnavailableError("The database does not answer."))


@pytest.mark.parametrize(("asked_s", "waits_s"), [(5, 60), (900, 900), (80_000, 3_600)])
def test_a_task_waits_as_long_as_an_outage_asks_for_within_an_hour(
    asked_s: int, waits_s: int
) -> None:
    wait = outage_wait(UnavailableError(retry_after_s=asked_s))

    assert wait.total_seconds() == waits_s


def test_a_task_is_put_off_by_the_pause_that_a_server_asks_for(world: World) -> None:
    runs = runs_of(world, Writes(UnavailableError(retry_after_s=900)))
    ordered = order(world)

    runs.run_next(LANES, worker="test:1", stopping=never)
    world.clock.move(seconds=800)
    is_early = runs.run_next(LANES, worker="test:1", stopping=never)

    assert not is_early
    with world.services.uow.read() as work:
        task = work.tasks.find(ordered.id)
    assert task is not None
    assert (task.state, task.attempts) == (TaskState.DUE, 0)
