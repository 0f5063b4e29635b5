"""
The changes file belongs to who may have to write it, and keeps nothing open that cannot be used.
"""

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from hvcore.files.changes_file import CHANGES_BYTES, ChangesFile
from tests.files.test_open_files import open_below

OWNER = 4711


@pytest.fixture
def given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """
    Return the paths that were given to the owner of the folder above them.
    """
    found: list[Path] = []

    def chown(path: Path, user: int, group: int) -> None:
        above = path.parent.stat()
        assert (user, group) == (above.st_uid, above.st_gid)
        found.append(path)

    monkeypatch.setattr(os, "chown", chown)
    return found


@pytest.fixture
def usual_umask() -> Iterator[None]:
    # Commands that have run in this process have set another one.
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.mark.usefixtures("usual_umask")
@pytest.mark.parametrize(("user", "is_root"), [(0, True), (OWNER, False)])
@pytest.mark.parametrize("has_folder", [True, False])
def test_a_file_that_root_makes_is_for_the_owner_of_the_folder(  # noqa: PLR0913 - two cases
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    given: list[Path],
    user: int,
    *,
    is_root: bool,
    has_folder: bool,
) -> None:
    path = tmp_path / "edge" / "changes"
    if has_folder:
        path.parent.mkdir()
    monkeypatch.setattr(os, "geteuid", lambda: user)

    assert ChangesFile(path).latest()

    made = [path] if has_folder else [path.parent, path]
    assert given == (made if is_root else [])
    assert path.stat().st_mode & 0o777 == 0o644


def test_a_file_that_is_whole_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "changes"
    path.write_bytes(b"x" * CHANGES_BYTES)

    assert ChangesFile(path).latest() == b"x" * CHANGES_BYTES
    assert path.read_bytes() == b"x" * CHANGES_BYTES


@pytest.mark.parametrize("begins_with", [None, b"", b"x" * (CHANGES_BYTES - 1)])
def test_a_file_that_cannot_be_filled_shows_nothing_and_stays_not_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, begins_with: bytes | None
) -> None:
    path = tmp_path / "changes"
    if begins_with is not None:
        path.write_bytes(begins_with)

    def pwrite(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "pwrite", pwrite)
    changes = ChangesFile(path)

    assert changes.latest() is None
    assert open_below(tmp_path) == []
