"""
Spool files: many lines together say what each of them says alone.
"""

import zlib
from collections import Counter
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from hvcore.spool import tally

MINUTE_MS = 60_000
LAST_MINUTE = int(datetime(9999, 12, 31, 23, 59, tzinfo=UTC).timestamp()) // 60
NOW_MS = 1_767_323_040_000
PLACES = [b"org_a dev-1 vid_1 720", b"org_a dev-1 vid_1 1080", b"org_b live vid_2 720"]


def with_checksum(text: bytes) -> bytes:
    return b"%s %08x" % (text, zlib.crc32(text))


def of_segment(at: bytes, place: bytes) -> bytes:
    return b"%s %s" % (at, place)


def alone(all_lines: list[bytes]) -> tuple[Counter[tuple[int, bytes]], int]:
    """
    Count lines one after the other, as their format is described.
    """
    by_minute: Counter[tuple[int, bytes]] = Counter()
    damaged = 0
    for line in all_lines:
        text = line[:-9]
        try:
            is_whole = int(line[-8:], 16) == zlib.crc32(text)
        except ValueError:
            is_whole = False
        at, _, place = text.partition(b" ")
        if is_whole and not text[:1].isdigit():
            kind, _, rest = text.partition(b" ")
            if kind == b"t":
                at, _, place = rest.partition(b" ")
                by_minute[int(at) // MINUTE_MS, place] -= 1
        elif (
            not is_whole
            or not at.isdigit()
            or len(at) > 15
            or place not in PLACES
            or int(at) // MINUTE_MS > LAST_MINUTE
        ):
            damaged += 1
        else:
            by_minute[int(at) // MINUTE_MS, place] += 1
    return by_minute, damaged


# As they are written: in the order of time, or nearly so.
usual = st.builds(
    of_segment,
    st.integers(NOW_MS - 90_000, NOW_MS + 90_000).map(lambda ms: b"%d" % ms),
    st.sampled_from(PLACES),
)
# Of 13 digits and of others, with what is no place, and no moments at all.
odd = st.builds(
    of_segment,
    st.integers(0, 10**17).map(lambda ms: b"%d" % ms)
    | st.sampled_from(
        [
            *(b"9999999999999", b"9999999959999", b"1767323040000x"),
            *(b"17673230x0000", b"17673230400001", b"1", b"", b" ", b":", b"/"),
        ]
    ),
    st.sampled_from([*PLACES, b"", b"two words", b"org_a dev-1 vid_1 x"]),
)
other = st.sampled_from(
    [
        b"t %d %s" % (NOW_MS, PLACES[0]),
        b"s %d org_a dev-1 vid_1 abcdefgh" % NOW_MS,
        b"n %d org_a dev-1 vid_1 0 head" % NOW_MS,
        b"z of a newer version",
        b"1767323040000",
        b"",
    ]
)
whole = (usual | usual | odd | other).map(with_checksum)
damaged = st.builds(
    lambda line, at, byte: line[:at] + bytes([byte]) + line[at + 1 :],
    whole,
    st.integers(0, 60),
    st.integers(0, 255),
).filter(lambda line: b"\n" not in line) | st.binary(max_size=12).filter(
    lambda line: b"\n" not in line
)


some_lines = (
    st.lists(usual.map(with_checksum)) | st.lists(whole) | st.lists(whole | damaged)
)


@given(some_lines, st.sampled_from([1, 1, 2, 5]))
def test_lines_together_say_what_each_says_alone(
    all_lines: list[bytes], times: int
) -> None:
    all_lines = all_lines * times

    noted = tally.read_lines(all_lines)

    by_minute, damaged = alone(all_lines)
    found = Counter(
        {(one.minute, one.place.text): one.segments for one in noted.minutes}
    )
    assert found == by_minute
    assert sum(one.segments for one in noted.counts) == by_minute.total()
    assert noted.damaged == damaged


@given(st.lists(usual, min_size=1), st.sampled_from([1, 3]))
def test_a_count_says_its_first_and_last_moment(texts: list[bytes], times: int) -> None:
    noted = tally.read_lines([with_checksum(text) for text in texts] * times)

    for one in noted.counts:
        moments = [
            datetime.fromtimestamp(int(at) / 1000, UTC)
            for at, _, place in (text.partition(b" ") for text in texts)
            if place == one.place.text
        ]
        of_day = sorted(at for at in moments if at.date() == one.day)
        assert (one.first_at, one.last_at) == (of_day[0], of_day[-1])
