"""
Which lines of the edge's log count.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hv_edge.served_counts import ServedCounts, count_served
from hv_edge.served_lines import ServedNote, read_served
from hv_edge.served_notes import NamedSessions, read_notes
from hvcore.domain.analytics import roll_up
from hvcore.domain.analytics_live import latest_seen
from hvcore.services.viewer_sessions import SessionNames

PLACE = b"org_a env-1 vid_a1B 720"
ID = b"0" * 32
WHOLE = b"hv1 1767323045.678 200 1 750 750 " + PLACE + b" " + ID

NOTE = b" s=0123456789abcdef0123 c=DE r=example.com"
TOLD = WHOLE.replace(b" " + ID, NOTE + b" " + ID)


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
        # What stands behind the place, in other words or in another order.
        WHOLE.replace(b" 720 ", b" 720 s=00 "),
        WHOLE.replace(b" 720 ", b" 720 s=0123456789ABCDEF0123 "),
        WHOLE.replace(b" 720 ", b" 720 c=DE s=0123456789abcdef0123 "),
        WHOLE.replace(b" 720 ", b" 720 c=DEU "),
        WHOLE.replace(b" 720 ", b" 720 r=a.test c=DE "),
        WHOLE.replace(b" 720 ", b" 720 r=" + b"a" * 254 + b" "),
        WHOLE.replace(b" 720 ", b" 720 r=A.test "),
        WHOLE.replace(b" 720 ", b" 720 r= "),
        WHOLE.replace(b" 720 ", b" 720 x=1 "),
        WHOLE + b" c=DE",
        # A moment that no calendar has.
        WHOLE.replace(b"1767323045", b"999999999999"),
    ],
)
def test_what_nginx_has_not_written_is_damaged(line: bytes) -> None:
    found = read_served([line, WHOLE])

    assert (len(found.served), found.damaged) == (1, 1)


@pytest.mark.parametrize("line", [WHOLE, TOLD])
@pytest.mark.parametrize("next_line", [WHOLE, TOLD])
def test_half_a_line_costs_no_other(line: bytes, next_line: bytes) -> None:
    for length in range(1, len(line)):
        # What a full disk has taken, and then what came when there was room again.
        found = read_served([line[:length] + next_line, WHOLE])

        assert (len(found.served), found.damaged) == (2, 1)
        # Nothing is taken from half a line.
        notes = [note.told for note in found.notes]
        assert notes == [NOTE] * (next_line is TOLD)


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
        st.sampled_from(
            [b"", b"", NOTE, NOTE[:23], b" c=FR", b" r=a.test", b" c=FR" + NOTE[:23]]
        ),
        # Damaged, for which each line is looked at by itself.
        st.sampled_from([b"", b"", b"", b"x"]),
    )
)


@given(_LINES)
def test_together_lines_count_what_each_of_them_does(
    chosen: list[tuple[int, bytes, bytes, bytes, bytes]],
) -> None:
    lines = [
        b"hv1 %d.%03d %s %s%s %s%s" % (*divmod(ms, 1000), how, place, note, ID, end)
        for ms, how, place, note, end in chosen
    ]
    each = read_served(lines)

    found = count_served(b"".join(line + b"\n" for line in lines))

    assert found.damaged == each.damaged
    assert set(found.counts) == set(roll_up(each.served))
    minutes = Counter((one.place, one.at.timestamp() // 60) for one in each.served)
    assert {(m.place, m.minute): m.segments for m in found.minutes} == minutes
    assert meant(found.notes) == meant(each.notes)


@pytest.mark.parametrize("at", [b"0000000000.000", b"9999999999.999"])
def test_a_clock_that_is_far_off_stops_no_counting(at: bytes) -> None:
    data = WHOLE.replace(b"1767323045.678", at) + b"\n" + WHOLE + b"\n"

    found = count_served(data)

    assert (found.damaged, [one.segments for one in found.counts]) == (0, [1, 1])


def test_of_many_lines_each_counts_once_on_either_way() -> None:
    """
    Lines with and without notes, counted together and one by one.
    """
    random = Random(1)  # noqa: S311 - no secret
    sessions = [b" s=%020x" % number for number in range(3)]
    lines = []
    for number in range(60_000):
        note = random.choice(sessions) if random.random() < 0.02 else b""
        note += random.choice([b" c=DE", b" c=FR r=a.test"]) if number % 3 == 0 else b""
        place = b"org_a env-1 vid_a%d 720" % random.randrange(5)
        how = random.choice([b"200 1 750 750", b"200 1 750 750", b"200 0 7 750"])
        at = b"%d.%03d" % (1_767_311_970 + number // 1000, number % 1000)
        lines.append(b"hv1 %s %s %s%s %032x\n" % (at, how, place, note, number))
    # As several workers write.
    random.shuffle(lines)
    data = b"".join(lines)

    together, each = count_served(data), count_served(data + b"damaged\n")

    assert (together.damaged, each.damaged) == (0, 1)
    assert set(together.counts) == set(each.counts)
    assert set(together.minutes) == set(each.minutes)
    assert sum(one.segments for one in together.counts) == data.count(b" 200 1 ")
    assert meant(together.notes) == meant(each.notes)
    names = SessionNames("a secret of at least 32 characters")
    some = each.notes[::20]
    notes = read_notes(some, NamedSessions(names))
    # As noting each by itself, and then the latest and the sums.
    alone = [read_notes([note], NamedSessions(names)) for note in some]
    assert set(notes.seen) == set(latest_seen(one for a in alone for one in a.seen))
    sums = Counter[tuple[object, ...]]()
    for one in (one for a in alone for one in a.origins):
        sums[one.video_id, one.day, one.by, one.value] += one.segments
    found = {(o.video_id, o.day, o.by, o.value): o.segments for o in notes.origins}
    assert found == sums
    assert len({day for _, day, _, _ in found}) == 2


def meant(notes: Sequence[ServedNote]) -> tuple[object, object]:
    names = SessionNames("a secret of at least 32 characters")
    read = read_notes(notes, NamedSessions(names))
    return set(read.seen), set(read.origins)


def test_what_is_no_country_and_no_host_of_a_page_is_not_known() -> None:
    names = SessionNames("a secret of at least 32 characters")
    for told in (b" c=XX", b" c=ZZ", b" r=-a", b" r=203.0.113.7"):
        line = WHOLE.replace(b" " + ID, told + b" " + ID)
        found = count_served(line + b"\n")

        assert (found.damaged, len(found.counts)) == (0, 1)
        assert read_notes(found.notes, NamedSessions(names)).origins == ()


def test_a_viewer_of_two_heights_is_one_and_goes_to_one_country() -> None:
    other = TOLD.replace(b" 720 ", b" 1080 ").replace(b".678", b".679")
    names = SessionNames("a secret of at least 32 characters")

    found = read_notes(
        count_served(TOLD + b"\n" + other + b"\n").notes, NamedSessions(names)
    )

    (seen,) = found.seen
    assert seen.session == names.name_of("0123456789abcdef0123")
    assert seen.at == datetime(2026, 1, 2, 3, 4, 5, 679_000, tzinfo=UTC)
    assert {(one.value, one.segments) for one in found.origins} == {
        ("DE", 2),
        ("example.com", 2),
    }


@pytest.mark.parametrize(
    "data",
    [
        WHOLE,
        WHOLE + b"\n" + WHOLE[:40],
        WHOLE + b"\n\n\n",
        WHOLE.replace(b" 720 ", b" 720 r=a.test c=DE ") + b"\n" + WHOLE + b"\n",
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
