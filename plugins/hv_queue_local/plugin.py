"""
Offers the queue ``local``: inside one process, for programs that embed the service.
"""

from collections.abc import Iterator

from hvcore.plugin_api import BuildContext, NoOptions, Queue, QueueBackend, hookimpl


def build(_options: NoOptions, _context: BuildContext) -> Queue:
    """
    Make the queue of a process.
    """
    from hv_queue_local.backend import LocalQueue  # noqa: PLC0415 - only if it was chosen

    return LocalQueue()


@hookimpl
def hvcore_queues() -> Iterator[QueueBackend]:
    """
    Offer ``local``.
    """
    yield QueueBackend(name="local", factory=build)
