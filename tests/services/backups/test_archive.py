"""
Tar files of backups.
"""

import io
import tarfile
from pathlib import Path

import pytest

from hvcore.errors import ConfigError
from hvcore.services.backups.archive import pack, unpack


def test_a_packed_folder_is_unpacked_as_it_was(tmp_path: Path) -> None:
    folder, other = tmp_path / "one", tmp_path / "other"
    (folder / "deep" / "empty").mkdir(parents=True)
    (folder / "deep" / "file").write_bytes(b"bytes")

    pack(folder, tmp_path / "backup.tar")
    unpack(tmp_path / "backup.tar", other)

    assert (other / "deep" / "empty").is_dir()
    assert (other / "deep" / "file").read_bytes() == b"bytes"
    assert (other / "deep" / "file").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("name", ["../out", "/out", "deep/../../out"])
def test_a_path_that_leads_out_of_the_folder_is_refused(
    tmp_path: Path, name: str
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    with tarfile.open(tmp_path / "backup.tar", "w") as archive:
        archive.addfile(tarfile.TarInfo(name), io.BytesIO())

    with pytest.raises(ConfigError, match="damaged, or no backup"):
        unpack(tmp_path / "backup.tar", folder)

    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE])
def test_an_archive_with_links_or_devices_is_refused(
    tmp_path: Path, kind: bytes
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    member = tarfile.TarInfo("link")
    member.type, member.linkname = kind, "/etc/passwd"
    with tarfile.open(tmp_path / "backup.tar", "w") as archive:
        archive.addfile(member)

    with pytest.raises(ConfigError, match="damaged, or no backup"):
        unpack(tmp_path / "backup.tar", folder)

    assert list(folder.iterdir()) == []


def test_a_file_that_is_cut_off_is_no_backup(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "file").write_bytes(b"x" * 10_000)
    pack(folder, tmp_path / "whole.tar")
    cut = tmp_path / "cut.tar"
    cut.write_bytes((tmp_path / "whole.tar").read_bytes()[:5_000])

    with pytest.raises(ConfigError, match="damaged, or no backup"):
        unpack(cut, tmp_path / "other")
