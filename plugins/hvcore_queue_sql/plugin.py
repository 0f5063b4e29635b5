"""Offers the queue ``sql``: in the service's own database, without a further server."""

from collections.abc import Iterator

from hvcore.plugin_api import BuildContext, NoOptions, Queue, QueueBackend, hookimpl


def build(_options: NoOptions, context: BuildContext) -> Queue:
    """Make the queue for a process."""
    from hvcore_queue_sql.backend import SqlQueue  # noqa: PLC0415 - only if it was chosen

    return SqlQueue(context.database)


@hookimpl
def hvcore_queues() -> Iterator[QueueBackend]:
    """Register the queue ``sql``."""
    yield QueueBackend(name="sql", factory=build, prepares=True)
