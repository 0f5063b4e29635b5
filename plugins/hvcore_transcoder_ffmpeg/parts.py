"""
Cut a job into parts that several workers can make at once.

Cuts cost time: each part decodes a little of the part before it, and the encoder starts
again. So a part is about a minute of video, and at least four segments. But a part holds a
worker while other jobs wait: a part that would take longer than a minute to make is cut
shorter, down to a single segment.
"""

from itertools import pairwise
from math import ceil
from typing import Final

import attrs

from hvcore.plugin_api import SEGMENT_S, Part, TranscodeOrder
from hvcore_transcoder_ffmpeg.work import (
    SOUND_WORK,
    USUAL_WORK,
    cores_of_encoder,
    decoding_s,
    encoding_s,
    pictures_work,
)

_USUAL_S: Final = 60.0
_MIN_S: Final = 30.0
_MAX_S: Final = 90.0

_MIN_SEGMENTS: Final = 4
"""The fewest segments of an ordinary part: parts of two segments cost 5 % more bytes and up
to 9 % more processor time."""

_ROUNDS: Final = 4
"""The number of parts for each worker from which it matters little that some workers get
one part more."""

_SLICE_S: Final = 60.0
"""The seconds for which a part may hold a worker, by the estimate of ``work``."""
_MOST_DECODED_AGAIN: Final = 0.25
"""The share of an encode's time that may be spent on decoding again, if every part must
decode the video from the beginning."""


@attrs.frozen(kw_only=True)
class Cutting:
    """
    Hold the rules for cutting jobs into parts.

    Attributes:
        usual_s: The length of a part of an ordinary ladder, in seconds of video.
        min_s: The least length of a part, for an expensive ladder.
        max_s: The greatest length of a part, for a cheap ladder. A video that is not
            longer is not cut, if it has only one worker.
        min_segments: The fewest segments of a part that takes no longer than slice_s.
        slice_s: The most seconds that encoding a part of several segments may take.
        cores: The number of processor cores that an encoder can count on.
    """

    usual_s: float = _USUAL_S
    min_s: float = _MIN_S
    max_s: float = _MAX_S
    min_segments: int = _MIN_SEGMENTS
    slice_s: float = _SLICE_S
    cores: int = attrs.field(factory=cores_of_encoder)


def cut(order: TranscodeOrder, cutting: Cutting | None = None) -> tuple[Part, ...]:
    """
    Return the parts of a job; the same order gives the same parts on one machine.

    Pictures are cut at multiples of the segment length. Sound is made as a whole, in a
    part of its own, because sound clicks where it is cut. The part with the sound comes
    first: it may take longest, and if the sound is unusable, no other part need be made.
    """
    count = _count(order, cutting or Cutting())
    if count == 1:
        return (Part(index=0, order=order),)
    segments = ceil(order.source.duration_s / order.segment_s)
    # The last ones are the longer ones: the last segment may be no more than
    # a rounding error.
    edges = [segments * number // count for number in range(count + 1)]
    has_sound = bool(order.ladder.audio or order.source.captions)
    sound = len(order.ladder.audio) * SOUND_WORK
    pictures = pictures_work(order)
    total = segments * (pictures + sound)
    parts = []
    if has_sound:
        parts.append(
            Part(
                index=0,
                order=order,
                weight=segments * sound / total,
                has_pictures=False,
            )
        )
    for first, end in pairwise(edges):
        parts.append(
            Part(
                index=len(parts),
                order=order,
                weight=(end - first) * pictures / total,
                start_s=float(first * order.segment_s),
                end_s=None if end == segments else float(end * order.segment_s),
                # A part of its own makes it, unless there is nothing to make.
                has_sound=not parts,
            )
        )
    return tuple(parts)


def may_be_cut(duration_s: float) -> bool:
    """
    Return whether a video is long enough to be cut into parts.

    For a shorter video it does not matter whether a decoder can begin anywhere in it.
    """
    return ceil(duration_s / SEGMENT_S) >= 2 * _MIN_SEGMENTS


def _count(order: TranscodeOrder, cutting: Cutting) -> int:
    duration_s, workers = order.source.duration_s, max(1, order.workers)
    segments = ceil(duration_s / order.segment_s)
    least = _least(order, cutting, segments)
    if not order.source.is_seekable:
        return max(1, min(least, _most_from_the_beginning(order, cutting)))
    if workers == 1 and duration_s <= cutting.max_s:
        return least
    wanted_s = cutting.usual_s * USUAL_WORK / pictures_work(order)
    wanted_s = min(max(wanted_s, cutting.min_s), cutting.max_s)
    count = max(1, round(duration_s / wanted_s))
    if count < workers * _ROUNDS:
        # All of them end at the same time.
        count = ceil(count / workers) * workers
    most = segments // cutting.min_segments
    if count > most > workers:
        # As many for each, though longer.
        most -= most % workers
    return max(least, min(count, most))


def _least(order: TranscodeOrder, cutting: Cutting, segments: int) -> int:
    """Return the fewest parts of a job of which none takes longer than ``slice_s``."""
    takes_s = order.segment_s * encoding_s(order, cutting.cores)
    most = int(cutting.slice_s / takes_s)
    if most > 1:
        return ceil(segments / most)
    # Of a second alone, two passes of x265 make a bad picture: less than half a
    # segment at the end belongs to the one before.
    return max(1, round(order.source.duration_s / order.segment_s))


def _most_from_the_beginning(order: TranscodeOrder, cutting: Cutting) -> int:
    """
    Return the most parts worth making if each part is decoded from the video's beginning.

    Together, n parts decode the whole video n / 2 times.
    """
    decoding = decoding_s(order.source.video, cutting.cores)
    work = encoding_s(order, cutting.cores)
    return int(2 * _MOST_DECODED_AGAIN * work / decoding)
