"""The promises of every queue about messages: each arrives once, in its own lane."""

import statistics
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

import pytest

from hvcore.domain.ids import new_task_id
from hvcore.plugin_api import Lane, Queue, SupportsPrepare, TaskId, UnavailableError
from hvcore.testing.children import Child, Report, at_once, ends_within
from hvcore.testing.kit import Kit
from hvcore.testing.queue.consumers import (
    ALL_LANES,
    QUIET_S,
    Consumer,
    assert_once_each,
    consumed,
    put,
    put_many,
    put_new,
)

CALL_TAKES_AT_MOST_S: Final = 0.25
"""The most seconds that half of the calls may take, as the port promises for all; test machines are busy."""
CALL_HANGS_AFTER_S: Final = 2.0
MANY_TAKE_AT_MOST: Final = 10
"""The multiple of the kit's patience that a thousand messages may take."""
MESSAGES_OF_ANOTHER_LANE: Final = 10
"""The most messages of one lane that may be handled before a waiting message of another lane."""
PUT: Final = "put"
REFUSED: Final = "refused"


class MessagePromises(Kit):
    """
    The promises of every queue about messages: each arrives once, in its own lane.

    Attributes:
        patience_s: The seconds that the kit waits for expected messages.
    """

    patience_s = 6.0

    @pytest.fixture
    def queue(self) -> Queue:
        """Return the empty queue under test."""
        raise NotImplementedError

    @pytest.fixture
    def elsewhere(self) -> Queue:
        """Return an empty queue of other settings."""
        raise NotImplementedError("give the fixture: a queue of other settings")

    def test_a_message_put_before_reaches_a_later_consumer(self, queue: Queue) -> None:
        """A message waits for a consumer that begins later, and carries the task id as it was put."""
        wanted = put_many(queue, 5)

        seen = self._consumed(queue, wanted)

        assert_once_each(seen, wanted)
        assert {type(task_id) for task_id in seen} == {str}

    def test_a_message_reaches_a_waiting_consumer(self, queue: Queue) -> None:
        """A consumer that waits gets a new message soon."""
        with self._consumer(queue) as consumer:
            consumer.wait_for([put_new(queue)])
            threading.Event().wait(QUIET_S)

            consumer.wait_for([put_new(queue)])

    def test_a_thousand_ids_arrive_once_each(self, queue: Queue) -> None:
        """A thousand task ids that several threads put and consume at the same time arrive once each."""
        wanted = [new_task_id() for _ in range(1_000)]

        def put_all(some: Sequence[TaskId]) -> None:
            for one in some:
                put(queue, one)

        with self._consumer(queue) as one, self._consumer(queue) as other:
            ends_within(
                MANY_TAKE_AT_MOST * self.patience_s,
                lambda: at_once([partial(put_all, wanted[n::4]) for n in range(4)]),
            )
            deadline = time.monotonic() + MANY_TAKE_AT_MOST * self.patience_s
            while len(one.seen) + len(other.seen) < len(wanted):
                assert time.monotonic() < deadline, "not all of 1,000 ids arrived"
                threading.Event().wait(0.01)
            threading.Event().wait(QUIET_S)

        assert_once_each([*one.seen, *other.seen], wanted)

    def test_each_lane_is_a_queue_of_its_own(self, queue: Queue) -> None:
        """A consumer gets only messages of the lanes that it consumes."""
        wanted = {lane: put_new(queue, lane) for lane in ALL_LANES}

        for lane, task_id in wanted.items():
            assert queue.depth(lane) == 1
            assert self._consumed(queue, [task_id], [lane]) == [task_id]
            assert queue.depth(lane) == 0

    @pytest.mark.parametrize(
        ("full", "lanes"),
        [
            (Lane.ENCODE, (Lane.ENCODE, Lane.LIGHT)),
            (Lane.LIGHT, (Lane.ENCODE, Lane.LIGHT)),
        ],
        ids=["first", "last"],
    )
    def test_no_lane_waits_for_another_to_be_empty(
        self, queue: Queue, full: Lane, lanes: Sequence[Lane]
    ) -> None:
        """A message of one lane is handled before all messages of a fuller lane are."""
        (other,) = set(lanes) - {full}
        many = put_many(queue, 4 * MESSAGES_OF_ANOTHER_LANE, full)
        few = put_new(queue, other)

        seen = self._consumed(queue, [*many, few], lanes)

        assert seen.index(few) <= MESSAGES_OF_ANOTHER_LANE

    def test_an_id_that_is_put_twice_arrives_once_or_twice(self, queue: Queue) -> None:
        """A task id that is put twice while it waits arrives once or twice, and other messages arrive, too."""
        twice = put_new(queue)
        put(queue, twice)
        wanted = [twice, put_new(queue)]

        seen = self._consumed(queue, wanted)

        assert set(seen) == set(wanted)
        assert seen.count(twice) in {1, 2}

    def test_an_id_that_is_put_again_later_arrives_again(self, queue: Queue) -> None:
        """A task id that is put again after it was handled arrives again."""
        task_id = put_new(queue)
        assert self._consumed(queue, [task_id]) == [task_id]

        put(queue, task_id)

        assert self._consumed(queue, [task_id]) == [task_id]

    def test_an_id_that_is_put_while_it_is_handled_arrives_again(
        self, queue: Queue
    ) -> None:
        """A task id that its own handler puts again arrives again."""
        seen: list[TaskId] = []
        has_come_again = threading.Event()

        def handle(task_id: TaskId) -> None:
            seen.append(task_id)
            if len(seen) == 1:
                put(queue, task_id)
            else:
                has_come_again.set()

        put_new(queue)

        with self._consumer(queue, handle=handle):
            assert has_come_again.wait(self.patience_s), "it did not arrive again"

    def test_depth_counts_what_waits(self, queue: Queue) -> None:
        """``depth`` counts the messages of a lane that no consumer has taken yet."""
        assert {lane: queue.depth(lane) for lane in ALL_LANES} == dict.fromkeys(
            ALL_LANES, 0
        )
        wanted = put_many(queue, 3)
        depths: list[int] = []

        with self._consumer(
            queue, handle=lambda _: depths.append(queue.depth(Lane.LIGHT))
        ) as consumer:
            consumer.wait_for(wanted)

        assert depths == [2, 1, 0]

        put_new(queue, Lane.ENCODE)
        assert {lane: queue.depth(lane) for lane in ALL_LANES} == {
            **dict.fromkeys(ALL_LANES, 0),
            Lane.ENCODE: 1,
        }

    def test_no_call_takes_long(self, queue: Queue) -> None:
        """Calls of ``put``, ``depth``, ``workers`` and ``ping`` take at most 0.25 s, because requests wait for them."""
        calls: Sequence[Callable[[], object]] = (
            lambda: put_new(queue, Lane.ENCODE),
            lambda: queue.depth(Lane.ENCODE),
            lambda: queue.workers(Lane.ENCODE),
            queue.ping,
        )
        for call in calls:
            ends_within(CALL_HANGS_AFTER_S, call)
            assert statistics.median(_seconds(call) for _ in range(3)) <= (
                CALL_TAKES_AT_MOST_S
            )

    def test_a_forked_child_puts_or_says_that_it_cannot(self, queue: Queue) -> None:
        """A forked child puts a message that arrives, or gets UnavailableError; the parent's queue works as before."""
        wanted = [put_new(queue)]
        of_child = new_task_id()
        child = child_that_puts(queue, of_child)
        try:
            if child.line(self.patience_s) == PUT:
                wanted.append(of_child)
        finally:
            child.kill()
        wanted += put_many(queue, 5)

        assert_once_each(self._consumed(queue, wanted), wanted)

    def test_preparing_again_loses_nothing(self, queue: Queue) -> None:
        """Preparing a queue again, as every start does, loses no waiting message."""
        task_id = put_new(queue)

        if isinstance(queue, SupportsPrepare):
            queue.prepare()
            assert queue.is_prepared()

        assert self._consumed(queue, [task_id]) == [task_id]

    def _consumer(
        self,
        queue: Queue,
        lanes: Sequence[Lane] = ALL_LANES,
        handle: Callable[[TaskId], None] = lambda _: None,
        most: int | None = None,
    ) -> Consumer:
        return Consumer(
            queue, lanes=lanes, handle=handle, most=most, patience_s=self.patience_s
        )

    def _consumed(
        self,
        queue: Queue,
        wanted: Sequence[TaskId],
        lanes: Sequence[Lane] = ALL_LANES,
    ) -> list[TaskId]:
        return consumed(queue, wanted, lanes=lanes, patience_s=self.patience_s)


def child_that_puts(
    queue: Queue, task_id: TaskId, *, wait: Callable[[], object] = lambda: None
) -> Child:
    """Fork a child that waits, puts a task id, and reports PUT, or REFUSED for UnavailableError."""

    def work(report: Report) -> None:
        wait()
        try:
            queue.put(task_id, kind="kit.test", lane=Lane.LIGHT)
        except UnavailableError:
            report(REFUSED)
        else:
            report(PUT)

    return Child(work)


def _seconds(call: Callable[[], object]) -> float:
    start = time.monotonic()
    call()
    return time.monotonic() - start
