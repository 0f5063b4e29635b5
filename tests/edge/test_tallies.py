"""
What the files say in which the edge's nginx counts.
"""

from collections import Counter
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hvcore.domain.analytics.ignored import IgnoredReason
from hvcore.domain.analytics.segments import MinuteCount, ServedCount
from hvcore_edge.served_notes import NamedSessions, read_notes
from hvcore_edge.tallies import (
    FILE_BYTES,
    EdgeTally,
    ServedNote,
    place_of,
    read_tally,
    tally_files,
    used_bytes,
)
from tests.edge.written_tallies import (
    BEGAN,
    MINUTE,
    NAMES,
    NOTE,
    OTHER,
    PLACE,
    SESSION,
    ms,
    tally,
    write_tally,
)

RECORD: Final = (PLACE, 3, 100, 2_900)


def segments_in(found: EdgeTally) -> dict[bytes, int]:
    return {one.place.text: one.segments for one in found.counts}


def test_a_record_counts_on_its_day_and_in_its_minute() -> None:
    found = read_tally(tally(MINUTE, RECORD))

    place = place_of(PLACE)
    assert found == EdgeTally(
        counts=(
            ServedCount(
                place=place,
                day=date(2026, 1, 2),
                segments=3,
                first_at=BEGAN + ms(100),
                last_at=BEGAN + ms(2_900),
            ),
        ),
        minutes=(MinuteCount(place=place, minute=MINUTE, segments=3),),
    )


@pytest.mark.parametrize(
    ("text", "height_px"),
    [(b"0", 0), (b"1", 1), (b"720", 720), (b"99999", 99_999)],
)
def test_a_place_is_told_by_its_text(text: bytes, height_px: int) -> None:
    place = place_of(b"org_a env-1 vid_a1B " + text)

    assert (place.org_id, place.env_id, place.video_id, place.height_px) == (
        *("org_a", "env-1", "vid_a1B"),
        height_px,
    )


@pytest.mark.parametrize("text", [b"", b"org_a", PLACE + b"\n", PLACE + NOTE])
def test_a_malformed_place_is_refused(text: bytes) -> None:
    with pytest.raises(ValueError, match="no place of a segment"):
        place_of(text)


def test_sessions_and_notes_do_not_divide_a_place() -> None:
    found = read_tally(
        tally(
            MINUTE,
            (PLACE, 3, 1_000, 2_000),
            (PLACE + SESSION, 1, 500, 500),
            (PLACE + NOTE, 2, 1_500, 59_999),
        )
    )

    (count,) = found.counts
    assert (count.segments, count.first_at, count.last_at) == (
        6,
        BEGAN + ms(500),
        BEGAN + ms(59_999),
    )
    assert [one.segments for one in found.minutes] == [6]
    # Each as of the last segment of which it is said.
    assert found.notes == (
        ServedNote(BEGAN + ms(500), PLACE, SESSION, 1),
        ServedNote(BEGAN + ms(59_999), PLACE, NOTE, 2),
    )
    assert not found.damaged


def test_a_request_of_too_few_bytes_is_no_segment_and_keeps_its_reason() -> None:
    found = read_tally(
        tally(
            MINUTE,
            RECORD,
            (PLACE + b" n=too-few-bytes", 5, 0, 10),
            (PLACE + b" n=too-few-bytes", 2, 0, 10),
            # Of a newer version.
            (PLACE + b" n=too-early", 9, 0, 10),
        )
    )

    assert segments_in(found) == {PLACE: 3}
    assert [one.segments for one in found.minutes] == [3]
    (one,) = found.ignored
    assert (one.place.reason, one.place.height_px) == (IgnoredReason.TOO_FEW_BYTES, 720)
    assert (one.requests, one.day) == (7, date(2026, 1, 2))
    assert (found.notes, found.damaged) == ((), False)


def test_an_organization_with_more_viewers_than_are_followed_is_known() -> None:
    more = b" s=-"
    data = tally(
        MINUTE,
        (PLACE + more, 2, 0, 100),
        (OTHER + more + b" c=DE", 1, 0, 300),
        (PLACE + SESSION, 1, 0, 400),
    )

    told = read_tally(data)
    found = read_notes(told.notes, NamedSessions(NAMES))

    (unfollowed,) = found.unfollowed
    assert (unfollowed.org_id, unfollowed.at) == ("org_a", BEGAN + ms(300))
    assert len(found.seen) == 1
    assert [(one.value, one.segments) for one in found.origins] == [("DE", 1)]
    assert segments_in(told) == {PLACE: 3, OTHER: 1}
    assert not told.damaged


def test_each_height_counts_by_itself() -> None:
    found = read_tally(tally(MINUTE, RECORD, (OTHER + NOTE, 2, 0, 0)))

    assert segments_in(found) == {PLACE: 3, OTHER: 2}
    assert {one.place.height_px: one.segments for one in found.minutes} == {
        720: 3,
        1080: 2,
    }


@pytest.mark.parametrize("minute", [0, 5_000_000, 4_000_000_000])
def test_a_clock_that_is_far_off_stops_no_counting(minute: int) -> None:
    found = read_tally(tally(minute, RECORD, (OTHER, 1, 2**32 - 1, 2**32 - 1)))

    assert not found.damaged
    assert segments_in(found) == {PLACE: 3, OTHER: 1}
    assert {one.minute for one in found.minutes} == {minute}


def test_a_segment_counted_late_stays_on_the_day_of_its_minute() -> None:
    """
    As where the disk is full, and a worker can make no file for the next day.
    """
    last = (date(2026, 1, 2) - date(1970, 1, 1)).days * 24 * 60 - 1

    found = read_tally(tally(last, (PLACE, 2, 59_000, 61_000)))

    (count,) = found.counts
    assert count.day == date(2026, 1, 1)
    assert count.last_at == datetime(2026, 1, 1, 23, 59, 59, 999_000, tzinfo=UTC)


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_record_without_segments_is_nothing(place: int) -> None:
    """
    As of a worker that was killed before it had counted the first one.
    """
    records = [RECORD, (OTHER, 1, 0, 0)]
    records.insert(place, (b"org_a env-1 vid_b 720" + NOTE, 0, 5, 5))

    found = read_tally(tally(MINUTE, *records))

    assert segments_in(found) == {PLACE: 3, OTHER: 1}
    assert (found.notes, found.damaged) == ((), False)


def test_a_file_without_a_record_says_nothing() -> None:
    assert read_tally(tally(MINUTE)) == EdgeTally()
    assert read_tally(tally(MINUTE) + bytes(4096)) == EdgeTally()


@pytest.mark.parametrize("note", [b"", SESSION, b" c=DE", b" r=a.test", NOTE])
def test_each_part_of_a_note_may_be_missing(note: bytes) -> None:
    found = read_tally(tally(MINUTE, (PLACE + note, 1, 0, 0)))

    assert not found.damaged
    assert [one.text for one in found.notes] == [note] * bool(note)


@pytest.mark.parametrize(
    "text",
    [
        b"x",
        b"\x00" * 24,
        b"\xff" * 24,
        PLACE + b" ",
        PLACE + b"\n",
        # Counted beside the same height without it, a sink would refuse both.
        PLACE.replace(b" 720", b" 0720"),
        PLACE.replace(b" 720", b" 720p"),
        PLACE.replace(b" 720", b" 100000"),
        PLACE.replace(b"vid_", b"vod_"),
        PLACE.replace(b"org_a", b"org a"),
        PLACE.replace(b"org_a", b"o" * 65),
        # What stands behind the place, in other words or in another order.
        PLACE + b" s=00",
        PLACE + b" s=0123456789ABCDEF0123",
        PLACE + b" c=DE" + SESSION,
        PLACE + b" c=DEU",
        PLACE + b" r=a.test c=DE",
        PLACE + b" r=" + b"a" * 254,
        PLACE + b" r=A.test",
        PLACE + b" r=",
        PLACE + b" x=1",
    ],
)
@pytest.mark.parametrize("is_first", [True, False])
def test_a_record_that_nginx_has_not_written_is_damaged_and_the_rest_counts(
    text: bytes,
    is_first: bool,  # noqa: FBT001 - a parameter
) -> None:
    records = [(text, 7, 0, 0), RECORD] if is_first else [RECORD, (text, 7, 0, 0)]

    found = read_tally(tally(MINUTE, *records))

    assert found.damaged
    assert segments_in(found) == {PLACE: 3}
    assert found.notes == ()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"hvtally1",
        tally(MINUTE)[:-1],
        bytes(8192),
        tally(MINUTE, RECORD).replace(b"hvtally1", b"hvtally2"),
        bytes(16) + tally(MINUTE, RECORD)[16:],
        # A moment that no calendar has.
        tally(2**32 - 1, RECORD),
    ],
)
def test_a_tally_without_its_beginning_is_damaged_and_counts_nothing(
    data: bytes,
) -> None:
    assert read_tally(data) == EdgeTally(damaged=True)


@pytest.mark.parametrize("size", [2**32 - 1, 4096, 24])
def test_a_record_that_ends_behind_the_end_is_damaged(size: int) -> None:
    whole = tally(MINUTE, RECORD)
    data = whole + size.to_bytes(4, "little") + bytes([1]) + bytes(11) + OTHER[:-1]

    found = read_tally(data)

    assert found.damaged
    assert segments_in(found) == {PLACE: 3}


def test_a_file_that_was_cut_off_counts_what_is_whole() -> None:
    whole = tally(MINUTE, RECORD, (OTHER + NOTE, 2, 0, 0))
    first = len(tally(MINUTE, RECORD))
    for length in range(first, len(whole)):
        found = read_tally(whole[:length])

        assert segments_in(found) == {PLACE: 3}
        assert found.notes == ()
        # What is behind the last record is room, until there is a record's beginning.
        assert found.damaged == (length - first >= 16)


_RECORDS: Final = st.lists(
    st.tuples(
        st.sampled_from([PLACE, OTHER, b"org_b e vid_2 0"]),
        st.sampled_from([b"", b"", NOTE, SESSION, b" c=FR", b" r=a.test"]),
        st.integers(0, 2**32 - 1),
        st.integers(0, 59_999),
        st.integers(0, 59_999),
    )
)


@given(_RECORDS, st.integers(0, 3_000_000_000))
def test_together_records_count_what_each_of_them_does(
    chosen: list[tuple[bytes, bytes, int, int, int]], minute: int
) -> None:
    records = [
        (place + note, segments, min(one, other), max(one, other))
        for place, note, segments, one, other in chosen
    ]
    each = [read_tally(tally(minute, record)) for record in records]
    sums = Counter[bytes]()
    for one in each:
        sums.update(segments_in(one))

    found = read_tally(tally(minute, *records))

    assert not found.damaged
    assert segments_in(found) == dict(sums)
    assert {one.place.text: one.segments for one in found.minutes} == dict(sums)
    assert found.notes == tuple(note for one in each for note in one.notes)
    for count in found.counts:
        alone = [c for one in each for c in one.counts if c.place == count.place]
        assert count.first_at == min(one.first_at for one in alone)
        assert count.last_at == max(one.last_at for one in alone)


@given(st.binary(), st.binary(max_size=200), st.integers(0, 2**32 - 1))
def test_any_bytes_can_be_read_as_a_tally(
    data: bytes, text: bytes, minute: int
) -> None:
    for whole in (
        data,
        tally(minute) + data,
        tally(minute, RECORD) + data,
        tally(minute, (text, 1, 2**32 - 1, 0), RECORD),
    ):
        found = read_tally(whole)

        assert len(found.minutes) == len(found.counts)
        assert read_notes(found.notes, NamedSessions(NAMES)) is not None


@given(st.integers(0, 200), st.binary(min_size=1, max_size=40))
def test_a_tally_can_be_read_whatever_is_written_over_it(
    at: int, written: bytes
) -> None:
    whole = tally(MINUTE, RECORD, (OTHER + NOTE, 2, 0, 0), (PLACE + NOTE, 1, 0, 0))

    found = read_tally(whole[:at] + written + whole[at + len(written) :])

    read_notes(found.notes, NamedSessions(NAMES))


def test_of_a_file_with_much_room_only_what_is_used_is_read(tmp_path: Path) -> None:
    path = write_tally(tmp_path, tally(MINUTE, RECORD), is_whole=True)

    with path.open("rb") as file:
        data = used_bytes(file)
        read = file.tell()

    assert read_tally(data) == read_tally(tally(MINUTE, RECORD))
    assert len(data) == read <= FILE_BYTES // 64


def test_a_file_of_many_records_is_read_whole(tmp_path: Path) -> None:
    records = [
        (b"org_a env-1 vid_%d 720%s" % (number, NOTE * (number % 2)), 1, 0, 0)
        for number in range(20_000)
    ]
    whole = tally(MINUTE, *records)
    path = write_tally(tmp_path, whole, is_whole=True)

    with path.open("rb") as file:
        data = used_bytes(file)

    assert data.startswith(whole)
    assert len(data) < len(whole) + FILE_BYTES // 32
    found = read_tally(data)
    assert (len(found.counts), len(found.notes), found.damaged) == (
        *(20_000, 10_000),
        False,
    )


def test_nothing_is_left_out_wherever_a_file_ends(tmp_path: Path) -> None:
    """
    Before the end of a block that is read, at it, and behind it.
    """
    record = (PLACE, 1, 0, 0)
    size = len(tally(MINUTE, record)) - len(tally(MINUTE))
    for number in range(60 * 1024 // size, 68 * 1024 // size):
        path = write_tally(tmp_path, tally(MINUTE, *[record] * number) + bytes(99_999))
        with path.open("rb") as file:
            found = read_tally(used_bytes(file))

        assert (segments_in(found), found.damaged) == ({PLACE: number}, False)


def test_a_file_that_is_full_is_read_to_its_end(tmp_path: Path) -> None:
    # 16 bytes before them, and 16 behind them.
    number = (FILE_BYTES - 32) // 512
    records = [(b"org_a env-1 vid_%0476d 0" % at, 1, 0, 0) for at in range(number)]
    path = write_tally(tmp_path, tally(MINUTE, *records), is_whole=True)

    with path.open("rb") as file:
        found = read_tally(used_bytes(file))

    assert (len(found.counts), found.damaged) == (number, False)


def test_an_empty_file_is_read(tmp_path: Path) -> None:
    with write_tally(tmp_path, b"").open("rb") as file:
        assert used_bytes(file) == b""


def test_only_files_that_workers_count_in_are_looked_for(tmp_path: Path) -> None:
    written = {write_tally(tmp_path, tally(MINUTE)) for _ in range(3)}
    for name in ("edge-0.new", "edge-0.tally.gz", "served.log", "0.tally"):
        (tmp_path / name).write_bytes(tally(MINUTE, RECORD))

    assert set(tally_files(tmp_path)) == written
    assert list(tally_files(tmp_path / "not there")) == []
