"""The promises of queues that several processes share: about killed processes, forks and outages."""

import logging
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from functools import partial
from typing import Final, TypeAlias

import pytest

from hvcore.plugin_api import Lane, Queue, TaskId, UnavailableError
from hvcore.testing.children import Child, Report, in_children
from hvcore.testing.queue.consumers import (
    ALL_LANES,
    QUIET_S,
    assert_once_each,
    put,
    put_many,
    put_new,
)
from hvcore.testing.queue.consuming import QueueConformance

ReopenedQueue: TypeAlias = Callable[[], Queue]
"""Makes the same queue again, as another process would."""
OutageOfQueue: TypeAlias = Callable[[], AbstractContextManager[None]]
"""A context manager in whose block the server of the queue does not answer."""
_OUTAGE_S: Final = 1.5
GIVES_UP_WITHIN_S: Final = 1.0
"""The most seconds that a call may take in an outage: the port's 0.25 s, and a slow machine."""
ANSWERS_AGAIN_WITHIN_S: Final = 5.0


class SharedQueueConformance(QueueConformance):
    """The promises of every queue that several processes share."""

    @pytest.fixture
    def reopened(self) -> ReopenedQueue:
        """Return a function that makes the same queue again, as another process would."""
        raise NotImplementedError

    @pytest.fixture
    def outage(self) -> OutageOfQueue:
        """Return a function that makes the queue's server unreachable for a block."""
        raise NotImplementedError

    def test_a_queue_spans_processes(
        self, queue: Queue, reopened: ReopenedQueue
    ) -> None:
        """A message put in one process arrives in another one, and ``spans_processes`` is true."""
        assert queue.spans_processes
        child = self._consuming(reopened)
        try:
            task_ids = put_many(queue, 3)

            assert sorted(child.line(self.patience_s) for _ in task_ids) == sorted(
                task_ids
            )
        finally:
            child.kill()

    def test_processes_share_what_waits(
        self, queue: Queue, reopened: ReopenedQueue
    ) -> None:
        """Each waiting message goes to one of the processes that consume, and to no second one."""
        child = self._consuming(reopened)
        try:
            first = put_new(queue)
            assert child.line(self.patience_s) == first
            with self._consumer(queue) as consumer:
                wanted = put_many(queue, 100)
                deadline = time.monotonic() + self.patience_s
                while queue.depth(Lane.LIGHT) and time.monotonic() < deadline:
                    threading.Event().wait(0.01)
                threading.Event().wait(QUIET_S)
            last = put_new(queue)
            of_child = list(iter(lambda: child.line(self.patience_s), last))
        finally:
            child.kill()

        assert_once_each([*map(TaskId, of_child), *consumer.seen], wanted)

    def test_processes_that_put_at_once_lose_nothing(
        self, queue: Queue, reopened: ReopenedQueue
    ) -> None:
        """Messages that several processes put at the same time arrive once each, in their own lanes."""

        def work(lane: Lane) -> str:
            own = reopened()
            put_ids = put_many(own, 40, lane)
            own.close()
            return " ".join(put_ids)

        lanes = (Lane.LIGHT, Lane.ENCODE, Lane.LIGHT)
        told = in_children([partial(work, lane) for lane in lanes])
        for lane in (Lane.LIGHT, Lane.ENCODE):
            wanted = [
                TaskId(one)
                for own, line in zip(lanes, told, strict=True)
                for one in line.split()
                if own is lane
            ]
            assert queue.depth(lane) == len(wanted)
            assert_once_each(self._consumed(queue, wanted, [lane]), wanted)

    def test_a_message_outlives_the_process_that_put_it(
        self, queue: Queue, reopened: ReopenedQueue
    ) -> None:
        """A message arrives also if its process is killed right after ``put`` has returned."""

        def work(report: Report) -> None:
            report(put_new(reopened()))
            time.sleep(60)

        child = Child(work)
        task_id = TaskId(child.line(self.patience_s))
        child.kill()

        assert queue.depth(Lane.LIGHT) == 1
        assert self._consumed(queue, [task_id]) == [task_id]

    def test_a_message_arrives_after_its_queue_was_closed(
        self, queue: Queue, reopened: ReopenedQueue
    ) -> None:
        """A message arrives after the queue that put it was closed."""
        other = reopened()
        task_id = put_new(other)
        other.close()

        assert self._consumed(queue, [task_id]) == [task_id]

    def test_a_killed_consumer_takes_along_what_it_handles_and_nothing_more(
        self, queue: Queue, reopened: ReopenedQueue
    ) -> None:
        """A killed consumer loses only the message that it was handling, and leaves no lock behind."""
        wanted = put_many(queue, 10)
        child = self._consuming(reopened, then=lambda: time.sleep(60))
        taken = TaskId(child.line(self.patience_s))
        child.kill()
        left = [one for one in wanted if one != taken]

        seen = self._consumed(queue, left)
        # As the sweep does when the lease has run out.
        put(queue, taken)

        # A queue may bring it back by itself, too.
        assert_once_each([one for one in seen if one != taken], left)
        assert set(self._consumed(queue, [taken])) == {taken}

    def test_signal_handlers_are_left_alone(
        self, queue: Queue, reopened: ReopenedQueue
    ) -> None:
        """Consuming in the main thread changes no signal handlers of the process."""
        put_new(queue)

        def work(report: Report) -> None:
            before = _handlers()
            seen: list[object] = []
            during: list[object] = []

            def handle(task_id: TaskId) -> None:
                during.append(_handlers())
                seen.append(task_id)

            reopened().consume(handle, lanes=ALL_LANES, until=lambda: bool(seen))
            report(str([*during, _handlers()] == [before, before]))

        child = Child(work)
        try:
            assert child.line(self.patience_s) == "True"
        finally:
            child.kill()

    def test_an_outage_is_an_unavailable_error_at_once(
        self, queue: Queue, outage: OutageOfQueue
    ) -> None:
        """Calls raise UnavailableError at once while the queue's server does not answer."""
        left = put_new(queue)

        with outage():
            for call in (
                lambda: queue.put(left, kind="kit.test", lane=Lane.LIGHT),
                queue.ping,
                lambda: queue.depth(Lane.LIGHT),
            ):
                start = time.monotonic()
                with pytest.raises(UnavailableError):
                    call()
                assert time.monotonic() - start < GIVES_UP_WITHIN_S
            # Some backends know without asking.
            start = time.monotonic()
            with suppress(UnavailableError):
                queue.workers(Lane.LIGHT)
            assert time.monotonic() - start < GIVES_UP_WITHIN_S

        self._answers_again(queue)

    def test_an_outage_is_waited_out(self, queue: Queue, outage: OutageOfQueue) -> None:
        """A consumer waits while the queue's server does not answer, and goes on afterwards."""
        with self._consumer(queue) as consumer:
            consumer.wait_for([put_new(queue)])
            with outage():
                threading.Event().wait(QUIET_S)
            self._answers_again(queue)

            consumer.wait_for([put_new(queue)])

    def test_an_outage_is_a_line_in_the_log_when_it_begins(
        self, queue: Queue, outage: OutageOfQueue, caplog: pytest.LogCaptureFixture
    ) -> None:
        """An outage makes one line in the log when it begins (one per lane, if it names the lane), without a traceback."""

        def told() -> list[logging.LogRecord]:
            return [one for one in caplog.records if one.levelno >= logging.WARNING]

        caplog.set_level(logging.INFO)
        with self._consumer(queue) as consumer:
            consumer.wait_for([put_new(queue)])
            caplog.clear()
            with outage():
                deadline = time.monotonic() + self.patience_s
                while not told():
                    assert time.monotonic() < deadline, "no line tells of the outage"
                    threading.Event().wait(0.02)
                threading.Event().wait(_OUTAGE_S)
                lanes = Counter(getattr(one, "hv_lane", None) for one in told())
                shown = [one.getMessage() for one in told()]
                assert max(lanes.values()) == 1, f"{len(shown)} lines: {shown[:3]}"
                assert not any(one.exc_info for one in told()), "with a traceback"
            self._answers_again(queue)
            consumer.wait_for([put_new(queue)])

    def test_a_consumer_starts_and_stops_during_an_outage(
        self, queue: Queue, outage: OutageOfQueue
    ) -> None:
        """A consumer can start and stop while the queue's server does not answer."""
        with outage(), self._consumer(queue) as consumer:
            threading.Event().wait(QUIET_S)
            assert consumer.raised is None
            consumer.stop()
            assert consumer.has_ended(), "the consumer does not stop"

    def _consuming(
        self, reopened: ReopenedQueue, then: Callable[[], None] = lambda: None
    ) -> Child:
        def work(report: Report) -> None:
            def handle(task_id: TaskId) -> None:
                report(task_id)
                then()

            reopened().consume(handle, lanes=ALL_LANES, until=lambda: False)

        return Child(work)

    def _answers_again(self, queue: Queue) -> None:
        deadline = time.monotonic() + ANSWERS_AGAIN_WITHIN_S
        while True:
            try:
                return queue.ping()
            except UnavailableError:
                assert time.monotonic() < deadline, "it does not answer again"
                threading.Event().wait(0.02)


def _handlers() -> list[object]:
    return [signal.getsignal(number) for number in sorted(signal.valid_signals())]
