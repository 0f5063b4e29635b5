"""
Which lines of the edge's log count.
"""

from collections import Counter
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hv_edge.served_counts import ServedCounts, count_served
from hv_edge.served_lines import read_served
from hvcore.domain.analytics import roll_up

PLACE = b"org_a env-1 vid_a1B 720"
ID = b"0" * 32
WHOLE = b"hv1 1767323045.678 200 1 750 750 " + PLACE + b" " + ID


def test_an_answer_that_was_handed_over_whole_counts() -> None:
    found = read_served([WHOLE, WHOLE.replace(b" 200 ", b" 206 ")])

    assert found.damaged == 0
    assert len(found.served) == 2
    one = found.served[0]
    assert one.at == datetime(2026, 1, 2, 3, 4, 5, 678_000, tzinfo=UTC)
    place = one.place
    assert (place.org_id, place.env_id, place.video_id, place.height_px) == (
        *("org_a", "env-1", "vid_a1B"),
        720,
    )


@pytest.mark.parametrize(
    ("written", "instead"),
    [
        (b" 200 1 750 750 ", b" 200 0 750 750 "),
        (b" 200 1 750 750 ", b" 200 1 749 750 "),
        (b" 200 1 750 750 ", b" 200 1 0 750 "),
        (b" 200 1 750 750 ", b" 200 1 750 - "),
        (b" 200 ", b" 304 "),
        (b" 200 ", b" 416 "),
        (b" 200 ", b" 404 "),
    ],
)
def test_every_other_answer_does_not(written: bytes, instead: bytes) -> None:
    found = read_served([WHOLE.replace(written, instead)])

    assert (found.served, found.damaged) == ((), 0)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\x00" * 80,
        WHOLE[:-1],
        WHOLE + b"x",
        WHOLE.replace(b"hv1", b"hv2"),
        # Counted beside the same height without it, a sink would refuse both.
        WHOLE.replace(b" 720 ", b" 0720 "),
        WHOLE.replace(b"vid_", b"vod_"),
        WHOLE.replace(b"720", b"720p"),
        WHOLE.replace(b"org_a", b"org a"),
        # A moment that no calendar has.
        WHOLE.replace(b"1767323045", b"999999999999"),
    ],
)
def test_what_nginx_has_not_written_is_damaged(line: bytes) -> None:
    found = read_served([line, WHOLE])

    assert (len(found.served), found.damaged) == (1, 1)


@pytest.mark.parametrize("length", [1, 20, 60, len(WHOLE) - 1])
def test_half_a_line_costs_no_other(length: int) -> None:
    # What a full disk has taken, and then what came when there was room again.
    found = read_served([WHOLE[:length] + WHOLE, WHOLE])

    assert (len(found.served), found.damaged) == (2, 1)


def test_lines_that_lost_their_end_count_all() -> None:
    unsent = WHOLE.replace(b" 200 1 750", b" 200 0 750")

    found = read_served([WHOLE + unsent + WHOLE])

    assert (len(found.served), found.damaged) == (2, 1)


_LINES = st.lists(
    st.tuples(
        # About a day's end; not in order, as several workers write.
        st.integers(1_767_311_990_000, 1_767_312_070_000),
        st.sampled_from(
            [
                b"200 1 750 750",
                b"206 1 9 9",
                b"200 0 7 750",
                b"206 1 7 75",
                b"304 1 0 -",
            ]
        ),
        st.sampled_from([b"org_a env-1 vid_a1B 720", b"org_a env-1 vid_a1B 1080"]),
        # Damaged, for which each line is looked at by itself.
        st.sampled_from([b"", b"", b"", b"x"]),
    )
)


@given(_LINES)
def test_together_lines_count_what_each_of_them_does(
    chosen: list[tuple[int, bytes, bytes, bytes]],
) -> None:
    lines = [
        b"hv1 %d.%03d %s %s %s%s" % (*divmod(ms, 1000), how, place, ID, end)
        for ms, how, place, end in chosen
    ]
    each = read_served(lines)

    found = count_served(b"".join(line + b"\n" for line in lines))

    assert found.damaged == each.damaged
    assert set(found.counts) == set(roll_up(each.served))
    minutes = Counter((one.place, one.at.timestamp() // 60) for one in each.served)
    assert {(m.place, m.minute): m.segments for m in found.minutes} == minutes


@pytest.mark.parametrize(
    "data",
    [
        WHOLE,
        WHOLE + b"\n" + WHOLE[:40],
        WHOLE + b"\n\n\n",
        WHOLE.replace(b"vid_", b"vod_") + b"\n" + WHOLE + b"\n",
        WHOLE.replace(b"1767323045.", b"767323045.") + b"\n",
    ],
)
def test_what_is_unusual_is_counted_line_by_line(data: bytes) -> None:
    each = read_served(data.removesuffix(b"\n").split(b"\n"))

    found = count_served(data)

    assert sum(one.segments for one in found.counts) == len(each.served) == 1
    assert found.damaged == each.damaged


def test_nothing_is_no_line() -> None:
    assert count_served(b"") == ServedCounts(counts=(), minutes=())
