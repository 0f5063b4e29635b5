"""
The queue port: a doorbell that carries the ids of tasks.

The database knows what a task is, when it is due and which worker holds it. A task is
put only once it is due, so a queue delays nothing. A queue that loses or repeats
messages does no other harm: what nobody took within 15 s is put again.

A factory is called once in each process, after its forks. Every method may be called
from any thread, also while other threads consume. In a child of a later fork, a queue
works, or raises UnavailableError; it never takes a message that nobody will get, and
leaves the parent's connections alone. Each method raises UnavailableError where the
client of a server raises errors of its own.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar

from hvcore.domain.ids import TaskId
from hvcore.domain.tasks.task import Lane


class Queue(ABC):
    """
    Carry task ids from the code that makes tasks to the workers.

    A backend with tables of its own also inherits SupportsPrepare.

    Attributes:
        spans_processes: Whether other processes get what is put here; ``hv`` runs
            several, and refuses a queue that does not.
    """

    spans_processes: ClassVar[bool] = True

    @abstractmethod
    def put(self, task_id: TaskId, *, kind: str, lane: Lane) -> None:
        """
        Ring for a task: whoever consumes the lane, now or later, gets its id.

        At least once, to one consumer, as soon as one is idle (within about 2 s). An
        id that is put again while it waits may arrive once or twice. One that is
        put after it was handed over arrives again, also while it is handled. Messages
        have no promised order.

        A message need not outlive the queue's server. It outlives the process that
        put it. Messages that nobody takes may be dropped after two minutes.

        Called after a commit, from any thread, also by ``handle``; must return or
        raise within about 0.25 s.

        Args:
            kind: The kind of the task, for people who look into the queue.
            lane: Each is a queue of its own.

        Raises:
            UnavailableError: The message was not taken.
        """

    @abstractmethod
    def consume(
        self,
        handle: Callable[[TaskId], None],
        *,
        lanes: Sequence[Lane],
        until: Callable[[], bool],
    ) -> None:
        """
        Call handle for each message, one by one, in this thread, until ``until()``.

        Several threads may consume at a time. Handling takes milliseconds or hours;
        meanwhile other consumers get what waits, so nothing is taken before it can
        be handled. A killed consumer, and one that ends, takes along what it
        handles and nothing more.

        ``until`` is asked between messages and at least every 2 s. An outage is
        waited out, also at the start. An Exception that handle raises is logged and
        the message dropped: the task's lease brings it back. An UnavailableError is a
        line in the log, because the sweep rings again. Other exceptions, such as
        KeyboardInterrupt, end the consumer. ``hand_over`` does this, and QueueOutage
        waits. Signal handlers are left alone.

        Args:
            handle: Takes the id that ``put`` was given. It may put others.
            until: Whether to end; cheap, and raises nothing.
            lanes: In any order: no lane waits for another one to be empty. A message
                waits for at most ten of each other lane.
        """

    @abstractmethod
    def depth(self, lane: Lane) -> int:
        """
        Count the messages that wait in a lane; not those that are handled.

        Raises:
            UnavailableError: The queue does not answer.
        """

    def workers(self, lane: Lane) -> int:  # noqa: ARG002 - for backends that know
        """
        Count the consumers of a lane, on all machines; an estimate is enough.

        Jobs are cut accordingly. A consumer counts while it handles a message, too.
        A killed one should no longer count after some minutes. Must return within
        about 0.25 s.

        Raises:
            UnavailableError: The queue does not answer.
        """
        return 1

    @abstractmethod
    def ping(self) -> None:
        """Raise UnavailableError if messages cannot be put; within about 0.25 s."""

    def close(self) -> None:
        """
        Release the connections and files of the backend; called once, at the end.

        What was put before still arrives, if other processes share the queue.
        """
