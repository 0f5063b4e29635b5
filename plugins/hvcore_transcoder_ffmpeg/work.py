"""
Estimate the processor time that it takes to make a video.

Pictures differ, and machines do, so the estimates are right within a factor of two, which
is enough to tell a minute from an hour. The unit of work is the encoding of a pixel with
x264's preset veryfast.
"""

import os
from typing import Final

from hvcore.plugin_api import PixelFormat, Rung, Speed, TranscodeOrder, VideoTrackInfo

USUAL_WORK: Final = 102.2e6
"""The work of a second of an ordinary ladder: the quality preset high (1080p, 720p and
480p) at 30 frames per second, in pixels."""
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
_DECODING: Final = 0.25
"""The work of decoding a pixel; H.264 takes less, ProRes as much."""

SOUND_WORK: Final = 2e6
"""The work of encoding a second of one audio rendition, in pixels."""

_CPU_S_OF_PIXEL: Final = 0.014e-6
"""The processor seconds of encoding a pixel with the preset veryfast."""
_CORES_OF_ENCODER: Final = 4
"""The cores that an encoder has for itself where ``hv up`` starts the workers."""


def pictures_work(order: TranscodeOrder) -> float:
    """Return the work of encoding a second of all rungs, in pixels of the preset veryfast."""
    return sum(map(_work, order.ladder.rungs))


def encoding_s(order: TranscodeOrder, cores: int) -> float:
    """Return the seconds that encoding a second of all rungs takes with a number of cores."""
    return pictures_work(order) * _CPU_S_OF_PIXEL / cores


def decoding_s(video: VideoTrackInfo, cores: int) -> float:
    """
    Return the seconds that decoding a second of the source takes.

    Args:
        cores: The number of cores that decode.
    """
    pixels = video.width_px * video.height_px * float(video.frame_rate)
    return pixels * _DECODING * _CPU_S_OF_PIXEL / cores


def cores_of_encoder() -> int:
    """Return the number of this machine's cores that an encoder can count on."""
    return min(len(os.sched_getaffinity(0)), _CORES_OF_ENCODER)


def _work(rung: Rung) -> float:
    work = rung.width_px * rung.height_px * float(rung.frame_rate)
    work *= _WORK_OF_SPEED[rung.speed]
    work *= _WORK_OF_TWO_PASSES if rung.two_pass else 1.0
    return work * _work_of_format(rung.pixel_format)


def _work_of_format(pixel_format: PixelFormat) -> float:
    return _WORK_OF_12_BITS if pixel_format.bit_depth == _12_BITS else 1.0
