"""Offers the queue ``sqs``: Amazon SQS, for services that run at AWS."""

from collections.abc import Iterator

from hvcore.plugin_api import BuildContext, Queue, QueueBackend, hookimpl
from hvcore_queue_sqs.options import SqsOptions


def build(options: SqsOptions, _context: BuildContext) -> Queue:
    """Make the queue for a process."""
    from hvcore_queue_sqs.backend import SqsQueue  # noqa: PLC0415 - only if it was chosen

    return SqsQueue(options)


@hookimpl
def hvcore_queues() -> Iterator[QueueBackend]:
    """Register the queue ``sqs``."""
    yield QueueBackend(
        name="sqs", factory=build, options=SqsOptions, extra="sqs", prepares=True
    )
