"""
The queue port: tell workers the ids of tasks that are due.

The database holds the tasks: when each is due, and which worker has it. A task's id is
put into the queue only once the task is due, so a queue delays nothing. A queue that
loses or repeats messages does no other harm: an id that no worker took within 15 s is
put again.

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
    Carry task ids from the code that creates tasks to the workers.

    A backend with tables of its own also inherits SupportsPrepare.

    Attributes:
        spans_processes: Whether other processes get what is put here; ``hv`` runs
            several, and refuses a queue that does not.
    """

    spans_processes: ClassVar[bool] = True

    @abstractmethod
    def put(self, task_id: TaskId, *, kind: str, lane: Lane) -> None:
        """
        Put a task's id into a lane: a consumer of the lane, now or later, gets the id.

        The id arrives at least once, at one consumer, as soon as one is idle (within
        about 2 s). An id that is put again while it waits may arrive once or twice. An
        id that is put after it was handed over arrives again, also while it is handled.
        Messages have no promised order.

        A message need not survive the queue's server. It survives the process that put
        it. Messages that nobody takes may be dropped after two minutes.

        Called after a commit, from any thread, also by ``handle``; must return or
        raise within about 0.25 s.

        Args:
            kind: The kind of the task, for people who look into the queue.
            lane: The lane; each lane is a queue of its own.

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
        Call ``handle`` with each message, one by one, until ``until()`` returns True.

        Several threads may consume at a time. Handling takes milliseconds or hours;
        meanwhile other consumers get what waits, so nothing is taken before it can
        be handled. A killed consumer, and one that ends, takes along what it
        handles and nothing more.

        ``until`` is asked between messages and at least every 2 s. An outage is
        waited out, also at the start. It is one warning in the log when it begins;
        one for each lane, which it names as ``hv_lane``, if lanes fail apart. An
        Exception that handle raises is logged and the message dropped: the task's
        lease brings it back. An UnavailableError is a line in the log, because the
        sweep rings again. Other exceptions, such as KeyboardInterrupt, end the
        consumer. ``hand_over`` does this, and QueueOutage waits. Signal handlers are
        left alone.

        Args:
            handle: Takes the task id that ``put`` was given. It may put other ids.
            until: Returns whether to end; cheap, and raises nothing.
            lanes: The lanes to consume, in any order: no lane waits for another one to
                be empty. A message waits for at most ten messages of each other lane.
        """

    @abstractmethod
    def depth(self, lane: Lane) -> int:
        """
        Return the number of messages that wait in a lane, without those being handled.

        Raises:
            UnavailableError: The queue does not answer.
        """

    def workers(self, lane: Lane) -> int:  # noqa: ARG002 - for backends that know
        """
        Return the number of consumers of a lane on all machines; an estimate is enough.

        Transcode jobs are cut into parts according to the number. A consumer counts
        while it handles a message, too. A killed consumer should no longer count after
        some minutes. The method must return within about 0.25 s.

        Raises:
            UnavailableError: The queue does not answer.
        """
        return 1

    @abstractmethod
    def ping(self) -> None:
        """Raise UnavailableError if messages cannot be put; return within about 0.25 s."""

    def close(self) -> None:
        """
        Release the connections and files of the backend; called once, at the end.

        Messages that were put before still arrive, if other processes share the queue.
        """
