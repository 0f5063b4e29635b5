"""
The file that changes before a delete is answered.
"""

import logging
import stat
from contextlib import suppress
from pathlib import Path

import pytest

from hvcore.files.changes_file import ChangesFile
from hvcore.services.playback.changes import PlaybackChanges
from tests.persistence.samples import at_once
from tests.support.servers import wait_until


def open_files(path: Path) -> int:
    """
    Count the descriptors of one file; other threads of the process have their own.
    """
    found = 0
    for descriptor in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):
            found += descriptor.readlink() == path
    return found


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "edge" / "changes"


def test_the_first_reader_makes_the_changes_file(path: Path) -> None:
    # Nobody looks, so nobody is told.
    PlaybackChanges(file=path).publish()
    assert not path.exists()

    number = ChangesFile(path).latest()

    assert number is not None
    assert path.read_bytes() == number
    # Others of the service may look, and no one else may write.
    assert stat.S_IMODE(path.stat().st_mode) & 0o133 == 0
    assert ChangesFile(path).latest() == number


def test_a_change_that_cannot_be_written_is_logged_and_fails_nothing(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path.mkdir(parents=True)

    PlaybackChanges(file=path).publish()

    (line,) = caplog.records
    assert line.levelno == logging.ERROR
    assert line.getMessage().startswith("a change could not be reported")


def test_each_change_is_seen_by_all_at_once(path: Path) -> None:
    readers = [ChangesFile(path) for _ in range(3)]
    seen = {reader.latest() for reader in readers[-1:]}
    for number in range(1, 50):
        PlaybackChanges(file=path).publish()
        found = {reader.latest() for reader in readers}
        assert len(found) == 1
        seen |= found
        assert len(seen) == number + 1


def test_a_changes_file_that_was_never_filled_is_filled(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"abc")
    assert ChangesFile(path).latest() == path.read_bytes()
    assert path.stat().st_size == 8


def test_a_changes_file_that_was_replaced_or_removed_is_found_again(path: Path) -> None:
    reader = ChangesFile(path)
    reader.latest()
    new = path.with_name("new")
    new.write_bytes(b"12345678")
    new.replace(path)
    wait_until(lambda: reader.latest() == b"12345678", timeout_s=5)
    path.unlink()
    wait_until(lambda: reader.latest() != b"12345678", timeout_s=5)
    assert reader.latest() == path.read_bytes()


def test_an_unreadable_changes_file_is_logged_once_and_looked_for_again(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path.parent.write_text("no folder")
    caplog.set_level(logging.ERROR)
    reader = ChangesFile(path)

    assert reader.latest() is None
    # A folder is not one, either.
    assert ChangesFile(path.parent.parent).latest() is None

    path.parent.unlink()
    wait_until(lambda: reader.latest() is not None, timeout_s=5)
    assert len(caplog.records) == 1
    assert caplog.records[0].__dict__["hv_file"] == str(path)


def test_threads_read_it_while_others_open_it_anew(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hvcore.files.changes_file.REOPENED_EVERY_S", 0.0)
    reader = ChangesFile(path)
    number = reader.latest()

    def look(_: int) -> set[bytes | None]:
        return {reader.latest() for _ in range(500)}

    assert at_once(look, threads=4) == [{number}] * 4
    assert open_files(path) == 1
