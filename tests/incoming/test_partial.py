"""
The file of a resumable upload: what counts of it, and what is left of it afterwards.
"""

from contextlib import suppress
from pathlib import Path

import pytest

from hvcore.domain.ids import GrantId
from hvcore.incoming.partial import PARTIAL_PREFIX, PartialFiles

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
