"""The function that RQ imports by name and calls with the task id of each message."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from hvcore.plugin_api import TaskId

RING: Final = "hvcore_queue_rq.jobs.ring"
"""The importable name of the function ``ring``, as messages carry it."""

# Of this thread, because each consumer runs in one of its own.
_thread = threading.local()


def ring(task_id: str) -> None:
    """
    Pass a task's id to the handler that the consumer of this thread was given.

    Raises:
        RuntimeError: The caller is another worker than this plugin's, such as ``rq
            worker``.
    """
    handle: Callable[[TaskId], None] | None = getattr(_thread, "handle", None)
    if handle is None:
        raise RuntimeError("this message is for hv worker, not for a plain rq worker")
    handle(TaskId(task_id))


@contextmanager
def handling(handle: Callable[[TaskId], None]) -> Iterator[None]:
    """Make ``ring`` call the given handler in the present thread while a block runs."""
    before = getattr(_thread, "handle", None)
    _thread.handle = handle
    try:
        yield
    finally:
        _thread.handle = before
