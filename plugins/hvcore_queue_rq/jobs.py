"""The function that a message names and RQ imports."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from hvcore.plugin_api import TaskId

RING: Final = "hvcore_queue_rq.jobs.ring"
"""The name of the function below, as messages carry it."""

# Of this thread, because each consumer runs in one of its own.
_thread = threading.local()


def ring(task_id: str) -> None:
    """
    Pass a task's id to the handler that this thread's consumer was given.

    Raises:
        RuntimeError: Called by another worker than ours, such as ``rq worker``.
    """
    handle: Callable[[TaskId], None] | None = getattr(_thread, "handle", None)
    if handle is None:
        raise RuntimeError("this message is for hv worker, not for a plain rq worker")
    handle(TaskId(task_id))


@contextmanager
def handling(handle: Callable[[TaskId], None]) -> Iterator[None]:
    """Let ``ring`` call this handler in the present thread."""
    before = getattr(_thread, "handle", None)
    _thread.handle = handle
    try:
        yield
    finally:
        _thread.handle = before
