"""
Read the sizes, times and byte offsets of the samples in the fragments (moof boxes) of a track.

Source: ISO/IEC 14496-12, sections 8.8.4 to 8.8.12.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import attrs

from hvcore.mp4.boxes import Mp4Box, Mp4Error, box_of

MOST_SAMPLES: Final = 1_000_000
"""The most samples of one run: hours of frames."""
_FULL: Final = 4
_RUN: Final = "trun"  # codespell:ignore trun
_BASE, _DESCRIPTION = 0x1, 0x2
_DEFAULTS: Final = (0x8, 0x10, 0x20)
_OFFSET: Final = 0x1
_FIRST_FLAGS: Final = 0x4
_DURATION, _SIZE, _FLAGS, _COMPOSITION = 0x100, 0x200, 0x400, 0x800
_NOT_SYNC: Final = 0x10000
_SIGN_BIT: Final = 1 << 31


@attrs.frozen(kw_only=True)
class SampleRun:
    """
    A run of samples of a track, whose bytes follow each other in the fragment.

    Attributes:
        start_time: The time at which the first sample is decoded, in the track's units of time.
        data_offset: The bytes from the beginning of the fragment's moof to the first sample.
        is_sync: For each sample, whether it can be decoded alone.
        offsets: For each sample, the time from decoding to showing, in the track's units of time;
            empty if all are 0.
    """

    start_time: int
    data_offset: int
    durations: Sequence[int]
    sizes: Sequence[int]
    is_sync: Sequence[bool]
    offsets: Sequence[int]


def track_defaults(movie: Mp4Box) -> tuple[int, int, int]:
    """
    Return the default duration, size and flags of the samples of an init segment's track.

    Args:
        movie: The moov box of an init segment.

    Raises:
        Mp4Error: The init segment has no default values.
    """
    _, duration, size, flags = movie.child("mvex/trex").fields("4I", 8)
    return duration, size, flags


def read_fragment(
    fragment: Mp4Box, defaults: tuple[int, int, int]
) -> Iterator[SampleRun]:
    """
    Yield the runs of samples in a fragment that has one track.

    Raises:
        Mp4Error: A box is missing or too short, or the samples are in another file.
    """
    part = fragment.child("traf")
    header = part.child("tfhd")
    flags = header.fields("I")[0] & 0xFFFFFF
    if flags & _BASE:
        raise Mp4Error("a fragment says where its data is in another file")
    at = 2 * _FULL + (_FULL if flags & _DESCRIPTION else 0)
    found = list(defaults)
    for number, bit in enumerate(_DEFAULTS):
        if flags & bit:
            (found[number],) = header.fields("I", at)
            at += 4
    time_box = part.child("tfdt")
    is_long = time_box.fields("B") == (1,)
    (time,) = time_box.fields("Q" if is_long else "I", _FULL)
    end = None
    for box in part.all(_RUN):
        run = _read_run(box, found, time, end)
        time += sum(run.durations)
        end = run.data_offset + sum(run.sizes)
        yield run


def _read_run(
    box: Mp4Box, defaults: Sequence[int], start_time: int, behind: int | None
) -> SampleRun:
    word, count = box.fields("II")
    flags = word & 0xFFFFFF
    if count > MOST_SAMPLES:
        raise Mp4Error(f"a run has more than {MOST_SAMPLES} samples")
    at = 2 * _FULL
    offset = behind
    if flags & _OFFSET:
        offset, at = box.fields("i", at)[0], at + 4
    if offset is None:
        raise Mp4Error("a run does not say where its data is")
    first_flags = None
    if flags & _FIRST_FLAGS:
        first_flags, at = box.fields("I", at)[0], at + 4
    fields = [b for b in (_DURATION, _SIZE, _FLAGS, _COMPOSITION) if flags & b]
    table = box.fields(f"{count * len(fields)}I", at)
    columns = {bit: table[n :: len(fields)] for n, bit in enumerate(fields)}
    all_flags = list(columns.get(_FLAGS, (defaults[2],) * count))
    if first_flags is not None and all_flags:
        all_flags[0] = first_flags
    offsets: Sequence[int] = columns.get(_COMPOSITION, ())
    if word >> 24:
        offsets = [one - (one & _SIGN_BIT) * 2 for one in offsets]
    return SampleRun(
        start_time=start_time,
        data_offset=offset,
        durations=columns.get(_DURATION, (defaults[0],) * count),
        sizes=columns.get(_SIZE, (defaults[1],) * count),
        is_sync=[not one & _NOT_SYNC for one in all_flags],
        offsets=offsets if any(offsets) else (),
    )


def movie_of(init: bytes) -> Mp4Box:
    """
    Return the moov box of an init segment.

    Raises:
        Mp4Error: The init segment has no moov box, or not exactly one track.
    """
    found = box_of(init, kind="init", is_forgiving=True).all("moov")
    if len(found) != 1 or len(found[0].all("trak")) != 1:
        raise Mp4Error("an init segment has not exactly one track")
    return found[0]
