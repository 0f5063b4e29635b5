"""The promises of every queue about many messages, separate queues, and calls that are interrupted or forked."""

import os
import time
from collections.abc import Callable
from functools import partial
from typing import Final

import pytest

from hvcore.domain.ids import new_task_id
from hvcore.plugin_api import Lane, Queue, TaskId
from hvcore.testing.children import Child, spread
from hvcore.testing.held_calls import held_at, lines_of
from hvcore.testing.kit import may_leave
from hvcore.testing.queue.consumers import (
    ALL_LANES,
    STOPS_WITHIN_S,
    assert_once_each,
    put,
    put_many,
    put_new,
)
from hvcore.testing.queue.messages import PUT, MessagePromises, child_that_puts
from hvcore.testing.raised_errors import (
    BrokenOffCall,
    FilesOf,
    break_off_at_each_line,
)

_MANY: Final = 300
_KINDS: Final = ("upload.take", "encode.part", "webhook.send", "kit/test", "é")
_BREAKS: Final = 60
_FORKS: Final = 8
"""The most lines of a call in the middle of which a child is forked."""


class QueueKitInterrupt(BaseException):
    """An exception that the kit raises in a handler as a signal handler would."""


class InterruptionPromises(MessagePromises):
    """The promises of every queue about many messages, separate queues, and calls that are interrupted or forked."""

    def test_hundreds_of_messages_wait_for_a_consumer(self, queue: Queue) -> None:
        """Hundreds of messages wait for a consumer: each is counted, and none is dropped."""
        wanted = put_many(queue, _MANY, Lane.ENCODE)
        few = put_many(queue, 3)

        assert {lane: queue.depth(lane) for lane in (Lane.ENCODE, Lane.LIGHT)} == {
            Lane.ENCODE: _MANY,
            Lane.LIGHT: 3,
        }
        assert_once_each(self._consumed(queue, few, [Lane.LIGHT]), few)
        assert_once_each(self._consumed(queue, wanted, [Lane.ENCODE]), wanted)

    def test_messages_of_every_kind_arrive(self, queue: Queue) -> None:
        """Messages of every kind arrive: the kind of a message does not matter to the queue."""
        wanted = [new_task_id() for _ in _KINDS]
        for task_id, kind in zip(wanted, _KINDS, strict=True):
            queue.put(task_id, kind=kind, lane=Lane.LIGHT)

        assert queue.depth(Lane.LIGHT) == len(wanted)
        assert_once_each(self._consumed(queue, wanted), wanted)

    def test_an_id_may_wait_in_two_lanes(self, queue: Queue) -> None:
        """A task id that is put into two lanes arrives in both."""
        task_id = put_new(queue, Lane.LIGHT)
        put(queue, task_id, Lane.ENCODE)

        assert [queue.depth(lane) for lane in (Lane.LIGHT, Lane.ENCODE)] == [1, 1]
        for lane in (Lane.ENCODE, Lane.LIGHT):
            assert self._consumed(queue, [task_id], [lane]) == [task_id]

    def test_queues_of_other_settings_share_nothing(
        self, queue: Queue, elsewhere: Queue
    ) -> None:
        """Two queues of one process with other settings share no messages, not even of the same task id."""
        task_id = put_new(queue)
        other = put_new(queue, Lane.ENCODE)
        before = {lane: elsewhere.depth(lane) for lane in ALL_LANES}
        put(elsewhere, task_id)
        seen = self._consumed(elsewhere, [task_id])

        assert before == dict.fromkeys(ALL_LANES, 0)
        assert seen == [task_id]
        wanted = [task_id, other]
        assert [queue.depth(lane) for lane in (Lane.LIGHT, Lane.ENCODE)] == [1, 1]
        assert_once_each(self._consumed(queue, wanted), wanted)

    @pytest.mark.parametrize(
        "kind", [QueueKitInterrupt, KeyboardInterrupt, SystemExit, GeneratorExit]
    )
    def test_other_exceptions_end_the_consumer(
        self, queue: Queue, kind: type[BaseException]
    ) -> None:
        """A BaseException of a handler, such as Ctrl-C, ends the consumer and reaches its caller."""
        put_new(queue)

        def handle(_: TaskId) -> None:
            raise kind

        with (
            pytest.raises(kind),
            self._consumer(queue, handle=handle) as consumer,
        ):
            assert consumer.has_ended(), "the consumer goes on"

        task_id = put_new(queue)
        assert task_id in self._consumed(queue, [task_id])

    @may_leave("open files", "descriptors", "files")
    def test_an_error_in_the_middle_of_a_put_is_passed_on(self, queue: Queue) -> None:
        """An error at any line of ``put`` reaches the caller or the message is put; the queue goes on working."""
        task_id = new_task_id()

        def new_id() -> None:
            nonlocal task_id
            self._taken(queue, queue.depth(Lane.LIGHT))
            task_id = new_task_id()

        def look(ended: BrokenOffCall[None]) -> None:
            wanted = put_new(queue)
            depth = queue.depth(Lane.LIGHT)
            assert depth in {1, 2}
            if ended.error is None:
                assert depth == 2, "it returned, and nothing was put"
            seen = self._taken(queue, depth)
            assert set(seen) == {wanted, *([task_id] if depth == 2 else [])}

        break_off_at_each_line(
            lambda: queue.put(task_id, kind="kit.test", lane=Lane.LIGHT),
            backends=[queue],
            before=new_id,
            look=look,
            at_most=_BREAKS,
        )

    @may_leave("open files", "descriptors", "files")
    def test_an_error_in_the_middle_of_consuming_loses_one_message_at_most(
        self, queue: Queue
    ) -> None:
        """An error at any line of ``consume`` loses the handled message at most; all other messages stay."""
        wanted: list[TaskId] = []
        seen: list[TaskId] = []

        def put_three() -> None:
            self._taken(queue, queue.depth(Lane.LIGHT))
            seen.clear()
            wanted[:] = put_many(queue, 3)

        def consume() -> None:
            end = time.monotonic() + self.patience_s
            queue.consume(
                seen.append,
                lanes=ALL_LANES,
                until=lambda: bool(seen) or time.monotonic() > end,
            )

        def look(ended: BrokenOffCall[None]) -> None:
            rest = self._taken(queue, queue.depth(Lane.LIGHT))
            assert len(set(rest)) == len(rest), "one comes twice"
            lost = set(wanted) - {*seen, *rest}
            assert len(lost) <= 1, f"{len(lost)} of 3 messages are lost"
            # What is raised as an outage is waited out, and the next message is handled.
            if ended.error is not None:
                assert len(rest) >= 2, "more was taken than one message"

        break_off_at_each_line(
            consume,
            backends=[queue],
            before=put_three,
            look=look,
            at_most=_BREAKS,
        )

    def test_a_child_that_is_forked_in_the_middle_of_a_call_waits_for_no_lock(
        self, queue: Queue
    ) -> None:
        """A child that is forked while another thread puts or consumes puts a message, or gets UnavailableError."""
        wanted, seen = list[TaskId](), list[TaskId]()

        def put_one() -> None:
            wanted.append(put_new(queue))

        def take_one() -> None:
            before, end = len(seen), time.monotonic() + self.patience_s
            queue.consume(
                seen.append,
                lanes=ALL_LANES,
                until=lambda: len(seen) > before or time.monotonic() > end,
            )

        for call in (put_one, take_one):
            put_one()
            for line in spread(
                lines_of(call, is_counted=FilesOf([queue])), at_most=_FORKS
            ):
                put_one()
                of_child = new_task_id()
                if self._is_put_by_a_child(queue, of_child, call, line):
                    wanted.append(of_child)

        left = [one for one in wanted if one not in seen]
        assert_once_each([*seen, *self._consumed(queue, left)], wanted)

    def _is_put_by_a_child(
        self, queue: Queue, task_id: TaskId, call: Callable[[], None], line: int
    ) -> bool:
        """Hold a call at a line, and fork a child meanwhile; return whether it has put a task id."""
        children: list[Child] = []
        # After the call: SQLite's locks of another process are not known in a child that is
        # forked within its transaction, and those of Python are the ones that hang.
        going, go = os.pipe()

        def fork() -> None:
            wait = partial(os.read, going, 1)
            children.append(child_that_puts(queue, task_id, wait=wait))

        try:
            with held_at(
                line, is_counted=FilesOf([queue]), held_s=self.patience_s
            ) as hold:
                hold(call, fork)
                os.write(go, b".")
                return children[0].line(self.patience_s) == PUT
        finally:
            for child in children:
                child.kill()
            os.close(going)
            os.close(go)

    def _taken(self, queue: Queue, count: int) -> list[TaskId]:
        """Consume a number of messages, and return their task ids."""
        if not count:
            return []
        with self._consumer(queue, most=count) as consumer:
            assert consumer.has_ended(self.patience_s + STOPS_WITHIN_S), (
                f"fewer than {count} messages came"
            )
        return consumer.seen
