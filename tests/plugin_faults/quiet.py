"""
A plugin without faults, whose backends start no program and need no server.
"""

from collections.abc import Iterator

from hvcore.plugin_api import (
    BuildContext,
    NoOptions,
    Queue,
    QueueBackend,
    Transcoder,
    TranscoderBackend,
    hookimpl,
)
from tests.support.fakes import MemoryQueue, TextTranscoder


def build_queue(options: NoOptions, context: BuildContext) -> Queue:
    """
    Make the queue of a process.
    """
    del options, context
    return MemoryQueue()


def build_transcoder(options: NoOptions, context: BuildContext) -> Transcoder:
    """
    Make the transcoder of a process.
    """
    del options, context
    return TextTranscoder()


@hookimpl
def hvcore_queues() -> Iterator[QueueBackend]:
    """
    Offer ``quiet``.
    """
    yield QueueBackend(name="quiet", factory=build_queue)


@hookimpl
def hvcore_transcoders() -> Iterator[TranscoderBackend]:
    """
    Offer ``quiet``.
    """
    yield TranscoderBackend(name="quiet", factory=build_transcoder)
