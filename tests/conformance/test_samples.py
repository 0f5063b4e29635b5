"""
The samples of a fragment are read and added up, whichever of their fields are there.
"""

import attrs
import pytest

from hvcore.conformance.boxes import Box, BoxError
from hvcore.conformance.init_segments import read_init
from hvcore.conformance.media_segments import SegmentHeader, read_segment
from hvcore.conformance.report import CheckLog
from hvcore.conformance.samples import MOST_SAMPLES, read_runs
from hvcore.conformance.source import Extent
from tests.conformance.made_streams import (
    MemorySource,
    full,
    u32,
    video_init,
    video_segment,
)


def traf(*runs: bytes, flags: int = 0x20000, fields: bytes = b"") -> Box:
    return Box("traf", full("tfhd", 0, flags, u32(7), fields) + b"".join(runs))


def run(flags: int, *numbers: int, count: int = 2, version: int = 0) -> bytes:
    return full("trun", version, flags, u32(count, *numbers))  # codespell:ignore trun


DEFAULTS = (40, 9, 5)


@pytest.mark.parametrize(
    ("flags", "numbers", "expected"),
    [
        (0, (), {}),
        (0x1, (99,), {"data_offset": 99}),
        (0x1, (0xFFFFFFFF,), {"data_offset": -1}),
        (0x4, (8,), {"first_flags": 8}),
        (0x5, (99, 8), {"data_offset": 99, "first_flags": 8}),
        (
            0x100,
            (30, 50),
            {"duration": 80, "durations": (30, 30), "longest": 50},
        ),
        (0x200, (3, 4), {"bytes": 7, "first_size": 3}),
        (0x400, (6, 7), {"first_flags": 6}),
        (0x800, (80, 40), {"first_offset": 80}),
        (
            0xF05,
            (99, 8, 30, 3, 6, 80, 50, 4, 7, 40),
            {
                "data_offset": 99,
                "first_flags": 6,
                "duration": 80,
                "durations": (30, 30),
                "longest": 50,
                "bytes": 7,
                "first_size": 3,
                "first_offset": 80,
            },
        ),
    ],
)
def test_each_field_of_a_run_may_be_there_or_have_a_default(
    flags: int, numbers: tuple[int, ...], expected: dict[str, object]
) -> None:
    plain = read_runs(traf(run(0)), DEFAULTS)

    assert attrs.asdict(read_runs(traf(run(flags, *numbers)), DEFAULTS)) == {
        **attrs.asdict(plain),
        **expected,
    }
    assert (plain.track_id, plain.samples, plain.data_offset) == (7, 2, None)
    assert (plain.duration, plain.durations, plain.longest) == (80, (40, 40), 40)
    assert (plain.bytes, plain.first_size, plain.first_flags) == (18, 9, 5)
    assert (plain.first_offset, plain.has_base, plain.is_moof_base) == (0, False, True)


@pytest.mark.parametrize(
    ("flags", "fields", "defaults"),
    [
        (0x8, (1,), (1, 9, 5)),
        (0x10, (1,), (40, 1, 5)),
        (0x20, (1,), (40, 9, 1)),
        (0x38, (1, 2, 3), (1, 2, 3)),
        (0x3A, (99, 1, 2, 3), (1, 2, 3)),
        (0x3B, (0, 98, 99, 1, 2, 3), (1, 2, 3)),
    ],
)
def test_a_fragment_may_have_defaults_of_its_own(
    flags: int, fields: tuple[int, ...], defaults: tuple[int, int, int]
) -> None:
    found = read_runs(traf(run(0), flags=flags, fields=u32(*fields)), DEFAULTS)

    durations, size, first_flags = defaults
    assert found.durations == (durations, durations)
    assert (found.first_size, found.first_flags) == (size, first_flags)
    assert (found.has_base, found.is_moof_base) == (bool(flags & 1), False)


@pytest.mark.parametrize(
    ("version", "offset", "expected"),
    [
        (0, (1 << 32) - 1, (1 << 32) - 1),
        (1, (1 << 32) - 1, -1),
        (1, 1 << 31, -(1 << 31)),
        (1, (1 << 31) - 1, (1 << 31) - 1),
    ],
)
def test_only_of_a_new_version_offsets_may_be_negative(
    version: int, offset: int, expected: int
) -> None:
    found = read_runs(traf(run(0x800, offset, 0, version=version)), DEFAULTS)

    assert found.first_offset == expected


def test_runs_of_a_fragment_are_added_up() -> None:
    found = read_runs(
        traf(run(0x300, 10, 1, 20, 2), run(0x101, 99, 90, count=1)), DEFAULTS
    )

    assert (found.samples, found.duration, found.bytes) == (3, 120, 12)
    # The last one may be cut, and is not counted among the steady ones.
    assert (found.durations, found.longest) == ((10, 20), 90)
    assert found.data_offset is None
    alone = read_runs(traf(run(0x100, 70, count=1)), DEFAULTS)
    assert (alone.durations, alone.longest) == ((70, 70), 70)
    nothing = read_runs(traf(run(0, count=0)), DEFAULTS)
    assert (nothing.samples, nothing.durations, nothing.longest) == (0, (0, 0), 0)
    with pytest.raises(BoxError, match="no run of samples"):
        read_runs(traf(), DEFAULTS)


@pytest.mark.parametrize("frames", [(512, 520), (520, 512)])
def test_fragments_of_a_segment_are_added_up(frames: tuple[int, int]) -> None:
    first = video_segment(1, frames=2, frame=frames[0], sequence=5)
    after = 50 * 512 + 2 * frames[0]
    second = video_segment(
        1, frames=3, frame=frames[1], start=after, sequence=6, styp=False
    )
    source = MemorySource({"i": video_init("180p"), "s": first + second})
    log = CheckLog()
    track = read_init(Extent(source, "i"), "i", log)
    assert track is not None

    found = read_segment(Extent(source, "s"), "s", track, None, log)

    assert found == SegmentHeader(
        start=50 * 512,
        duration=2 * frames[0] + 3 * frames[1],
        samples=5,
        durations=(512, 520),
        longest=520,
        last_sequence=6,
        first_offset=0,
    )
    assert log.report().findings == ()


def test_a_fragment_has_so_many_samples_over_all_of_its_runs() -> None:
    half = MOST_SAMPLES // 2

    most = read_runs(traf(run(0, count=half), run(0, count=half)), DEFAULTS)

    assert most.samples == MOST_SAMPLES
    for runs in ((half, half + 1), (MOST_SAMPLES + 1,)):
        with pytest.raises(BoxError, match=f"more than {MOST_SAMPLES} samples"):
            read_runs(traf(*(run(0, count=n) for n in runs)), DEFAULTS)
