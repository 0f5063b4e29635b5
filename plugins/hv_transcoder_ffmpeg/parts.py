"""
Cut a job into parts that several workers can do at once.

Cuts cost: each part decodes a little of the one before it and the encoder
begins anew, which is why a part is about a minute long and never shorter than
four segments.
"""

from itertools import pairwise
from math import ceil
from typing import Final

import attrs

from hvcore.plugin_api import SEGMENT_S, Part, PixelFormat, Rung, Speed, TranscodeOrder

_USUAL_S: Final = 60.0
_MIN_S: Final = 30.0
_MAX_S: Final = 90.0

_MIN_SEGMENTS: Final = 4
"""Of a part; parts of two segments cost 5 % more bytes and up to 9 % more CPU."""

_ROUNDS: Final = 4
"""With so many parts for each worker it matters little that some get one more."""

_USUAL_WORK: Final = 102.2e6
"""Pixels a second of the preset high (1080p, 720p and 480p) at 30 frames."""
_WORK_OF_SPEED: Final = {
    # CPU time for the same pixels, as measured with x264; veryfast is 1.
    Speed.ULTRAFAST: 0.5,
    Speed.SUPERFAST: 0.7,
    Speed.VERYFAST: 1.0,
    Speed.FASTER: 1.5,
    Speed.FAST: 2.0,
    Speed.MEDIUM: 2.5,
    Speed.SLOWER: 8.0,
    Speed.VERYSLOW: 16.0,
    Speed.ULTRASLOW: 40.0,
}
_WORK_OF_TWO_PASSES: Final = 1.6
_WORK_OF_12_BITS: Final = 8.0
_12_BITS: Final = 12

_SOUND_WORK: Final = 2e6
"""A second of one audio rendition, in pixels."""


@attrs.frozen(kw_only=True)
class Cutting:
    """
    How jobs are cut.

    Attributes:
        usual_s: Length of a part of an ordinary ladder.
        min_s: Of an expensive one.
        max_s: Of a cheap one; and what is as short as this is not cut at all,
            unless several workers wait for it.
        min_segments: No part has fewer.
    """

    usual_s: float = _USUAL_S
    min_s: float = _MIN_S
    max_s: float = _MAX_S
    min_segments: int = _MIN_SEGMENTS


def cut(order: TranscodeOrder, cutting: Cutting | None = None) -> tuple[Part, ...]:
    """
    Return the parts of a job; the same for the same order.

    Pictures are cut at multiples of the segment. Sound is made whole, in a
    part of its own, because it clicks where it is cut. That part comes first:
    it may take longest, and where the sound is unusable, nothing else is done.
    """
    count = _count(order, cutting or Cutting())
    if count == 1:
        return (Part(index=0, order=order),)
    segments = ceil(order.source.duration_s / order.segment_s)
    # The last ones are the longer ones: the last segment may be no more than
    # a rounding error.
    edges = [segments * number // count for number in range(count + 1)]
    has_sound = bool(order.ladder.audio or order.source.captions)
    sound = len(order.ladder.audio) * _SOUND_WORK
    pictures = sum(map(_work, order.ladder.rungs))
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
    Tell whether so long a video is cut where enough workers wait for it.
    """
    return ceil(duration_s / SEGMENT_S) >= 2 * _MIN_SEGMENTS


def _count(order: TranscodeOrder, cutting: Cutting) -> int:
    duration_s, workers = order.source.duration_s, max(1, order.workers)
    segments = ceil(duration_s / order.segment_s)
    if not order.source.is_seekable:
        return 1
    if workers == 1 and duration_s <= cutting.max_s:
        return 1
    work = sum(map(_work, order.ladder.rungs))
    wanted_s = cutting.usual_s * _USUAL_WORK / work
    wanted_s = min(max(wanted_s, cutting.min_s), cutting.max_s)
    count = max(1, round(duration_s / wanted_s))
    if count < workers * _ROUNDS:
        # All of them end at the same time.
        count = ceil(count / workers) * workers
    most = segments // cutting.min_segments
    if count > most > workers:
        # As many for each, though longer.
        most -= most % workers
    return max(1, min(count, most))


def _work(rung: Rung) -> float:
    work = rung.width_px * rung.height_px * float(rung.frame_rate)
    work *= _WORK_OF_SPEED[rung.speed]
    work *= _WORK_OF_TWO_PASSES if rung.two_pass else 1.0
    return work * _work_of_format(rung.pixel_format)


def _work_of_format(pixel_format: PixelFormat) -> float:
    return _WORK_OF_12_BITS if pixel_format.bit_depth == _12_BITS else 1.0
