"""
Limit the memory, processor time and disk space that encoding one part may use.

The limits are generous for every honest video: they stop an encode that would never end,
not a slow one.
"""

import os
from fractions import Fraction
from math import ceil
from typing import Final

from hvcore.plugin_api import PixelFormat, Speed, TranscodeOrder
from hvcore_transcoder_ffmpeg.probe.source import Streams

_MIB: Final = 1024**2
_GIB: Final = 1024**3

_BASE_CPU_S: Final = 300
_CPU_S_OF_MEGAPIXEL: Final = {
    # Measured: veryfast takes 0.014 CPU seconds for a million pixels, and
    # placebo forty times as much; this is ten times that and more.
    Speed.ULTRAFAST: 0.2,
    Speed.SUPERFAST: 0.2,
    Speed.VERYFAST: 0.2,
    Speed.FASTER: 0.3,
    Speed.FAST: 0.4,
    Speed.MEDIUM: 0.6,
    Speed.SLOWER: 2.0,
    Speed.VERYSLOW: 4.0,
    Speed.ULTRASLOW: 8.0,
}
_8_BITS: Final = 8
_12_BITS: Final = 12
_X265_FACTOR: Final = 10
_DECODE_CPU_S_OF_MEGAPIXEL: Final = 0.2

_FRAMES: Final = 200
"""The number of frames in memory at a time: 60 of x264's longest lookahead, reference
frames, queues. With a lookahead of 10, a pixel of 8 bits was measured to take 100 bytes,
a pixel of 10 bits 130."""
_FRAMES_OF_CORE: Final = 4
_SAMPLES_OF_PIXEL: Final = {
    "420": Fraction(3, 2),
    "422": Fraction(2),
    "444": Fraction(3),
}
_BYTES_OF_CORE: Final = 768 * _MIB
"""The address space for the threads of a core: stacks of 8 MB, and eight memory arenas of
64 MB, which are reserved and not used."""


def encode_limits(
    order: TranscodeOrder, streams: Streams, *, duration_s: float
) -> dict[str, int]:
    """
    Return the limits of memory, processor time, file size and open files of one encode, by name.

    Args:
        duration_s: The duration of the decoded part of the source.

    Returns:
        The limits by the names of hvcore's supervised_command, such as ``cpu_s``.
    """
    rungs = order.ladder.rungs
    cores = os.cpu_count() or 1
    geometry = streams.video.geometry
    source = geometry.decoded_width_px * geometry.decoded_height_px
    pixels = sum(rung.width_px * rung.height_px for rung in rungs)
    frames = _FRAMES + cores * _FRAMES_OF_CORE
    return {
        "cpu_s": _cpu_s(order, source, duration_s),
        "address_space_bytes": 3 * _GIB
        + cores * _BYTES_OF_CORE
        + (source + pixels) * ceil(frames * _bytes_of_pixel(rungs[0].pixel_format)),
        "file_size_bytes": _largest_file_bytes(order, duration_s),
        # A segment for each rendition, the source, libraries, pipes.
        "open_files": 256,
    }


def output_bytes(order: TranscodeOrder, *, duration_s: float) -> int:
    """Return an upper limit for the size of all files of a part together, in bytes."""
    return int(duration_s + 60) * _bytes_per_second(order) + 64 * _MIB


def _bytes_of_pixel(pixel_format: PixelFormat) -> Fraction:
    bytes_of_sample = 1 if pixel_format.bit_depth == _8_BITS else 2
    return _SAMPLES_OF_PIXEL[pixel_format.value[3:6]] * bytes_of_sample


def _cpu_s(order: TranscodeOrder, source_pixels: int, duration_s: float) -> int:
    seconds = duration_s + order.segment_s
    work = source_pixels * float(order.source.video.frame_rate)
    work *= _DECODE_CPU_S_OF_MEGAPIXEL
    for rung in order.ladder.rungs:
        factor = _X265_FACTOR if rung.pixel_format.bit_depth == _12_BITS else 1
        passes = 2 if rung.two_pass else 1
        pixels = rung.width_px * rung.height_px * float(rung.frame_rate)
        work += pixels * _CPU_S_OF_MEGAPIXEL[rung.speed] * factor * passes
    return _BASE_CPU_S + int(seconds * work / 1e6)


def _bytes_per_second(order: TranscodeOrder) -> int:
    kbps = sum(rung.video_kbps * 2 for rung in order.ladder.rungs)
    kbps += sum(audio.kbps * 2 for audio in order.ladder.audio)
    return kbps * 1000 // 8


def _largest_file_bytes(order: TranscodeOrder, duration_s: float) -> int:
    # A segment, or what the first of two passes writes down for every frame:
    # a hundred bytes, and a hundredth of the pixels where x264's macroblock
    # tree is kept.
    segment = _bytes_per_second(order) * (order.segment_s + 60)
    frames = (duration_s + 60) * float(order.ladder.rungs[0].frame_rate)
    largest = max(rung.width_px * rung.height_px for rung in order.ladder.rungs)
    notes = int(frames * (1000 + largest / 100))
    return segment + (notes if order.settings.two_pass else 0) + 64 * _MIB
