"""Count and trace the time that transcoders take to encode parts."""

from collections.abc import Iterator
from contextlib import contextmanager

from hvcore import tracing
from hvcore.domain.processing.jobs import TranscodeJob
from hvcore.domain.processing.transcoding import Part
from hvcore.metrics.declared import ENCODED_MEDIA, ENCODER


def note_encoded(part: Part, took_s: float) -> None:
    """
    Count an encoded part in the metrics: its encoding time, and its length times its weight.

    A part of sound alone counts for its share of the work, as a part of pictures does: all
    parts of a video are as long as the video.

    Args:
        took_s: The seconds that encoding took.
    """
    ENCODER.add(amount=took_s)
    ENCODED_MEDIA.add(amount=part.weight * part.order.source.duration_s)


@contextmanager
def traced_encoder(job: TranscodeJob, part: Part) -> Iterator[None]:
    """Trace the time that the encoder takes for a part, in a span of its own."""
    attributes: dict[str, str | int] = {
        "hv.job": job.id,
        "hv.part": part.index,
        "hv.transcoder": job.transcoder,
    }
    with tracing.span("encoder", attributes=attributes):
        yield
