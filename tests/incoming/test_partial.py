"""
The file of a resumable upload: what counts of it, and what is left of it afterwards.
"""

import errno
import fcntl
import os
from contextlib import suppress
from pathlib import Path

import pytest

from hvcore.domain.ids import GrantId
from hvcore.domain.uploads.resumable import UploadLockedError
from hvcore.errors import UnavailableError
from hvcore.incoming.partial import PARTIAL_PREFIX, PartialFiles
from tests.files.test_open_files import open_below

UPLOAD, OTHER = GrantId("up_" + "0" * 22), GrantId("up_" + "1" * 22)
FILE = f"{PARTIAL_PREFIX}{UPLOAD}"


@pytest.fixture
def files(tmp_path: Path) -> PartialFiles:
    return PartialFiles(folder=tmp_path)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_bytes_after_a_cut_count(files: PartialFiles) -> None:
    with files.hold(UPLOAD) as file:
        file.append(b"good")
        file.begin_unverified()
        file.append(b"bad")
        file.cut_back(len(b"good"))
        file.append(b"more")

    assert files.size_of(UPLOAD) == len(b"goodmore")
    assert names(files.folder) == [FILE]


@pytest.mark.parametrize("is_moved", [False, True])
@pytest.mark.parametrize("fails", [False, True])
@pytest.mark.parametrize("left", [False, True], ids=["", "after a kill"])
def test_a_file_that_is_handed_over_has_its_own_name_alone_afterwards(
    files: PartialFiles, *, is_moved: bool, fails: bool, left: bool
) -> None:
    if left:
        (files.folder / f"{FILE}.handed").write_bytes(b"of another attempt")
    with files.hold(UPLOAD) as file:
        file.append(b"whole")
        with suppress(ZeroDivisionError), file.handed_over() as handed:
            assert handed.read_bytes() == b"whole"
            if is_moved:
                handed.rename(files.folder / "stored")
            1 // (not fails)

    assert names(files.folder) == ["stored", FILE][not is_moved :]


@pytest.mark.parametrize("is_handed_over", [False, True])
def test_a_file_is_cut_in_its_place_unless_it_has_another_name(
    files: PartialFiles, *, is_handed_over: bool
) -> None:
    with files.hold(UPLOAD) as file:
        file.append(b"good")
        file.begin_unverified()
        file.append(b"bad")
        before = file.path.stat().st_ino
        if is_handed_over:
            (files.folder / "stored").hardlink_to(file.path)

    with files.hold(UPLOAD) as file:
        file.append(b"more")

        assert file.path.read_bytes() == b"goodmore"
        assert files.size_of(UPLOAD) == len(b"goodmore")
        assert (file.path.stat().st_ino == before) is not is_handed_over
    assert names(files.folder) == ["stored", FILE][not is_handed_over :]


def test_a_file_that_was_handed_over_whole_is_not_copied(files: PartialFiles) -> None:
    stored = files.folder / "stored"
    with files.hold(UPLOAD) as file:
        file.append(b"whole")
        stored.hardlink_to(file.path)

    with files.hold(UPLOAD) as file:
        assert file.path.samefile(stored)


def test_of_a_removed_upload_nothing_is_left_and_of_another_all(
    files: PartialFiles,
) -> None:
    for one in (UPLOAD, OTHER):
        with files.hold(one) as file:
            file.append(b"good")
            file.begin_unverified()
    assert files.found() == [UPLOAD, OTHER]

    with files.hold(UPLOAD) as file:
        file.begin_unverified()
        file.remove()

    assert files.found() == [OTHER]
    assert not [name for name in names(files.folder) if UPLOAD in name]
    assert files.size_of(OTHER) == len(b"good")


def test_uploads_are_found_in_the_order_of_their_ids(files: PartialFiles) -> None:
    grants = [GrantId(f"up_{number:022}") for number in range(30)]
    for grant in reversed(grants):
        with files.hold(grant) as file:
            file.begin_unverified()
    (files.folder / "another file").touch()
    (files.folder / f"{FILE}0").touch()

    assert files.found() == grants


@pytest.mark.parametrize(
    ("number", "error"),
    [(errno.EWOULDBLOCK, UploadLockedError), (errno.ENOLCK, UnavailableError)],
)
def test_a_file_that_cannot_be_locked_is_not_left_open(
    files: PartialFiles,
    monkeypatch: pytest.MonkeyPatch,
    number: int,
    error: type[Exception],
) -> None:
    def flock(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, "flock", flock)

    with pytest.raises(error), files.hold(UPLOAD):
        pytest.fail("without a lock")

    assert open_below(files.folder) == []


@pytest.mark.parametrize("is_replaced", [False, True])
def test_a_file_that_goes_before_it_is_locked_is_made_again(
    files: PartialFiles, monkeypatch: pytest.MonkeyPatch, *, is_replaced: bool
) -> None:
    path = files.folder / FILE
    lock = fcntl.flock
    times = iter([1])

    def flock(descriptor: int, operation: int) -> None:
        if next(times, 0):
            path.unlink()
            if is_replaced:
                path.write_bytes(b"another")
        lock(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", flock)

    with files.hold(UPLOAD) as file:
        file.append(b"good")

    assert path.read_bytes() == b"another" * is_replaced + b"good"


def test_a_mark_that_cannot_be_read_is_a_fault_of_the_disk(files: PartialFiles) -> None:
    (files.folder / FILE).write_bytes(b"good")
    (files.folder / f"{FILE}.good").mkdir()

    with pytest.raises(UnavailableError, match="disk"):
        files.size_of(UPLOAD)
    with pytest.raises(UnavailableError, match="disk"), files.hold(UPLOAD):
        pytest.fail("without a size")
