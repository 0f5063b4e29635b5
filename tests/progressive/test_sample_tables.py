"""
Sample tables tell the times, sizes and places of all samples of a track, briefly.
"""

import struct

import pytest

from hvcore.mp4.boxes import Mp4Error, box_of
from hvcore.progressive.fragments import SampleRun
from hvcore.progressive.sample_tables import SampleTables

FIRST_BYTE = 2**33


def run(
    start_time: int,
    durations: tuple[int, ...],
    *,
    syncs: str = "",
    offsets: tuple[int, ...] = (),
) -> SampleRun:
    """
    Return a run whose samples are as large as they are long; ``-`` in ``syncs`` is no sync sample.
    """
    return SampleRun(
        start_time=start_time,
        data_offset=0,
        durations=durations,
        sizes=durations,
        is_sync=[sign != "-" for sign in syncs.ljust(len(durations), "+")],
        offsets=offsets,
    )


def tables_of(*runs: SampleRun) -> tuple[SampleTables, dict[str, tuple[int, ...]]]:
    """
    Return the tables of runs a hundred bytes apart, and the numbers in their boxes.
    """
    tables = SampleTables()
    for place, one in enumerate(runs):
        tables.add(one, at=100 * place)
    found = {}
    for box in box_of(tables.boxes(FIRST_BYTE), kind="stbl").children():
        content = box.source.read(box.start, box.end - box.start)
        head, rest = content[:8], content[8:]
        form = "Q" if box.kind == "co64" else "i"
        values = struct.unpack(f">{len(rest) // struct.calcsize(form)}{form}", rest)
        found[box.kind] = (*struct.unpack(">II", head), *values)
    return tables, found


def test_equal_neighbours_are_written_once() -> None:
    tables, found = tables_of(run(50, (4, 4, 4, 2)), run(64, (2, 4)), run(70, ()))

    assert (tables.first_time, tables.first_shown, tables.duration) == (50, 0, 20)
    assert found == {
        "stts": (0, 3, 3, 4, 2, 2, 1, 4),
        "stsc": (0, 2, 1, 4, 1, 2, 2, 1),
        "stsz": (0, 0, 6, 4, 4, 4, 2, 2, 4),
        "co64": (0, 2, FIRST_BYTE, FIRST_BYTE + 100),
    }


def test_chunks_of_equal_length_are_written_once() -> None:
    _, found = tables_of(*(run(4 * n, (2, 2)) for n in range(3)), run(12, (2,)))

    assert found["stsc"] == (0, 2, 1, 2, 1, 4, 1, 1)


@pytest.mark.parametrize(
    ("durations", "expected"),
    [
        ((4,), (0, 2, 1, 9, 1, 4)),
        ((4, 4), (0, 3, 1, 4, 1, 9, 1, 4)),
        ((9, 4), (0, 2, 2, 9, 1, 4)),
    ],
)
def test_a_gap_lengthens_the_sample_before_it(
    durations: tuple[int, ...], expected: tuple[int, ...]
) -> None:
    ends = sum(durations)

    # The lengthened one may be as long as its neighbour.
    tables, found = tables_of(run(0, durations), run(ends + 5, (4,)))

    assert tables.duration == ends + 9
    assert found["stts"] == expected


def test_a_run_that_begins_before_the_last_one_ends_is_an_error() -> None:
    with pytest.raises(Mp4Error, match="begins before the one in front of it ends"):
        tables_of(run(0, (4, 4)), run(7, (4,)))


@pytest.mark.parametrize(
    ("syncs", "expected"),
    [
        (("++", "+"), None),
        (("+-", "+"), (0, 2, 1, 3)),
        (("--", "-"), (0, 0)),
        (("--", "+"), (0, 1, 3)),
    ],
)
def test_sync_samples_are_listed_unless_all_are(
    syncs: tuple[str, str], expected: tuple[int, ...] | None
) -> None:
    _, found = tables_of(run(0, (1, 1), syncs=syncs[0]), run(2, (1,), syncs=syncs[1]))

    assert found.get("stss") == expected


@pytest.mark.parametrize(
    ("offsets", "expected", "first_shown"),
    [
        ((), None, 0),
        ((2, 2, 1), (0, 3, 2, 2, 1, 1, 2, 0), 2),
        ((0, -1, 3), (1 << 24, 4, 1, 0, 1, -1, 1, 3, 2, 0), 0),
        ((5, 1, 1), (0, 3, 1, 5, 2, 1, 2, 0), 2),
    ],
)
def test_times_of_showing_are_listed_where_they_differ_from_decoding(
    offsets: tuple[int, ...], expected: tuple[int, ...] | None, first_shown: int
) -> None:
    tables, found = tables_of(run(7, (1, 1, 1), offsets=offsets), run(10, (1, 1)))

    assert found.get("ctts") == expected
    assert tables.first_shown == first_shown
