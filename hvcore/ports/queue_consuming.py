"""The steps that consumers of all queues share: hand over, wait an outage out."""

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
    Call handle, and log what it raises as ``Queue.consume`` promises.

    What is no Exception is raised.
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
    Waits between attempts to reach a queue's server, longer each time.

    Its beginning and its end are a line each in the log.

    Args:
        lane: The only one that it is about, where each has a queue of its own there.
    """

    def __init__(self, lane: Lane | None = None) -> None:
        self._wait_s = FIRST_WAIT_S
        self._extra = {} if lane is None else {"hv_lane": lane.value}

    def end(self) -> None:
        """Take note that the server answers."""
        if self._wait_s > FIRST_WAIT_S:
            _log.info("the queue answers again", extra=self._extra)
            self._wait_s = FIRST_WAIT_S

    def begin(self, error: Exception) -> float:
        """Take note of a failure; return for how many seconds the server is left alone."""
        if self._wait_s == FIRST_WAIT_S:
            _log.warning(
                "the queue does not answer",
                extra={"hv_error": str(error), **self._extra},
            )
        wait_s = self._wait_s
        self._wait_s = min(2 * wait_s, MAX_WAIT_S)
        return wait_s

    def wait(self, error: Exception, until: Callable[[], bool]) -> None:
        """Wait before the next attempt, unless ``until()``."""
        end = time.monotonic() + self.begin(error)
        while not until() and time.monotonic() < end:
            time.sleep(FIRST_WAIT_S)
