"""
Fragments tell the sizes, times and places of their samples, in each form that writers choose.
"""

import struct

import pytest

from hvcore.mp4.boxes import Mp4Error, box_of
from hvcore.mp4.windows import WINDOW_BYTES, FileInWindows
from hvcore.progressive.box_writing import box, full_box, number
from hvcore.progressive.fragments import (
    MOST_SAMPLES,
    SampleRun,
    movie_of,
    read_fragment,
    track_defaults,
)

RUN = b"trun"  # codespell:ignore trun
NOT_SYNC = 0x10000
DEFAULTS = (10, 100, NOT_SYNC)
"""Duration, size and flags of samples that say nothing else."""


def numbers(*values: int) -> bytes:
    return struct.pack(f">{len(values)}I", *(value % 2**32 for value in values))


def run(count: int, *values: int, flags: int, version: int = 0) -> bytes:
    return full_box(RUN, number(count), numbers(*values), flags=flags, version=version)


def read(
    *runs: bytes, header: bytes = b"", flags: int = 0, time: bytes | None = None
) -> list[SampleRun]:
    boxes = [
        full_box(b"tfhd", number(1), header, flags=flags),
        time or full_box(b"tfdt", number(1000)),
        *runs,
    ]
    content = box(b"traf", *boxes)
    return list(read_fragment(box_of(content, kind="moof"), DEFAULTS))


def test_samples_without_values_of_their_own_have_those_of_the_track() -> None:
    (found,) = read(run(2, 500, flags=0x1))

    assert found == SampleRun(
        start_time=1000,
        data_offset=500,
        durations=(10, 10),
        sizes=(100, 100),
        is_sync=[False, False],
        offsets=(),
    )


@pytest.mark.parametrize(
    ("flags", "header", "expected"),
    [
        (0x8, (7,), (7, 100, False)),
        (0x10, (7,), (10, 7, False)),
        (0x20, (0,), (10, 100, True)),
        (0x38, (1, 2, 0), (1, 2, True)),
        (0x2 | 0x18, (9, 1, 2), (1, 2, False)),
    ],
)
def test_a_fragment_has_defaults_of_its_own(
    flags: int, header: tuple[int, ...], expected: tuple[int, int, bool]
) -> None:
    (found,) = read(run(1, 0, flags=0x1), header=numbers(*header), flags=flags)

    assert (found.durations[0], found.sizes[0], found.is_sync[0]) == expected


@pytest.mark.parametrize(
    ("flags", "values", "expected"),
    [
        (0x100, (1, 2), ((1, 2), (100, 100), [False, False], ())),
        (0x200, (1, 2), ((10, 10), (1, 2), [False, False], ())),
        (0x400, (0, NOT_SYNC), ((10, 10), (100, 100), [True, False], ())),
        (0x800, (3, 4), ((10, 10), (100, 100), [False, False], (3, 4))),
        (0x800, (0, 4), ((10, 10), (100, 100), [False, False], (0, 4))),
        (0x800, (0, 0), ((10, 10), (100, 100), [False, False], ())),
        (0x4, (0,), ((10, 10), (100, 100), [True, False], ())),
        (0x404, (0, NOT_SYNC, 0), ((10, 10), (100, 100), [True, True], ())),
        (
            0xF00,
            (1, 5, 0, 3, 2, 6, NOT_SYNC, 4),
            ((1, 2), (5, 6), [True, False], (3, 4)),
        ),
    ],
)
def test_samples_have_values_of_their_own(
    flags: int, values: tuple[int, ...], expected: tuple[object, ...]
) -> None:
    (found,) = read(run(2, 0, *values, flags=0x1 | flags))

    shown = tuple(found.durations), tuple(found.sizes), found.is_sync
    assert (*shown, tuple(found.offsets)) == expected


@pytest.mark.parametrize(("version", "first"), [(0, 2**32 - 3), (1, -3)])
def test_a_sample_is_shown_before_its_decoding_in_a_newer_run_alone(
    version: int, first: int
) -> None:
    (found,) = read(run(2, 0, -3, 2**31 - 1, flags=0x801, version=version))

    assert list(found.offsets) == [first, 2**31 - 1]


@pytest.mark.parametrize(
    ("time", "expected"),
    [
        (full_box(b"tfdt", number(7)), 7),
        (full_box(b"tfdt", struct.pack(">Q", 2**40), version=1), 2**40),
    ],
)
def test_a_run_without_a_place_follows_the_one_before(
    time: bytes, expected: int
) -> None:
    runs = [run(2, 500, flags=0x1), run(3, flags=0), run(1, -4, flags=0x1)]

    found = read(*runs, time=time)

    assert [one.data_offset for one in found] == [500, 700, -4]
    assert [one.start_time - expected for one in found] == [0, 20, 50]


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (run(1, flags=0), "does not say where its data is"),
        (run(MOST_SAMPLES + 1, 0, flags=0x1), "more than 1000000 samples"),
        (run(2, 0, 1, flags=0x101), "trun"),  # codespell:ignore trun
    ],
)
def test_a_run_that_cannot_be_read_is_an_error(bad: bytes, why: str) -> None:
    with pytest.raises(Mp4Error, match=why):
        read(bad)


def test_a_run_is_as_long_as_runs_may_be() -> None:
    (found,) = read(run(MOST_SAMPLES, 0, flags=0x1))

    assert len(found.sizes) == MOST_SAMPLES


def test_a_fragment_whose_data_is_in_another_file_is_an_error() -> None:
    with pytest.raises(Mp4Error, match="in another file"):
        read(run(1, 0, flags=0x1), header=struct.pack(">Q", 0), flags=0x1)


def test_the_defaults_of_a_track_are_read_of_its_init_segment() -> None:
    defaults = full_box(b"trex", numbers(1, 1, *DEFAULTS))
    movie = box(b"moov", box(b"trak"), box(b"mvex", defaults))

    assert track_defaults(movie_of(box(b"ftyp") + movie)) == DEFAULTS
    for tracks in (0, 2):
        with pytest.raises(Mp4Error, match="exactly one track"):
            movie_of(box(b"moov", *[box(b"trak")] * tracks))
    with pytest.raises(Mp4Error, match="exactly one track"):
        movie_of(movie + movie)


@pytest.mark.parametrize("more_bytes", [-1, 0, 1])
def test_reads_within_a_window_ask_once(more_bytes: int) -> None:
    data = bytes(range(256)) * (3 * WINDOW_BYTES // 256)
    asked: list[tuple[int, int]] = []

    def read_range(start: int, end: int) -> bytes:
        asked.append((start, end))
        return data[start:end]

    file = FileInWindows(read_range, len(data))
    length = WINDOW_BYTES + more_bytes

    assert file.read(5, 10) == data[5:15]
    assert file.read(5, length) == data[5 : 5 + length]
    assert len(asked) == 1 + (more_bytes > 0)
    assert file.read(4, 1) == data[4:5]
    assert asked[-1] == (4, 4 + WINDOW_BYTES)
    assert file.read(len(data) - 2, 10) == data[-2:]
    assert file.read(len(data), 1) == b""
    assert asked[-1] == (len(data) - 2, len(data))
