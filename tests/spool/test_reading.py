"""
Spool files: many lines together say what each of them says alone.
"""

import fcntl
import zlib
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hvcore.spool import (
    SpoolFile,
    opened,
    put_aside,
    reading,
    spool_files,
    tally,
    the_only_reader,
)

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


LINES = [with_checksum(of_segment(b"%d" % (NOW_MS + n), PLACES[0])) for n in range(50)]
LINE_BYTES = len(LINES[0]) + 1


def read_all(file: SpoolFile, start: int = 0) -> tuple[int, int, list[int]]:
    """
    Return the segments, the damaged lines, and the ends of the parts that were read.
    """
    segments = damaged = 0
    ends = []
    while chunk := file.read(start):
        start = chunk.end
        ends.append(start)
        segments += sum(one.segments for one in chunk.noted.counts)
        damaged += chunk.noted.damaged
    return segments, damaged, ends


@pytest.mark.parametrize("block_lines", [1, 2, 7, 50, 51])
@pytest.mark.parametrize("more_bytes", [-1, 0, 1])
@pytest.mark.parametrize("read_blocks", [1, 3])
def test_a_file_that_is_read_in_parts_has_each_line_once(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    block_lines: int,
    more_bytes: int,
    read_blocks: int,
) -> None:
    block_bytes = max(block_lines * LINE_BYTES + more_bytes, LINE_BYTES)
    monkeypatch.setattr(reading, "BLOCK_BYTES", block_bytes)
    monkeypatch.setattr(reading, "READ_BYTES", read_blocks * block_bytes)
    path = tmp_path / "a.log"
    path.write_bytes(b"\n".join([*LINES, LINES[0][:-1]]))

    with opened(path) as file:
        segments, damaged, ends = read_all(file)
        with path.open("ab") as writer:
            writer.write(LINES[0][-1:] + b"\n")
        later = read_all(file, ends[-1])

        assert (segments, damaged) == (len(LINES), 0)
        assert all(end % LINE_BYTES == 0 for end in ends)
        assert ends[-1] == len(LINES) * LINE_BYTES
        assert later == (1, 0, [file.size_bytes()])


@pytest.mark.parametrize("blocks", [1, 2, 3])
def test_a_line_without_an_end_is_damaged_and_what_follows_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, blocks: int
) -> None:
    monkeypatch.setattr(reading, "BLOCK_BYTES", 2 * LINE_BYTES)
    path = tmp_path / "a.log"
    good = b"\n".join([*LINES, b""])
    path.write_bytes(good + b"x" * (2 * blocks * LINE_BYTES) + b"\n" + good)

    with opened(path) as file:
        segments, damaged, ends = read_all(file)

    assert segments == 2 * len(LINES)
    assert damaged >= 1
    assert ends[-1] == path.stat().st_size


def test_a_file_is_complete_once_nobody_has_locked_it(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    with path.open("wb") as writer:
        fcntl.flock(writer, fcntl.LOCK_EX)
        with opened(path) as file:
            assert not file.is_complete

    with opened(path) as file, opened(path) as other:
        assert file.is_complete
        assert not other.is_complete


def test_a_folder_has_one_reader_at_a_time(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    for _ in range(2):
        with the_only_reader(folder) as is_only, the_only_reader(folder) as is_other:
            assert (is_only, is_other) == (True, False)


def test_files_are_read_in_the_order_of_their_names_and_no_other_file(
    tmp_path: Path,
) -> None:
    for name in ("b.log", "c.log", "a.log", "d.txt"):
        (tmp_path / name).touch()

    aside = put_aside(tmp_path / "c.log", ".bad")

    assert aside == tmp_path / "c.bad"
    assert [path.name for path in spool_files(tmp_path)] == ["a.log", "b.log"]
