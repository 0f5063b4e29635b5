"""Offers the queue ``rq``: RQ on a Redis or a Valkey."""

from collections.abc import Iterator

import attrs

from hvcore.plugin_api import BuildContext, Queue, QueueBackend, hookimpl


@attrs.frozen(kw_only=True)
class RqOptions:
    """
    Settings under ``[queue.options]``.

    Attributes:
        url: The address of the server: ``redis://…``, ``rediss://…`` or
            ``unix:///path/to/socket``.
        prefix: The beginning of the queues' names, where several services share a
            server.
    """

    url: str = attrs.field(repr=False)
    prefix: str = "hvcore"


def build(options: RqOptions, _context: BuildContext) -> Queue:
    """Make the queue for a process."""
    from hvcore_queue_rq.backend import RqQueue  # noqa: PLC0415 - only if it was chosen

    return RqQueue(url=options.url, prefix=options.prefix)


@hookimpl
def hvcore_queues() -> Iterator[QueueBackend]:
    """Register the queue ``rq``."""
    yield QueueBackend(name="rq", factory=build, options=RqOptions, extra="rq")
