"""
Spool files: what is written down is read back, once and whole.
"""

import errno
import os
import random
import signal
import subprocess
import sys
import threading
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import attrs
import pytest

from hvcore.domain.analytics.breakdown import SegmentOrigin, roll_up_origins
from hvcore.domain.analytics.cmcd import MOST_TOLD
from hvcore.domain.analytics.ignored import (
    IgnoredPlace,
    IgnoredReason,
    IgnoredRequest,
    roll_up_ignored,
)
from hvcore.domain.analytics.live import SessionSeen
from hvcore.domain.analytics.playback_metrics import PlayerReport
from hvcore.domain.analytics.playback_quality import PlayerReported, roll_up_reports
from hvcore.domain.analytics.segments import (
    MinuteCount,
    SegmentPlace,
    SegmentServed,
    roll_up,
)
from hvcore.domain.ids import EnvId, OrgId, VideoId
from hvcore.spool import (
    Spool,
    encode_ignored,
    encode_seen,
    lines,
    opened,
    reading,
    spool_files,
    tally,
    the_only_reader,
)
from hvcore.spool import writing as spool

AT = datetime(2026, 1, 2, 3, 4, 5, 678_000, tzinfo=UTC)
PLACE = SegmentPlace(
    org_id=OrgId("org_a"),
    env_id=EnvId("dev-1"),
    video_id=VideoId("vid_1"),
    height_px=720,
)


def segment(number: int = 0) -> SegmentServed:
    return SegmentServed(place=PLACE, at=AT + timedelta(milliseconds=number))


def with_checksum(text: bytes) -> bytes:
    return b"%s %08x\n" % (text, zlib.crc32(text))


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Spool]:
    made = Spool(tmp_path)
    yield made
    made.close()


def read_all(folder: Path) -> list[SegmentServed]:
    """
    Each segment by itself: what the reader says of every line alone.
    """
    found: list[SegmentServed] = []
    for path in spool_files(folder):
        with opened(path) as file:
            position = 0
            while (chunk := file.read(position)) is not None:
                data = path.read_bytes()[position : chunk.end]
                for line in data.splitlines():
                    found += [
                        SegmentServed(place=one.place, at=one.first_at)
                        for one in tally.read_lines([line]).counts
                    ]
                position = chunk.end
    return found


def test_what_was_written_is_read(own: Spool, tmp_path: Path) -> None:
    for number in range(3):
        own.append(segment(number))

    assert read_all(tmp_path) == [segment(0), segment(1), segment(2)]


def test_reading_goes_on_where_it_stopped(own: Spool, tmp_path: Path) -> None:
    own.append(segment(1))
    (path,) = spool_files(tmp_path)
    with opened(path) as file:
        first = file.read(0)
        assert first is not None
        nothing = file.read(first.end)
        own.append(segment(2))

        rest = file.read(first.end)

    assert nothing is None
    assert rest is not None
    assert rest.noted.counts == roll_up([segment(2)])


def test_a_file_is_complete_once_its_owner_is_gone(own: Spool, tmp_path: Path) -> None:
    own.append(segment())
    (path,) = spool_files(tmp_path)
    with opened(path) as file:
        while_alive = file.is_complete
    own.close()

    with opened(path) as file:
        assert (while_alive, file.is_complete) == (False, True)


def test_a_full_file_is_followed_by_another(tmp_path: Path) -> None:
    own = Spool(tmp_path, max_file_bytes=60)
    for number in range(5):
        own.append(segment(number))
    own.close()

    assert len(spool_files(tmp_path)) == 3
    assert sorted(one.at for one in read_all(tmp_path)) == [
        segment(number).at for number in range(5)
    ]


def test_a_file_that_says_at_its_end_that_it_failed_stops_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    As close(2) may: the descriptor is gone all the same, perhaps to a client.
    """
    real = os.close

    def close(fd: int) -> None:
        real(fd)
        raise OSError(errno.EIO, "Input/output error")

    own = Spool(tmp_path, max_file_bytes=1)
    with monkeypatch.context() as patched:
        patched.setattr(spool.os, "close", close)
        own.append(segment(1))
    own.append(segment(2))

    assert len(spool_files(tmp_path)) == 2
    found = sorted(one.at for one in read_all(tmp_path))
    assert found == [segment(1).at, segment(2).at]


def test_a_file_that_somebody_removed_is_given_up(
    own: Spool, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    own.append(segment())
    (lost,) = spool_files(tmp_path)
    lost.unlink()

    own.flush()
    own.append(segment())

    (path,) = spool_files(tmp_path)
    assert path.read_bytes().count(b"\n") == 1
    assert [record.message for record in caplog.records] == [
        "a spool file was removed: what was in it is not counted"
    ]


def test_a_file_that_a_reader_removed_meanwhile_is_not_written_to(
    own: Spool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, removed = spool.fcntl.flock, []

    def flock(fd: int, how: int) -> None:
        # Between its making and its locking, a reader takes it for a dead one.
        if not removed:
            (path,) = spool_files(tmp_path)
            path.unlink()
            removed.append(path)
        real(fd, how)

    monkeypatch.setattr(spool.fcntl, "flock", flock)
    own.append(segment())

    assert read_all(tmp_path) == [segment()]


@pytest.mark.parametrize("cut", [1, 10, 40])
def test_a_half_last_line_is_not_read(own: Spool, tmp_path: Path, cut: int) -> None:
    own.append(segment(1))
    own.append(segment(2))
    own.close()
    (path,) = spool_files(tmp_path)
    path.write_bytes(path.read_bytes()[:-cut])

    assert read_all(tmp_path) == [segment(1)]


@pytest.mark.parametrize(
    "damage",
    [
        b"\n",
        b"garbage\n",
        b"\0" * 4096 + b"\n",
        b"1767323045678 org_a dev-1 vid_1 720 00000000\n",
        b"\xff\xfe 12\n",
        # Good checksums of what only begins like a segment.
        with_checksum(b"1"),
        with_checksum(b"1767323045678 org_a dev-1 vid_1"),
        with_checksum(b"1767323045678 org_a dev-1 vid_1 tall"),
        with_checksum(b"1767323045678x org_a dev-1 vid_1 720"),
        with_checksum(b"1767323045678 \xff dev-1 vid_1 720"),
        with_checksum(b"99999999999999999999 o e v 720"),
        with_checksum(b"999999999999999 o e v 720"),
    ],
)
def test_damaged_lines_are_left_out_and_said(
    own: Spool, tmp_path: Path, damage: bytes
) -> None:
    own.append(segment(1))
    own.close()
    (path,) = spool_files(tmp_path)
    good = path.read_bytes()
    path.write_bytes(good + damage + good)

    with opened(path) as file:
        chunk = file.read(0)

    assert chunk is not None
    assert chunk.noted.counts == roll_up([segment(1), segment(1)])
    assert chunk.noted.damaged == 1


def test_lines_of_other_kinds_are_skipped(own: Spool, tmp_path: Path) -> None:
    own.append(segment(1))
    own.close()
    (path,) = spool_files(tmp_path)
    good = path.read_bytes()
    other = with_checksum(b"i 1767323045678 org_a dev-1 vid_1 no-token")
    spoilt = other.replace(b"org_a", b"org_b")
    path.write_bytes(good + other + spoilt + good)

    with opened(path) as file:
        chunk = file.read(0)

    assert chunk is not None
    assert chunk.noted.counts == roll_up([segment(1), segment(1)])
    assert chunk.noted.damaged == 1


def test_counting_lines_is_counting_segments(own: Spool, tmp_path: Path) -> None:
    chance = random.Random(1)  # noqa: S311 - the same data each time
    served = [
        SegmentServed(
            place=attrs.evolve(PLACE, height_px=chance.choice([360, 720])),
            at=AT + timedelta(milliseconds=chance.randrange(-2, 3) * 43_200_000),
        )
        for _ in range(500)
    ]
    for one in served:
        own.append(one)

    counts = noted_in(tmp_path).counts

    assert len(counts) == len(set(counts))
    assert set(counts) == set(roll_up(served))


def test_a_damaged_part_without_an_end_of_line_does_not_stop_the_reader(
    own: Spool, tmp_path: Path
) -> None:
    own.append(segment(1))
    own.close()
    (path,) = spool_files(tmp_path)
    good = path.read_bytes()
    path.write_bytes(b"\0" * (reading.READ_BYTES + 7) + b"\n" + good)

    assert read_all(tmp_path) == [segment(1)]


def test_lines_are_whole_wherever_a_block_ends(
    own: Spool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "BLOCK_BYTES", 100)
    served = [segment(number) for number in range(50)]
    for one in served:
        own.append(one)

    (path,) = spool_files(tmp_path)
    with opened(path) as file:
        chunk = file.read(0)

    assert chunk is not None
    assert chunk.end == path.stat().st_size
    assert chunk.noted.damaged == 0
    assert chunk.noted.counts == roll_up(served)


def test_a_full_disk_stops_nobody_and_loses_nothing(
    own: Spool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, space = os.write, [10]

    def write(fd: int, data: bytes) -> int:
        if not space[0]:
            raise OSError(errno.ENOSPC, "No space left on device")
        written = real(fd, bytes(data)[: space[0]])
        space[0] -= written
        return written

    with monkeypatch.context() as patched:
        patched.setattr(spool.os, "write", write)
        own.append(segment(1))
        own.append(segment(2))
        while_full = read_all(tmp_path)
    own.append(segment(3))

    assert while_full == []
    assert read_all(tmp_path) == [segment(1), segment(2), segment(3)]


def test_what_is_owed_is_written_without_another_segment(
    tmp_path: Path, own: Spool
) -> None:
    blocked = tmp_path / "spool"
    blocked.write_bytes(b"a file where the folder should be")
    late = Spool(blocked)
    late.append(segment(1))
    blocked.unlink()

    late.flush()

    assert read_all(blocked) == [segment(1)]
    late.close()


def test_what_is_owed_has_a_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "spool"
    blocked.write_bytes(b"")
    monkeypatch.setattr(spool, "MAX_OWED_BYTES", 150)
    late = Spool(blocked)
    for number in range(10):
        late.append(segment(number))
    blocked.unlink()

    late.flush()

    assert read_all(blocked) == [segment(0), segment(1), segment(2)]
    late.close()


def test_threads_write_whole_lines(own: Spool, tmp_path: Path) -> None:
    def write() -> None:
        for number in range(200):
            own.append(segment(number))

    threads = [threading.Thread(target=write) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(read_all(tmp_path)) == 1600


def test_what_a_killed_process_wrote_is_there(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom pathlib import Path\n"
        "from hvcore.spool import Spool\n"
        "from tests.spool.test_spool import segment\n"
        "own = Spool(Path(sys.argv[1]))\n"
        "n = 0\n"
        "while True:\n"
        "    own.append(segment(n)); n += 1\n"
        "    sys.stdout.write(f'{n}\\n'); sys.stdout.flush()\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)],
        cwd=Path(__file__).parents[2],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    for _ in range(500):
        child.stdout.readline()
    os.kill(child.pid, signal.SIGKILL)
    said = 500 + len(child.stdout.read().split("\n")) - 1
    child.wait()
    child.stdout.close()

    (path,) = spool_files(tmp_path)
    with opened(path) as file:
        assert file.is_complete
    found = read_all(tmp_path)
    # The last one may have been written and not been said.
    assert len(found) - said in {0, 1}
    assert found == [segment(number) for number in range(len(found))]


def test_there_is_one_reader_at_a_time(tmp_path: Path) -> None:
    with the_only_reader(tmp_path) as first, the_only_reader(tmp_path) as second:
        assert (first, second) == (True, False)

    with the_only_reader(tmp_path) as third:
        assert third


def test_other_files_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello")
    with the_only_reader(tmp_path):
        assert spool_files(tmp_path) == []


def test_a_file_is_private(own: Spool, tmp_path: Path) -> None:
    own.append(segment())

    (path,) = spool_files(tmp_path)
    assert path.stat().st_mode & 0o077 == 0


def test_the_time_is_kept_to_the_millisecond(own: Spool, tmp_path: Path) -> None:
    own.append(attrs.evolve(segment(), at=AT + timedelta(microseconds=999)))

    assert read_all(tmp_path) == [segment()]


def test_on_a_full_disk_a_file_is_given_up_and_nothing_is_lost(
    own: Spool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, space = os.write, [100]

    def write(fd: int, data: bytes) -> int:
        if not space[0]:
            raise OSError(errno.ENOSPC, "No space left on device")
        written = real(fd, bytes(data)[: space[0]])
        space[0] -= written
        return written

    monkeypatch.setattr(spool.os, "write", write)
    for number in range(4):
        own.append(segment(number))
    (path,) = spool_files(tmp_path)
    own.flush()
    with opened(path) as file:
        is_complete = file.is_complete
    counted = read_all(tmp_path)
    path.unlink()
    # More rounds on the full disk give nothing up that is empty.
    own.flush()
    own.flush()
    waiting = spool_files(tmp_path)
    space[0] = 10_000
    own.flush()

    assert is_complete
    assert counted
    assert len(waiting) == 1
    assert spool_files(tmp_path) == waiting
    assert counted + read_all(tmp_path) == [segment(number) for number in range(4)]


def head(number: int = 0, reason: IgnoredReason = IgnoredReason.HEAD) -> IgnoredRequest:
    place = IgnoredPlace(
        org_id=PLACE.org_id,
        env_id=PLACE.env_id,
        video_id=PLACE.video_id,
        height_px=720,
        reason=reason,
    )
    return IgnoredRequest(place=place, at=AT + timedelta(milliseconds=number))


def test_on_a_full_disk_segments_have_room_whatever_else_is_asked_for(
    own: Spool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """
    HEAD costs whoever asks nothing; and what is lost is told in segments.
    """

    def refuse(_fd: int, _data: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(spool.os, "write", refuse)
        for number in range(20_000):
            own.append(head(number))
        for number in range(2_000):
            own.append(segment(number), session("abc", number))
    own.flush()

    assert read_all(tmp_path) == [segment(number) for number in range(2_000)]
    (player_reported,) = [r for r in caplog.records if hasattr(r, "hv_never_counted")]
    assert player_reported.__dict__["hv_never_counted"] == 0


def session(name: str, number: int = 0) -> SessionSeen:
    return SessionSeen(
        org_id=PLACE.org_id,
        env_id=PLACE.env_id,
        video_id=PLACE.video_id,
        session=name,
        at=AT + timedelta(milliseconds=number),
    )


def noted_in(folder: Path) -> tally.Noted:
    (path,) = spool_files(folder)
    with opened(path) as file:
        chunk = file.read(0)
    assert chunk is not None
    return chunk.noted


def test_ignored_requests_are_read_back_by_reason_and_day(
    own: Spool, tmp_path: Path
) -> None:
    tomorrow = 86_400_000
    notes = [head(), head(1), head(tomorrow), head(2, IgnoredReason.LATER_RANGE)]
    for note in notes:
        own.append(note)

    noted = noted_in(tmp_path)

    assert set(noted.ignored) == set(roll_up_ignored(notes))
    assert (noted.counts, noted.seen, noted.damaged) == ((), (), 0)


def test_each_of_many_lines_that_are_alike_is_read(own: Spool, tmp_path: Path) -> None:
    notes = [head(), segment(), session("abc")] * 10
    own.append(*notes)

    noted = noted_in(tmp_path)

    assert [one.requests for one in noted.ignored] == [10]
    assert [one.segments for one in noted.counts] == [10]
    assert [one.session for one in noted.seen] == ["abc"]


@pytest.mark.parametrize("reason", IgnoredReason)
def test_an_ignored_request_is_written_the_same_in_one_step(
    reason: IgnoredReason,
) -> None:
    place = IgnoredPlace(
        org_id=PLACE.org_id,
        env_id=PLACE.env_id,
        video_id=PLACE.video_id,
        height_px=PLACE.height_px,
        reason=reason,
    )
    at_ms = int(AT.timestamp() * 1000)

    line = encode_ignored(PLACE, reason, at_ms)

    assert line == lines.encode(IgnoredRequest(place=place, at=AT))


def test_a_session_is_written_the_same_in_one_step() -> None:
    line = encode_seen(PLACE, session("a").session, int(AT.timestamp() * 1000))

    assert line == lines.encode(session("a"))


def test_the_latest_moment_of_a_session_is_read_back(
    own: Spool, tmp_path: Path
) -> None:
    for note in (session("a", 5), session("b"), session("a", 9), session("a", 7)):
        own.append(note)

    noted = noted_in(tmp_path)

    assert set(noted.seen) == {session("a", 9), session("b")}
    assert (noted.counts, noted.ignored, noted.damaged) == ((), (), 0)


def test_a_segment_and_its_session_are_one_write(
    own: Spool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, writes = os.write, []

    def write(fd: int, data: bytes) -> int:
        writes.append(bytes(data))
        return real(fd, data)

    monkeypatch.setattr(spool.os, "write", write)
    own.append(segment(), session("a"))

    assert len(writes) == 1
    noted = noted_in(tmp_path)
    assert (noted.counts, noted.seen) == (roll_up([segment()]), (session("a"),))


@pytest.mark.parametrize(
    "newer",
    [
        b"n 1767323045678 org_a dev-1 vid_1 720 too-beautiful",
        b"n 1767323045678 org_a dev-1 vid_1 720",
        b"n 1767323045678 org_a dev-1 vid_1 720 head 206",
        b"n later org_a dev-1 vid_1 720 head",
        b"n 9999999999999999999 org_a dev-1 vid_1 720 head",
        b"n 999999999999999 org_a dev-1 vid_1 720 head",
        b"s 1767323045678 org_a dev-1 vid_1",
        b"s 1767323045678 org_a dev-1 vid_1 a/b",
        b"s 999999999999999 org_a dev-1 vid_1 a",
        b"n",
        b"s",
    ],
)
def test_notes_of_a_newer_version_are_skipped(
    own: Spool, tmp_path: Path, newer: bytes
) -> None:
    own.append(segment())
    (path,) = spool_files(tmp_path)
    with path.open("ab") as file:
        file.write(with_checksum(newer))

    noted = noted_in(tmp_path)

    assert noted.counts == roll_up([segment()])
    assert (noted.ignored, noted.seen, noted.damaged) == ((), (), 0)


def test_minutes_add_up_to_days(own: Spool, tmp_path: Path) -> None:
    chance = random.Random(2)  # noqa: S311 - the same data each time
    # Around a midnight, out of order, and one of before there were 13 digits.
    moments = [chance.randrange(-90_000_000, 90_000_000) for _ in range(300)]
    served = [segment(number) for number in moments]
    served.append(attrs.evolve(segment(), at=datetime(2001, 9, 9, 1, 46, tzinfo=UTC)))
    for one in served:
        own.append(one)
    by_minute: dict[int, int] = {}
    for one in served:
        minute = int(one.at.timestamp()) // 60
        by_minute[minute] = by_minute.get(minute, 0) + 1

    noted = noted_in(tmp_path)

    assert set(noted.counts) == set(roll_up(served))
    assert set(noted.minutes) == {
        MinuteCount(place=PLACE, minute=minute, segments=segments)
        for minute, segments in by_minute.items()
    }


def player_reported(number: int = 0, **report: int | bool) -> PlayerReported:
    return PlayerReported(
        org_id=PLACE.org_id,
        env_id=PLACE.env_id,
        video_id=PLACE.video_id,
        report=PlayerReport(**report),  # type: ignore[arg-type]  # names of fields
        at=AT + timedelta(milliseconds=number),
    )


def test_what_players_told_is_read_back_by_day(own: Spool, tmp_path: Path) -> None:
    next_day = 86_400_000
    notes = [
        player_reported(),
        player_reported(has_starved=True, throughput_kbps=0),
        player_reported(1, is_startup=True, buffer_ms=MOST_TOLD, bitrate_kbps=5_000),
        player_reported(next_day, throughput_kbps=7),
    ]
    own.append(segment(), *notes)

    noted = noted_in(tmp_path)

    assert set(noted.quality) == set(roll_up_reports(notes))
    assert [count.segments for count in noted.counts] == [1]
    assert noted.damaged == 0


def test_a_metric_of_a_newer_version_hides_nothing_that_is_known(
    own: Spool, tmp_path: Path
) -> None:
    known = player_reported(has_starved=True, buffer_ms=7)
    text = lines.encode(known).rpartition(b" ")[0]
    own.append(segment())
    (path,) = spool_files(tmp_path)
    with path.open("ab") as file:
        file.write(with_checksum(text + b" skipped_ads=3 muted=1"))

    noted = noted_in(tmp_path)

    assert noted.quality == roll_up_reports([known])


@pytest.mark.parametrize(
    "text",
    [
        b"q 1767323045678 org_a dev-1 vid_1 -- - -",
        b"q 1767323045678 org_a dev-1 vid_1 -- - - - -",
        b"q 1767323045678 org_a dev-1 vid_1 bx - - -",
        b"q 1767323045678 org_a dev-1 vid_1 -- -5 - -",
        b"q 1767323045678 org_a dev-1 vid_1 -- 10000000 - -",
        b"q 1767323045678 org_a dev-1 vid_1 -- nan - -",
        b"q 999999999999999 org_a dev-1 vid_1 -- - - -",
        b"q 9999999999999999 org_a dev-1 vid_1 -- - - -",
        b"q \xff org_a dev-1 vid_1 -- - - -",
        b"q",
    ],
)
def test_what_players_told_of_a_newer_version_is_skipped(
    own: Spool, tmp_path: Path, text: bytes
) -> None:
    own.append(segment())
    (path,) = spool_files(tmp_path)
    with path.open("ab") as file:
        file.write(with_checksum(text))

    noted = noted_in(tmp_path)

    assert noted.quality == ()
    assert (len(noted.counts), noted.damaged) == (1, 0)


def origin(country: str | None = None, referrer: str | None = None) -> SegmentOrigin:
    return SegmentOrigin(
        org_id=PLACE.org_id,
        env_id=PLACE.env_id,
        video_id=PLACE.video_id,
        country=country,
        referrer=referrer,
        at=AT,
    )


def test_where_segments_went_is_read_back(own: Spool, tmp_path: Path) -> None:
    longest = ".".join(["a" * 63] * 3 + ["b" * 61])
    notes = [
        origin("DE", "www.example.com"),
        origin("DE"),
        origin(None, longest),
        origin(None, "xn--bcher-kva.example"),
    ]
    own.append(segment(), *notes)

    noted = noted_in(tmp_path)

    assert set(noted.origins) == set(roll_up_origins(notes))
    assert sum(one.segments for one in noted.origins) == 5
    assert noted.damaged == 0


@pytest.mark.parametrize(
    "text",
    [
        b"f 1767323045678 org_a dev-1 vid_1 DE",
        b"f 1767323045678 org_a dev-1 vid_1 DE a.example more",
        b"f 1767323045678 org_a dev-1 vid_1 de -",
        b"f 1767323045678 org_a dev-1 vid_1 XX -",
        b"f 1767323045678 org_a dev-1 vid_1 - 203.0.113.7",
        b"f 1767323045678 org_a dev-1 vid_1 - (other)",
        b"f 1767323045678 org_a dev-1 vid_1 - " + b"a" * 254,
        b"f 999999999999999 org_a dev-1 vid_1 DE a.example",
    ],
)
def test_where_segments_went_by_a_newer_version_is_skipped(
    own: Spool, tmp_path: Path, text: bytes
) -> None:
    own.append(segment())
    (path,) = spool_files(tmp_path)
    with path.open("ab") as file:
        file.write(with_checksum(text))

    noted = noted_in(tmp_path)

    assert noted.origins == ()
    assert (len(noted.counts), noted.damaged) == (1, 0)
