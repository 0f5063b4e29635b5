"""Offers the queue ``rq``: RQ on a Redis or a Valkey."""

from collections.abc import Iterator

from hvcore.plugin_api import BuildContext, Queue, QueueBackend, hookimpl
from hvcore_queue_rq.options import RqOptions


def build(options: RqOptions, _context: BuildContext) -> Queue:
    """Make the queue for a process."""
    from hvcore_queue_rq.backend import RqQueue  # noqa: PLC0415 - only if it was chosen

    return RqQueue(url=options.url, prefix=options.prefix)


@hookimpl
def hvcore_queues() -> Iterator[QueueBackend]:
    """Register the queue ``rq``."""
    yield QueueBackend(name="rq", factory=build, options=RqOptions, extra="rq")
