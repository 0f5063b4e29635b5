"""
The queue port: a doorbell that carries the ids of tasks.

The database knows what a task is, when it is due and which worker holds it. A queue
that loses or repeats messages does no other harm.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from hvcore.domain.ids import TaskId
from hvcore.domain.tasks.task import Lane


class Queue(ABC):
    """
    Carry task ids from the code that makes tasks to the workers.
    """

    @abstractmethod
    def put(self, task_id: TaskId, *, kind: str, lane: Lane) -> None:
        """
        Ring for a task: at least once, in no promised order.

        Called after a commit, from any thread; must return or raise within
        about 0.25 s.

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
        Call handle for each message, in this thread, until ``until()``.

        ``until`` is asked between messages and at least every 2 s. An outage
        is waited out. What handle raises is logged and the message dropped:
        the task's lease brings it back.
        """

    @abstractmethod
    def depth(self, lane: Lane) -> int:
        """
        Count the messages that wait in a lane.
        """

    def workers(self, lane: Lane) -> int:  # noqa: ARG002 - for backends that know
        """
        Count the consumers of a lane, on all machines; an estimate is enough.

        Jobs are cut accordingly. Must return within about 0.25 s.
        """
        return 1

    @abstractmethod
    def ping(self) -> None:
        """
        Raise UnavailableError if messages cannot be put.
        """

    def close(self) -> None:
        """
        Release what the backend holds; called once, at the end.
        """
