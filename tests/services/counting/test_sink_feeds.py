"""
Whatever fails of several sinks and files, the others go on, and it is said once.
"""

import errno
import os
from datetime import UTC, datetime
from pathlib import Path

import attrs
import pytest

from hvcore.domain.analytics.live import SessionSeen
from hvcore.domain.analytics.segments import SegmentPlace, SegmentServed, ServedBatch
from hvcore.domain.ids import EnvId, OrgId, VideoId
from hvcore.errors import UnavailableError
from hvcore.services.counting.flusher import Flusher
from hvcore.spool import Spool, encode_all, reading, spool_files, writing
from tests.services.counting.test_flusher import MemorySink

AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
PLACE = SegmentPlace(
    org_id=OrgId("org_a"), env_id=EnvId("e"), video_id=VideoId("vid_1"), height_px=720
)
SEGMENT = SegmentServed(place=PLACE, at=AT)
SEVERAL = 3
SESSION = SessionSeen(
    org_id=PLACE.org_id,
    env_id=PLACE.env_id,
    video_id=PLACE.video_id,
    session="a",
    at=AT,
)


class MoodySink(MemorySink):
    """
    A sink of which every call may fail; says what it was asked.
    """

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[str] = []
        self.writes_with: Exception | None = None
        self.takes = 1_000
        self.cannot_take = ""
        self.forgets_with: Exception | None = None

    def write(self, batch: ServedBatch) -> None:
        self.calls.append("write")
        self.takes -= 1
        if self.takes < 0:
            raise UnavailableError("busy")
        if self.cannot_take == batch.id.file:
            raise ValueError("a bug")
        if self.writes_with:
            raise self.writes_with
        super().write(batch)

    def position(self, file: str) -> int:
        self.calls.append("position")
        return super().position(file)

    def forget(self, file: str) -> None:
        if self.forgets_with:
            raise self.forgets_with
        super().forget(file)


@attrs.frozen(kw_only=True)
class Feeding:
    """
    A flusher that feeds two sinks.

    Attributes:
        beats: One for each time that it said to be alive.
    """

    folder: Path
    good: MoodySink = attrs.field(factory=MoodySink)
    bad: MoodySink = attrs.field(factory=MoodySink)
    beats: list[int] = attrs.field(factory=list)
    flusher: Flusher = attrs.field(init=False)

    @flusher.default
    def _make_flusher(self) -> Flusher:
        return Flusher(
            folder=self.folder,
            sinks={"good": self.good, "bad": self.bad},
            beat=lambda: self.beats.append(1),
        )


@pytest.fixture
def feeding(tmp_path: Path) -> Feeding:
    return Feeding(folder=tmp_path)


def dead_files(folder: Path, count: int) -> list[Path]:
    """
    Leave files of processes that have ended, of one segment each.
    """
    for _ in range(count):
        own = Spool(folder)
        own.append(SEGMENT)
        own.close()
    return list(spool_files(folder))


def unreadable(path: Path, fault: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Make one file of a folder one that cannot be read any more.
    """
    inode, real = path.stat().st_ino, os.pread

    def pread(fd: int, size: int, offset: int) -> bytes:
        if os.fstat(fd).st_ino == inode:
            raise fault
        return real(fd, size, offset)

    monkeypatch.setattr(reading.os, "pread", pread)


def test_no_file_goes_before_every_sink_has_it(feeding: Feeding) -> None:
    """
    Nor one that was not brought to a sink because it had failed at another.
    """
    files = dead_files(feeding.folder, 2)
    feeding.bad.fails_with = UnavailableError("down")

    feeding.flusher.run_once()
    waiting = list(spool_files(feeding.folder))
    feeding.bad.fails_with = None
    feeding.flusher.run_once()

    assert waiting == files
    assert (feeding.good.segments, feeding.bad.segments) == (2, 2)
    assert spool_files(feeding.folder) == []


def test_a_sink_that_fails_is_asked_once_in_a_round(feeding: Feeding) -> None:
    """
    Each question may take as long as a connection that nobody answers.
    """
    dead_files(feeding.folder, 3)
    feeding.bad.fails_with = UnavailableError("down")

    feeding.flusher.run_once()

    assert feeding.bad.calls == ["position"]


def test_a_sink_that_fails_again_is_reported_again(
    feeding: Feeding, caplog: pytest.LogCaptureFixture
) -> None:
    own = Spool(feeding.folder)
    for is_down in (True, True, False, True):
        own.append(SEGMENT)
        feeding.bad.writes_with = UnavailableError("down") if is_down else None
        feeding.flusher.run_once()
    own.close()

    assert caplog.text.count("an analytics sink failed") == 2


def test_a_sink_that_cannot_forget_holds_nobody_up(
    feeding: Feeding, caplog: pytest.LogCaptureFixture
) -> None:
    files = dead_files(feeding.folder, 2)
    feeding.bad.forgets_with = KeyError("a bug")

    feeding.flusher.run_once()

    assert spool_files(feeding.folder) == []
    assert sorted(feeding.good.forgotten) == sorted(path.name for path in files)
    assert caplog.text.count("stay behind") == 1


@pytest.mark.parametrize(
    "fault", [OSError(errno.EIO, os.strerror(errno.EIO)), ValueError("a bug")]
)
def test_a_file_that_cannot_be_read_holds_up_no_other(
    feeding: Feeding,
    fault: Exception,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    files = dead_files(feeding.folder, 3)
    with monkeypatch.context() as patched:
        unreadable(files[0], fault, patched)
        for _ in range(3):
            feeding.flusher.run_once()
    while_bad = (feeding.good.segments, list(spool_files(feeding.folder)))

    feeding.flusher.run_once()

    assert while_bad == (2, files[:1])
    assert feeding.good.segments == 3
    assert caplog.text.count("trying again") == 1
    assert "sink failed" not in caplog.text


def test_a_file_that_may_not_be_opened_holds_up_no_other(
    feeding: Feeding, caplog: pytest.LogCaptureFixture
) -> None:
    dead_files(feeding.folder, 2)
    # Nobody can open it, not even root.
    (feeding.folder / "0.log").mkdir()

    for _ in range(2):
        feeding.flusher.run_once()

    assert feeding.good.segments == 2
    assert caplog.text.count("was left") == 1


def test_both_sinks_get_the_readable_part_of_a_bad_file(
    feeding: Feeding, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "READ_BYTES", 100)
    monkeypatch.setattr(reading, "BLOCK_BYTES", 100)
    own, real = Spool(feeding.folder), os.pread
    for _ in range(6):
        own.append(SEGMENT)
    own.close()

    def pread(fd: int, size: int, offset: int) -> bytes:
        if offset > 100:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return real(fd, size, offset)

    with monkeypatch.context() as patched:
        patched.setattr(reading.os, "pread", pread)
        feeding.flusher.run_once()

    assert 0 < feeding.good.segments == feeding.bad.segments < 6


def test_a_file_that_one_sink_chokes_on_does_not_starve_it(feeding: Feeding) -> None:
    files = dead_files(feeding.folder, 3)
    feeding.bad.cannot_take = files[0].name

    feeding.flusher.run_once()
    while_choking = (feeding.good.segments, feeding.bad.segments)
    waiting = list(spool_files(feeding.folder))
    feeding.bad.cannot_take = ""
    feeding.flusher.run_once()

    assert (while_choking, waiting) == ((3, 2), files[:1])
    assert feeding.bad.segments == 3


def test_a_sink_that_takes_little_at_a_time_comes_to_the_end(
    feeding: Feeding, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "READ_BYTES", 100)
    monkeypatch.setattr(reading, "BLOCK_BYTES", 100)
    own = Spool(feeding.folder)
    own.append(SEGMENT)
    # From here on it is known where it stands.
    feeding.flusher.run_once()
    for _ in range(20):
        own.append(SEGMENT)

    for _ in range(20):
        feeding.bad.takes = 1
        feeding.flusher.run_once()
    own.close()

    assert feeding.bad.segments == 21


def test_a_file_stays_until_a_sink_that_was_put_back_has_it_again(
    feeding: Feeding,
) -> None:
    """
    A database that was restored knows less than it did.
    """
    own = Spool(feeding.folder)
    own.append(SEGMENT)
    feeding.flusher.run_once()
    feeding.bad.positions.clear()
    feeding.bad.segments = 0
    own.close()

    feeding.flusher.run_once()
    waiting = len(spool_files(feeding.folder))
    feeding.flusher.run_once()

    assert waiting == 1
    assert (feeding.good.segments, feeding.bad.segments) == (1, 1)
    assert spool_files(feeding.folder) == []


def test_a_file_is_gone_for_good_before_its_position_is(
    feeding: Feeding, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    Or a power cut would bring it back when nobody knows that it was counted.
    """
    (path,) = dead_files(feeding.folder, 1)
    real, kept = os.fsync, []

    def fsync(fd: int) -> None:
        kept.append((path.exists(), list(feeding.good.forgotten)))
        real(fd)

    monkeypatch.setattr(reading.os, "fsync", fsync)
    feeding.flusher.run_once()

    assert kept == [(False, [])]
    assert feeding.good.forgotten == [path.name]


def test_damage_is_reported_once_however_often_it_is_read(
    feeding: Feeding, caplog: pytest.LogCaptureFixture
) -> None:
    (path,) = dead_files(feeding.folder, 1)
    path.write_bytes(b"junk\n" + path.read_bytes())
    feeding.good.writes_with = feeding.bad.writes_with = UnavailableError("down")
    for _ in range(3):
        feeding.flusher.run_once()
    while_down = caplog.text.count("damaged lines")
    feeding.good.writes_with = feeding.bad.writes_with = None

    feeding.flusher.run_once()

    # Once for each sink that has the rest.
    assert (while_down, caplog.text.count("damaged lines")) == (0, 2)


def test_a_flusher_beats_with_each_batch(
    feeding: Feeding, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    Or one with much to do would be taken for one that hangs.
    """
    monkeypatch.setattr(reading, "READ_BYTES", 100)
    monkeypatch.setattr(reading, "BLOCK_BYTES", 100)
    own = Spool(feeding.folder)
    for _ in range(20):
        own.append(SEGMENT)

    feeding.flusher.run_once()
    own.close()

    writes = [*feeding.good.calls, *feeding.bad.calls].count("write")
    assert len(feeding.beats) == writes >= 2 * SEVERAL


def test_nothing_is_remembered_of_files_that_are_gone(feeding: Feeding) -> None:
    (path,) = dead_files(feeding.folder, 1)
    content = path.read_bytes()
    feeding.flusher.run_once()

    # No name comes twice; what is asked tells what is remembered.
    path.write_bytes(content)
    feeding.flusher.run_once()

    # At first, and before the file is removed.
    assert feeding.good.calls.count("position") == 2 * 2
    assert feeding.good.segments == 2


def test_a_segment_cut_in_two_by_a_full_disk_counts_once(
    feeding: Feeding, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    A segment and its viewer are one write; the disk is full within the second line.
    """
    own, real, space = Spool(feeding.folder), os.write, [10_000]
    own.append(SEGMENT)
    space[0] = len(encode_all([SEGMENT])) + 5

    def write(fd: int, data: bytes) -> int:
        if not space[0]:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written = real(fd, bytes(data)[: space[0]])
        space[0] -= written
        return written

    with monkeypatch.context() as patched:
        patched.setattr(writing.os, "write", write)
        own.append(SEGMENT, SESSION)
        own.write_owed()
        feeding.flusher.run_once()
        space[0] = 10_000
        own.write_owed()
    own.close()
    feeding.flusher.run_once()

    assert feeding.good.segments == 2


def test_a_sink_that_does_not_say_what_it_has_keeps_the_file_and_is_logged(
    feeding: Feeding, caplog: pytest.LogCaptureFixture
) -> None:
    own = Spool(feeding.folder)
    own.append(SEGMENT)
    feeding.flusher.run_once()
    own.close()
    (file,) = spool_files(feeding.folder)
    feeding.bad.fails_with = UnavailableError("down")

    feeding.flusher.run_once()

    assert spool_files(feeding.folder) == [file]
    (record,) = (one for one in caplog.records if "sink failed" in one.message)
    said = {name: getattr(record, f"hv_{name}") for name in ("sink", "file", "path")}
    assert said == {"sink": "bad", "file": file.name, "path": str(file)}
