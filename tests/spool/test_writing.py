"""
A spool on a disk that takes nothing, and files that are full or gone.
"""

import errno
import logging
import os
from pathlib import Path

import pytest

from hvcore.errors import ConfigError
from hvcore.spool import MAX_OWED_BYTES, Spool, make_folder, opened, spool_files

LINE = b"a line\n"


def is_complete(path: Path) -> bool:
    with opened(path) as file:
        return file.is_complete


def stop_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Let the disk take nothing more.
    """

    def write(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", write)


def test_an_outage_of_the_disk_is_told_once_and_its_end_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "spool"
    folder.touch()
    spool = Spool(folder)

    with caplog.at_level(logging.WARNING):
        assert all(spool.write(b"line\n", segments=1) for _ in range(3))
        spool.write_owed()
        folder.unlink()
        folder.mkdir()
        spool.write_owed()
        spool.write(b"line\n", segments=1)

    assert [line.message for line in caplog.records] == [
        "served segments cannot be written down; trying again",
        "served segments are written down again",
    ]
    (file,) = folder.iterdir()
    assert file.read_bytes().count(b"line\n") == 4
    spool.close()


@pytest.mark.parametrize("lines", [1, 2, 3])
def test_a_file_that_is_full_is_closed_with_its_last_line_and_no_earlier(
    tmp_path: Path, lines: int
) -> None:
    spool = Spool(tmp_path, max_file_bytes=lines * len(LINE))

    for written in range(1, 2 * lines + 1):
        spool.write(LINE, segments=1)
        files = spool_files(tmp_path)
        assert len(files) == -(-written // lines)
        assert sum(map(is_complete, files)) == written // lines

    spool.close()
    assert [path.read_bytes() for path in spool_files(tmp_path)] == [LINE * lines] * 2


@pytest.mark.parametrize(
    ("segments", "most_bytes"), [(1, MAX_OWED_BYTES), (0, MAX_OWED_BYTES // 2)]
)
def test_as_much_as_there_is_room_for_waits_and_all_else_is_told_to_be_lost(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    segments: int,
    most_bytes: int,
) -> None:
    spool = Spool(tmp_path)
    with monkeypatch.context() as full:
        stop_disk(full)
        assert spool.write(b"x" * (most_bytes - 2) + b"\n", segments=1)
        assert not spool.write(b"x\n", segments=segments)
        assert spool.write(b"\n", segments=segments)
        assert not spool.write(b"\n", segments=segments)
        assert spool.owes

    spool.write_owed()
    spool.write_owed()

    assert not spool.owes
    (file,) = spool_files(tmp_path)
    assert file.stat().st_size == most_bytes
    (again,) = (line for line in caplog.records if line.levelname == "WARNING")
    assert again.__dict__["hv_never_counted"] == 2 * segments
    spool.close()


def test_losses_of_an_earlier_outage_are_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    spool = Spool(tmp_path)
    for too_long in (True, False):
        with monkeypatch.context() as full:
            stop_disk(full)
            spool.write(LINE, segments=1)
            spool.write(LINE * (MAX_OWED_BYTES if too_long else 1), segments=3)
        spool.write_owed()

    told = [line.__dict__.get("hv_never_counted") for line in caplog.records]
    assert told == [None, 3, None, 0]
    spool.close()


def test_a_line_that_a_full_disk_cut_is_whole_in_the_next_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spool = Spool(tmp_path)
    spool.write(LINE, segments=1)
    whole_write, taken = os.write, iter([3, 2])

    def write(descriptor: int, data: bytes) -> int:
        some = next(taken, 0)
        if not some:
            raise OSError(errno.ENOSPC, "No space left on device")
        return whole_write(descriptor, data[:some])

    with monkeypatch.context() as full:
        full.setattr(os, "write", write)
        assert spool.write(LINE, segments=1)
        spool.write_owed()
    (first,) = spool_files(tmp_path)
    assert is_complete(first)
    spool.close()

    (second,) = set(spool_files(tmp_path)) - {first}
    assert first.read_bytes() == LINE + LINE[:5]
    assert second.read_bytes() == LINE


def test_a_file_that_was_removed_is_left_for_another(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    spool = Spool(tmp_path)
    spool.write(LINE, segments=1)
    spool.write_owed()
    assert not caplog.records
    (removed,) = spool_files(tmp_path)
    removed.unlink()

    spool.write_owed()
    spool.write(LINE, segments=1)
    spool.close()

    (file,) = spool_files(tmp_path)
    assert file.read_bytes() == LINE
    assert [line.levelname for line in caplog.records] == ["ERROR"]


def test_a_spool_that_is_closed_has_written_what_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spool = Spool(tmp_path)
    with monkeypatch.context() as full:
        stop_disk(full)
        spool.write(LINE, segments=1)

    spool.close()

    (file,) = spool_files(tmp_path)
    assert file.read_bytes() == LINE
    assert is_complete(file)


def test_a_folder_that_cannot_be_made_or_written_names_the_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_folder(tmp_path / "a" / "b")
    make_folder(tmp_path / "a" / "b")
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match=r"analytics\.spool_dir: .*file"):
        make_folder(tmp_path / "file" / "b")
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(ConfigError, match="Permission denied"):
        make_folder(tmp_path / "a")
