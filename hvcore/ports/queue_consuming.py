"""Queue consuming: the code that consumers of all queues share."""

import logging
import time
from collections.abc import Callable
from typing import Final

from hvcore.domain.ids import TaskId
from hvcore.domain.tasks.task import Lane
from hvcore.errors import UnavailableError

FIRST_WAIT_S: Final = 0.1
MAX_WAIT_S: Final = 2.0

_log = logging.getLogger(__name__)


def hand_over(handle: Callable[[TaskId], None], task_id: TaskId) -> None:
    """
    Call ``handle`` with a task id, and log its errors as ``Queue.consume`` promises.

    Only exceptions that are no subclass of Exception are raised.
    """
    try:
        handle(task_id)
    except UnavailableError as error:
        # No bug: the sweep rings again once the service is back.
        _log.warning(
            "a task was not taken: the service does not answer",
            extra={"hv_task": task_id, "hv_why": error.detail},
        )
    except Exception:  # noqa: BLE001 - one of the three loops: task
        _log.exception("handling a task failed", extra={"hv_task": task_id})


class QueueOutage:
    """
    Wait between attempts to reach a queue's server, longer each time.

    The beginning and the end of an outage are a line each in the log.

    Args:
        lane: The lane that cannot be reached, if each lane has a queue of its own on
            the server.
    """

    def __init__(self, lane: Lane | None = None) -> None:
        self._wait_s = FIRST_WAIT_S
        self._extra = {} if lane is None else {"hv_lane": lane.value}

    def end(self) -> None:
        """Record that the server answers again."""
        if self._wait_s > FIRST_WAIT_S:
            _log.info("the queue answers again", extra=self._extra)
            self._wait_s = FIRST_WAIT_S

    def begin(self, error: Exception) -> float:
        """Record a failure, and return the seconds to wait before the next attempt."""
        if self._wait_s == FIRST_WAIT_S:
            _log.warning(
                "the queue does not answer",
                extra={"hv_error": str(error), **self._extra},
            )
        wait_s = self._wait_s
        self._wait_s = min(2 * wait_s, MAX_WAIT_S)
        return wait_s

    def wait(self, error: Exception, until: Callable[[], bool]) -> None:
        """Wait before the next attempt, or until ``until()`` is true."""
        end = time.monotonic() + self.begin(error)
        while not until() and time.monotonic() < end:
            time.sleep(FIRST_WAIT_S)
