"""
Many outbound tasks at a time: none waits for another's dead server.
"""

import queue
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from pathlib import Path

import attrs
import pytest

from hvcore.domain.ids import OrgId, TaskId
from hvcore.domain.tasks.kinds import FETCH_GET as FETCH_KIND
from hvcore.domain.tasks.kinds import TRANSCODE_CANCEL
from hvcore.domain.tasks.kinds import WEBHOOK_DELIVER as DELIVER_KIND
from hvcore.domain.tasks.task import (
    BACKOFF,
    LEASE,
    LIGHT_LANES,
    Lane,
    NewTask,
    Task,
    TaskState,
)
from hvcore.domain.webhooks.events import DOCUMENTED_KINDS
from hvcore.services.tasks.leases import TaskRun
from hvcore.testing.fakes import SettableClock
from hvcore_worker import next_in_line, outbound
from hvcore_worker.next_in_line import Lines
from hvcore_worker.outbound import OutboundThreads
from tests.services.conftest import World, make_world
from tests.support.fakes import MemoryQueue
from tests.support.network.receivers import Receiver, receiver
from tests.support.servers import wait_until


class LiveQueue(MemoryQueue):
    """
    A queue whose consumers wait for messages.
    """

    def __init__(self) -> None:
        super().__init__()
        self.outbound: queue.Queue[TaskId] = queue.Queue()

    def put(self, task_id: TaskId, *, kind: str, lane: Lane) -> None:
        if lane is Lane.OUTBOUND:
            self.outbound.put(task_id)
        else:
            super().put(task_id, kind=kind, lane=lane)

    def consume(
        self,
        handle: Callable[[TaskId], None],
        *,
        lanes: Sequence[Lane],
        until: Callable[[], bool],
    ) -> None:
        if Lane.OUTBOUND not in lanes:
            super().consume(handle, lanes=lanes, until=until)
            return
        while not until():
            try:
                handle(self.outbound.get(timeout=0.05))
            except queue.Empty:
                continue


class BrokenQueue(MemoryQueue):
    """
    A queue with a bug.
    """

    def consume(
        self,
        handle: Callable[[TaskId], None],
        *,
        lanes: Sequence[Lane],
        until: Callable[[], bool],
    ) -> None:
        raise RuntimeError("a bug")


@attrs.frozen
class Slow:
    """
    A kind of task that goes on until it is told to stop.
    """

    began: list[str] = attrs.field(factory=list)
    over: list[bool] = attrs.field(factory=list)
    is_patient: bool = False
    backoff: Sequence[timedelta] = BACKOFF

    def run(self, run: TaskRun) -> None:
        self.began.append(run.task.subject)
        wait_until(lambda: bool(self.over) or _stops(run))
        run.check()
        run.finish()

    def give_up(self, *_: object, **__: object) -> None:
        raise AssertionError


def _stops(run: TaskRun) -> bool:
    run.check()
    return False


@attrs.define
class Running:
    """
    Outbound threads at work in a world.
    """

    world: World
    slow: Slow
    stopped: bool = False
    threads: ExitStack = attrs.field(factory=ExitStack)

    def order(self, kind: str, subject: str, *, org_id: str = "org_a") -> None:
        task = NewTask(
            kind=kind,
            lane=Lane.OUTBOUND,
            org_id=OrgId(org_id),
            subject=subject,
        )
        with self.world.services.uow.write() as work:
            work.tasks.add([task])
            work.commit()

    def process(self, videos: int) -> None:
        """
        Process videos, as the worker's main thread does.
        """
        for _ in range(videos):
            self.world.processed()
        runs = self.world.services.task_runs
        self.world.queue.consume(
            lambda task_id: runs.run(
                task_id, worker="test:1", stopping=lambda: self.stopped
            ),
            lanes=[*LIGHT_LANES, Lane.ENCODE],
            until=lambda: self.stopped,
        )

    def ring_later(self) -> None:
        """
        Ring for what is due a second later, as the sweep does.
        """
        self.world.clock.move(seconds=1)
        self.world.services.task_runs.ring()

    def task(self, subject: str) -> Task:
        with self.world.services.uow.read() as work:
            (found,) = work.tasks.of_subject(subject)
        return found


@contextmanager
def at_work(folder: Path) -> Iterator[Running]:
    with make_world(folder, {"HV_FETCH__ALLOWED_HOSTS": "127.0.0.1"}) as plain:
        world = attrs.evolve(plain, queue=LiveQueue())
        vars(world.services)["queue"] = world.queue
        made = Running(world, Slow())
        runs = world.services.task_runs
        kinds = ("slow", "other", FETCH_KIND, TRANSCODE_CANCEL)
        ours = dict.fromkeys(kinds, made.slow)
        handlers = {**runs.handlers, **ours}
        vars(world.services)["task_runs"] = attrs.evolve(runs, handlers=handlers)
        threads = OutboundThreads(
            world.services, worker="test:1", stopping=lambda: made.stopped
        )
        with made.threads:
            made.threads.enter_context(threads.running())
            try:
                yield made
            finally:
                made.stopped = True
                made.slow.over.append(True)


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    with at_work(tmp_path) as made:
        yield made


@pytest.fixture
def dead() -> Iterator[Receiver]:
    with receiver() as made:
        made.status = None
        yield made


def add_dead(running: Running, dead: Receiver) -> None:
    webhooks = running.world.services.webhooks
    webhooks.add("org_a", "live", dead.url, DOCUMENTED_KINDS)


def test_a_dead_endpoint_delays_no_other(running: Running, dead: Receiver) -> None:
    add_dead(running, dead)
    with receiver() as live:
        webhooks = running.world.services.webhooks
        webhooks.add("org_a", "live", live.url, DOCUMENTED_KINDS)

        running.process(6)

        def all_came() -> bool:
            # What found no room in the first crush comes back soon.
            running.ring_later()
            return len(live.received) == 6

        # The dead one's attempts are in flight all the while.
        wait_until(all_came)
        assert 1 <= len(dead.received) <= 4
        with running.world.services.uow.read() as work:
            held = work.tasks.search(state=TaskState.LEASED)
        assert {task.kind for task in held} == {DELIVER_KIND}
        running.stopped = True


def test_a_delivery_without_a_slot_waits_without_losing_a_try(
    running: Running, dead: Receiver
) -> None:
    add_dead(running, dead)
    with running.world.services.uow.read() as work:
        (endpoint,) = work.webhooks.of_organization(None)

    running.process(6)
    wait_until(lambda: len(dead.received) == 4)
    with running.world.services.uow.read() as work:
        deliveries = work.webhooks.deliveries(endpoint.id, 10)

    def put_off() -> int:
        tasks = [running.task(delivery.id) for delivery in deliveries]
        now = running.world.clock.now()
        return sum(t.state is TaskState.DUE and t.not_before > now for t in tasks)

    wait_until(lambda: put_off() == 2)
    assert len(dead.received) == 4
    assert {delivery.attempts for delivery in deliveries} == {0}


def test_a_worker_that_stops_hands_its_requests_back_before_it_ends(
    tmp_path: Path, dead: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A machine that has much else to do takes longer.
    monkeypatch.setattr(outbound, "HANDS_BACK_WITHIN_S", 30)
    with at_work(tmp_path) as running:
        add_dead(running, dead)
        running.process(1)
        wait_until(lambda: len(dead.received) == 1)
        running.stopped = True
        running.threads.close()

        with running.world.services.uow.read() as work:
            found = work.tasks.search()
        states = {task.state for task in found if task.kind == DELIVER_KIND}
        assert states <= {TaskState.DUE, TaskState.QUEUED}


def test_more_than_there_are_threads_wait_in_the_queue(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbound, "THREADS", 2)
    with at_work(tmp_path) as running:
        for number in range(4):
            running.order("slow", str(number))
        wait_until(lambda: len(running.slow.began) == 2)

        running.slow.over.append(True)

        wait_until(lambda: len(running.slow.began) == 4)
        wait_until(lambda: running.task("3").state is TaskState.DONE)


@pytest.mark.parametrize("limit", ["MOST_OF_A_KIND", "MOST_OF_A_KIND_AND_ORGANIZATION"])
def test_one_kind_leaves_room_for_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    monkeypatch.setattr(outbound, limit, 1)
    with at_work(tmp_path) as running:
        running.order("slow", "first")
        wait_until(lambda: running.slow.began == ["first"])
        running.order("slow", "second")
        running.order("other", "third")

        wait_until(lambda: running.slow.began == ["first", "third"])
        second = running.task("second")
        assert (second.state, second.attempts) == (TaskState.DUE, 0)
        assert second.not_before > running.world.clock.now()
        running.slow.over.append(True)
        wait_until(lambda: running.task("first").state is TaskState.DONE)
        running.world.clock.move(seconds=30)
        running.world.services.task_runs.sweep(holder="test")
        wait_until(lambda: "second" in running.slow.began)


def test_the_thread_that_ends_a_cancellation_takes_the_next_one_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    Nobody rings, the clock stands still, and nothing was put back.
    """
    monkeypatch.setattr(outbound, "MOST_OF_A_KIND_AND_ORGANIZATION", 1)
    names = [str(number) for number in range(5)]
    with at_work(tmp_path) as running:
        for name in names:
            running.order(TRANSCODE_CANCEL, name)
        wait_until(lambda: _states(running, names) == {TaskState.LEASED})
        assert running.slow.began == ["0"]

        running.slow.over.append(True)

        wait_until(lambda: _states(running, names) == {TaskState.DONE})
        assert running.slow.began == names
        assert {running.task(name).fence for name in names} == {1}


def test_cancellations_that_wait_are_handed_back_at_a_stop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbound, "MOST_OF_A_KIND_AND_ORGANIZATION", 1)
    names = [str(number) for number in range(3)]
    with at_work(tmp_path) as running:
        for name in names:
            running.order(TRANSCODE_CANCEL, name)
        wait_until(lambda: _states(running, names) == {TaskState.LEASED})
        running.stopped = True
        running.threads.close()

        assert running.slow.began == ["0"]
        back = {TaskState.DUE, TaskState.QUEUED}
        wait_until(lambda: _states(running, names) <= back)


def _states(running: Running, subjects: Sequence[str]) -> set[TaskState]:
    return {running.task(subject).state for subject in subjects}


def leased_task(subject: str) -> Task:
    now = SettableClock().now()
    return Task(
        id=TaskId(subject),
        kind=TRANSCODE_CANCEL,
        lane=Lane.OUTBOUND,
        org_id=OrgId("org_a"),
        subject=subject,
        payload={},
        state=TaskState.LEASED,
        not_before=now,
        created_at=now,
        updated_at=now,
    )


def test_a_task_that_waits_too_long_in_line_may_not_begin() -> None:
    """
    Nobody renews its lease meanwhile.
    """
    now_s = [100.0]
    lines = Lines(lambda: now_s[0])
    early, late = leased_task("early"), leased_task("late")
    assert lines.join(("kind", "org_a"), early)
    assert lines.join(("kind", "org_b"), late)

    assert lines.next(("kind", "org_a")) == early
    now_s[0] += LEASE.total_seconds() / 2 + 1
    assert lines.next(("kind", "org_b")) is None
    assert lines.leave(("kind", "org_b")) == [late]
    assert lines.leave() == []


def test_a_line_has_an_end() -> None:
    lines = Lines()
    joined = [lines.join(("kind",), leased_task(str(n))) for n in range(40)]

    assert sum(joined) == next_in_line.MOST_IN_LINE
    assert len(lines.leave()) == next_in_line.MOST_IN_LINE


def all_but(running: Running, count: int) -> bool:
    """
    Tell whether all ordered tasks were judged, and so many of them put off.
    """
    with running.world.services.uow.read() as work:
        tasks = work.tasks.search(kind=FETCH_KIND, limit=100)
    now = running.world.clock.now()
    put_off = [t for t in tasks if t.state is TaskState.DUE and t.not_before > now]
    return len(put_off) == count == len(tasks) - len(running.slow.began)


def test_an_organization_has_four_fetches_at_a_time(running: Running) -> None:
    for number in range(6):
        running.order(FETCH_KIND, str(number))

    wait_until(lambda: all_but(running, 2))


def test_hostile_organizations_do_not_stop_the_fetches_of_others(
    running: Running,
) -> None:
    hostile, others = "wxyz", {"org_a", "org_b", "org_c", "org_d"}
    for number in range(5):
        for name in hostile:
            running.order(FETCH_KIND, f"{name} {number}", org_id=f"org_{name}")
    # Of 16 places, 4 are for those who have none.
    wait_until(lambda: all_but(running, 8))

    for org_id in others:
        running.order(FETCH_KIND, org_id, org_id=org_id)

    wait_until(lambda: others <= set(running.slow.began))


def test_a_queue_that_fails_ends_the_taking_and_says_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with make_world(tmp_path, {}) as world:
        services = world.services
        vars(services)["queue"] = BrokenQueue()
        threads = OutboundThreads(services, worker="test:1", stopping=lambda: False)

        with threads.running():
            wait_until(threads.has_ended)

    assert "outbound tasks are no longer taken" in caplog.text
