"""The promises of every queue about its consumers: they stop when told, go on after errors, and block nobody."""

import logging
import threading
import time

import pytest

from hvcore.plugin_api import Lane, Queue, TaskId, UnavailableError
from hvcore.testing.children import ends_within
from hvcore.testing.queue.consumers import (
    QUIET_S,
    STOPS_WITHIN_S,
    assert_once_each,
    put_many,
    put_new,
)
from hvcore.testing.queue.interruptions import InterruptionPromises


class QueueConformance(InterruptionPromises):
    """The promises of every queue, also of one that serves a single process."""

    def test_an_idle_consumer_stops(self, queue: Queue) -> None:
        """A consumer without messages calls ``until`` often enough to stop within 2 s."""
        with self._consumer(queue) as consumer:
            threading.Event().wait(QUIET_S)
            start = time.monotonic()
            consumer.stop()

            assert consumer.has_ended(), "the consumer does not stop"
            assert time.monotonic() - start < STOPS_WITHIN_S

    def test_a_consumer_stops_between_messages(self, queue: Queue) -> None:
        """A consumer stops between two messages, however many wait; the next consumer gets the rest."""
        wanted = put_many(queue, 20)

        with self._consumer(queue, most=1) as consumer:
            assert consumer.has_ended(), "the consumer does not stop"
        assert len(consumer.seen) == 1

        left = [one for one in wanted if one not in consumer.seen]
        assert_once_each(self._consumed(queue, left), left)

    def test_a_consumer_that_has_ended_takes_nothing(self, queue: Queue) -> None:
        """A consumer that has ended takes no further messages; another consumer gets them."""
        with self._consumer(queue) as ended:
            ended.wait_for([put_new(queue)])

        task_id = put_new(queue)
        threading.Event().wait(QUIET_S)

        assert queue.depth(Lane.LIGHT) == 1
        assert self._consumed(queue, [task_id]) == [task_id]
        assert task_id not in ended.seen

    def test_a_busy_consumer_holds_up_nobody(self, queue: Queue) -> None:
        """While a consumer handles a message for hours, others can put and consume messages."""
        may_end = threading.Event()
        first = put_new(queue)

        with self._consumer(queue, handle=lambda _: _wait(may_end)) as busy:
            try:
                busy.wait_for([first])
                # By itself: a queue that is locked meanwhile would never return.
                wanted: list[TaskId] = []
                ends_within(self.patience_s, lambda: wanted.extend(put_many(queue, 10)))
                assert_once_each(self._consumed(queue, wanted), wanted)
            finally:
                may_end.set()

        assert busy.seen == [first]

    def test_a_consumer_handles_one_by_one_in_its_own_thread(
        self, queue: Queue
    ) -> None:
        """A consumer calls its handler for one message at a time, in the thread that called ``consume``."""
        threads: set[int] = set()
        active: list[TaskId] = []
        most: list[int] = []

        def handle(task_id: TaskId) -> None:
            threads.add(threading.get_ident())
            active.append(task_id)
            time.sleep(0)
            most.append(len(active))
            active.remove(task_id)

        wanted = put_many(queue, 20)

        with self._consumer(queue, handle=handle) as consumer:
            consumer.wait_for(wanted)
            ours = consumer.thread_id

        assert threads == {ours}
        assert max(most) == 1

    def test_an_error_of_a_handler_is_logged_and_ends_nothing(
        self, queue: Queue, caplog: pytest.LogCaptureFixture
    ) -> None:
        """An error of a handler is logged and drops its message; the consumer goes on."""
        bad = put_new(queue)

        def handle(task_id: TaskId) -> None:
            if task_id == bad:
                raise ValueError("of the kit")

        with (
            caplog.at_level(logging.ERROR),
            self._consumer(queue, handle=handle) as consumer,
        ):
            consumer.wait_for([bad])
            consumer.wait_for([put_new(queue)])
            threading.Event().wait(QUIET_S)

        assert consumer.seen.count(bad) == 1
        assert [record for record in caplog.records if record.levelno >= logging.ERROR]

    def test_a_service_that_does_not_answer_is_a_line_in_the_log(
        self, queue: Queue, caplog: pytest.LogCaptureFixture
    ) -> None:
        """An UnavailableError of a handler is logged as a warning without traceback; the consumer goes on."""
        bad = put_new(queue)

        def handle(task_id: TaskId) -> None:
            if task_id == bad:
                raise UnavailableError("The database does not answer.")

        with (
            caplog.at_level(logging.INFO),
            self._consumer(queue, handle=handle) as consumer,
        ):
            consumer.wait_for([bad])
            consumer.wait_for([put_new(queue)])

        assert [one for one in caplog.records if one.levelno == logging.WARNING]
        assert [one.getMessage() for one in caplog.records if one.exc_info] == []

    def test_a_consumer_is_counted_while_it_handles(self, queue: Queue) -> None:
        """``workers`` counts a consumer also while it handles a message, because jobs are split by that number."""
        may_end = threading.Event()
        task_id = put_new(queue, Lane.ENCODE)

        with self._consumer(
            queue, [Lane.ENCODE], handle=lambda _: _wait(may_end)
        ) as consumer:
            try:
                consumer.wait_for([task_id])
                # An estimate is enough, and may be a moment late.
                deadline = time.monotonic() + self.patience_s
                while queue.workers(Lane.ENCODE) < 1:
                    assert time.monotonic() < deadline, "nobody is counted"
                    threading.Event().wait(0.05)
            finally:
                may_end.set()


def _wait(may_end: threading.Event) -> None:
    may_end.wait(60)
