"""
Measure how fast parts are encoded.
"""

from hvcore.domain.processing.transcoding import Part
from hvcore.metrics.declared import ENCODED_MEDIA, ENCODER


def note_encoded(part: Part, took_s: float) -> None:
    """
    Take note that a part was encoded.

    A part of sound alone counts for its share of the work, like one of pictures: all
    parts of a video are as long as the video.
    """
    ENCODER.add(amount=took_s)
    ENCODED_MEDIA.add(amount=part.weight * part.order.source.duration_s)
