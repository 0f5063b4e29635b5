"""
Read the durations, sizes and flags of all samples of a track fragment.

Source: ISO/IEC 14496-12, sections 8.8.7 (tfhd) and 8.8.8 (the runs).
"""

from collections.abc import Sequence
from typing import Final

import attrs

from hvcore.conformance.boxes import Box, BoxError

MOST_SAMPLES: Final = 50_000
"""The most samples that one fragment may have: seven minutes of frames at 120 a second."""
_BASE: Final = 0x1
_DESCRIPTION: Final = 0x2
_DEFAULTS: Final = (0x8, 0x10, 0x20)
_MOOF_BASE: Final = 0x20000
_OFFSET: Final = 0x1
_FIRST_FLAGS: Final = 0x4
_DURATION, _SIZE, _FLAGS, _COMPOSITION = 0x100, 0x200, 0x400, 0x800


@attrs.frozen(kw_only=True)
class Run:
    """
    The samples of a track fragment, added up over all of its runs; durations are in the track's timescale.

    Attributes:
        durations: The shortest and the longest duration of a sample, without the last
            sample, which may be cut, unless it is the only one.
        longest: The longest duration of a sample, the last one included.
        data_offset: The offset of the first run's data from its base; None if the run
            has none.
        has_base: Whether the fragment names a base offset of its own instead of the
            moof's.
    """

    track_id: int
    samples: int
    duration: int
    durations: tuple[int, int]
    longest: int
    bytes: int
    first_flags: int
    first_size: int
    first_offset: int
    data_offset: int | None
    has_base: bool
    is_moof_base: bool


@attrs.frozen(kw_only=True)
class _One:
    """The samples of one run of a track fragment."""

    durations: Sequence[int]
    sizes: Sequence[int]
    first_flags: int
    first_offset: int
    data_offset: int | None


def read_runs(part: Box, track_defaults: tuple[int, int, int]) -> Run:
    """
    Read the header and every run of samples of a ``traf`` box, and add the runs up.

    Args:
        track_defaults: Duration, size and flags of samples that have none of their own.

    Raises:
        BoxError: A header or run of the fragment is missing or too short.
    """
    header = part.need("tfhd")
    flags = header.number("I") & 0xFFFFFF
    at = 8 + (8 if flags & _BASE else 0) + (4 if flags & _DESCRIPTION else 0)
    defaults = list(track_defaults)
    for number, bit in enumerate(_DEFAULTS):
        if flags & bit:
            defaults[number] = header.number("I", at)
            at += 4
    runs: list[_One] = []
    room = MOST_SAMPLES
    for box in part.all("trun"):  # codespell:ignore trun
        runs.append(_run(box, defaults, room))
        room -= len(runs[-1].sizes)
    if not runs:
        raise BoxError("traf has no run of samples")
    durations = [value for run in runs for value in run.durations]
    sizes = [value for run in runs for value in run.sizes]
    steady = durations[:-1] or durations or [0]
    return Run(
        track_id=header.number("I", 4),
        samples=len(sizes),
        duration=sum(durations),
        durations=(min(steady), max(steady)),
        longest=max(durations, default=0),
        bytes=sum(sizes),
        first_flags=runs[0].first_flags,
        first_size=sizes[0] if sizes else 0,
        first_offset=runs[0].first_offset,
        data_offset=runs[0].data_offset,
        has_base=bool(flags & _BASE),
        is_moof_base=bool(flags & _MOOF_BASE),
    )


def _run(box: Box, defaults: Sequence[int], room: int) -> _One:
    word, count = box.numbers("II")
    flags = word & 0xFFFFFF
    # A dozen bytes can announce billions.
    if count > room:
        raise BoxError(f"a fragment has more than {MOST_SAMPLES} samples")
    at = 8
    data_offset = None
    if flags & _OFFSET:
        data_offset, at = box.number("i", at), at + 4
    first_flags = defaults[2]
    if flags & _FIRST_FLAGS:
        first_flags, at = box.number("I", at), at + 4
    fields = [b for b in (_DURATION, _SIZE, _FLAGS, _COMPOSITION) if flags & b]
    table = box.numbers(f"{count * len(fields)}I", at)
    columns = {bit: table[n :: len(fields)] for n, bit in enumerate(fields)}
    if columns.get(_FLAGS):
        first_flags = columns[_FLAGS][0]
    first_offset = next(iter(columns.get(_COMPOSITION, ())), 0)
    if word >> 24 and first_offset >= 1 << 31:
        first_offset -= 1 << 32
    return _One(
        durations=columns.get(_DURATION, (defaults[0],) * count),
        sizes=columns.get(_SIZE, (defaults[1],) * count),
        first_flags=first_flags,
        first_offset=first_offset,
        data_offset=data_offset,
    )
