"""Offers the queue ``local``: inside one process, for programs that embed the service."""

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final
from weakref import WeakValueDictionary

from hvcore.plugin_api import BuildContext, NoOptions, Queue, QueueBackend, hookimpl

if TYPE_CHECKING:
    from hvcore_queue_local.backend import LocalQueue


class _ProcessQueues:
    """The queues of this process: one for each installation, which all of its callers share."""

    def __init__(self) -> None:
        self._renew()

    def of(self, place: Path) -> Queue:
        from hvcore_queue_local.backend import LocalQueue  # noqa: PLC0415 - only if it was chosen

        with self._lock:
            found = self._queues.get((os.getpid(), place))
            if found is None:
                found = self._queues[os.getpid(), place] = LocalQueue()
            return found

    def _renew(self) -> None:
        # Also in the child of a fork, where whoever held the lock is not there.
        self._lock = threading.Lock()
        # As long as somebody uses them.
        self._queues: WeakValueDictionary[tuple[int, Path], LocalQueue] = (
            WeakValueDictionary()
        )


_queues: Final = _ProcessQueues()
os.register_at_fork(after_in_child=_queues._renew)  # noqa: SLF001 - this module's own


def build(_options: NoOptions, context: BuildContext) -> Queue:
    """Return the queue of this process for an installation; make it on the first call."""
    return _queues.of(context.state_dir.resolve())


@hookimpl
def hvcore_queues() -> Iterator[QueueBackend]:
    """Register the queue ``local``."""
    yield QueueBackend(name="local", factory=build)
