"""Put messages into a queue under test and consume them in threads, with time limits."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from types import TracebackType
from typing import Final, Self

from hvcore.domain.ids import new_task_id
from hvcore.plugin_api import Lane, Queue, TaskId, UnavailableError

ALL_LANES: Final = tuple(Lane)
STOPS_WITHIN_S: Final = 3.0
"""The most seconds that a consumer may take to stop: the port's 2 s, and one for a busy machine."""
PUT_IS_TRIED_FOR_S: Final = 5.0
"""The seconds for which a put is tried again, because a busy server may refuse a message."""
QUIET_S: Final = 0.2
"""The seconds to wait for messages that come twice: a queue that repeats one does so at once."""
_in_doubt: Final[set[TaskId]] = set()
"""Ids of tasks that a busy server refused, but may have taken all the same."""


def put(queue: Queue, task_id: TaskId, lane: Lane = Lane.LIGHT) -> None:
    """Put a task's id into a lane, again until the queue has taken it."""
    deadline = time.monotonic() + PUT_IS_TRIED_FOR_S
    while True:
        try:
            return queue.put(task_id, kind="kit.test", lane=lane)
        except UnavailableError:
            if time.monotonic() > deadline:
                raise
            _in_doubt.add(task_id)


def put_new(queue: Queue, lane: Lane = Lane.LIGHT) -> TaskId:
    """Put a new task id into a lane, and return it."""
    task_id = new_task_id()
    put(queue, task_id, lane)
    return task_id


def put_many(queue: Queue, count: int, lane: Lane = Lane.LIGHT) -> list[TaskId]:
    """Put several new task ids into a lane, one after the other, and return them."""
    return [put_new(queue, lane) for _ in range(count)]


class Consumer:
    """
    Consumes from a queue in a thread while a block runs, and records the task ids that arrive.

    Args:
        handle: Called with each task id after it was recorded; by default nothing is
            called.
        most: The number of task ids after which the consumer stops; None: no limit.
        patience_s: The seconds to wait for expected task ids.
    """

    def __init__(
        self,
        queue: Queue,
        *,
        lanes: Sequence[Lane] = ALL_LANES,
        handle: Callable[[TaskId], None] = lambda _: None,
        most: int | None = None,
        patience_s: float,
    ) -> None:
        self.seen: list[TaskId] = []
        self.raised: BaseException | None = None
        self._queue = queue
        self._lanes = lanes
        self._then = handle
        self._most = most
        self._patience_s = patience_s
        self._changed = threading.Condition()
        self._is_stopping = False
        self._thread = threading.Thread(target=self._consume, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._is_stopping = True
        self._thread.join(STOPS_WITHIN_S)
        if error is None:
            assert not self._thread.is_alive(), "the consumer does not stop"
            if self.raised is not None:
                raise self.raised

    @property
    def thread_id(self) -> int | None:
        """The identifier of the consumer's thread (``threading.get_ident()``)."""
        return self._thread.ident

    def stop(self) -> None:
        """Make ``until`` return True from now on, without waiting for the consumer to stop."""
        self._is_stopping = True

    def has_ended(self, within_s: float = STOPS_WITHIN_S) -> bool:
        """Return whether ``consume`` returned or raised, now or in time."""
        self._thread.join(within_s)
        return not self._thread.is_alive()

    def wait_for(self, wanted: Collection[TaskId]) -> None:
        """
        Wait until all of the given task ids have arrived.

        Raises:
            AssertionError: Some task ids did not arrive in time.
        """
        deadline = time.monotonic() + self._patience_s
        with self._changed:
            while missing := set(wanted) - set(self.seen):
                left_s = deadline - time.monotonic()
                if self.raised is not None:
                    raise AssertionError("the consumer ended") from self.raised
                assert left_s > 0, f"{len(missing)} of {len(wanted)} ids did not arrive"
                self._changed.wait(left_s)

    def _consume(self) -> None:
        try:
            self._queue.consume(self._handle, lanes=self._lanes, until=self._until)
        except BaseException as exc:  # noqa: BLE001 - raised by those who wait
            with self._changed:
                self.raised = exc
                self._changed.notify_all()

    def _until(self) -> bool:
        return self._is_stopping or len(self.seen) == self._most

    def _handle(self, task_id: TaskId) -> None:
        with self._changed:
            self.seen.append(task_id)
            self._changed.notify_all()
        self._then(task_id)


def consumed(
    queue: Queue,
    wanted: Collection[TaskId],
    *,
    lanes: Sequence[Lane] = ALL_LANES,
    patience_s: float,
) -> list[TaskId]:
    """
    Consume until the given task ids have arrived, and a moment longer.

    Returns:
        All task ids that were received, in the order in which they came.

    Raises:
        AssertionError: Some task ids did not arrive in time.
    """
    with Consumer(queue, lanes=lanes, patience_s=patience_s) as consumer:
        consumer.wait_for(wanted)
        threading.Event().wait(QUIET_S)
    return consumer.seen


def assert_once_each(seen: Sequence[TaskId], wanted: Collection[TaskId]) -> None:
    """Assert that exactly the wanted task ids arrived, each once."""
    several = {one for one, count in Counter(seen).items() if count > 1}
    assert several - _in_doubt == set()
    assert set(seen) == set(wanted)
