"""
The storage on files.
"""

import errno
import io
import os
import shutil
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hvcore.plugin_api import ConfigError, ObjectNotFoundError, UnavailableError
from hvcore.ports.storage import SupportsHide, SupportsLocalPath, SupportsUploadFile
from hvcore_storage_fsspec.backend import make_storage
from hvcore_storage_fsspec.local import LEFTOVERS_RETENTION_S, LocalStorage

TYPE = "video/mp4"


def _write(storage: LocalStorage, path: str) -> None:
    storage.write(path, io.BytesIO(b"data"), content_type=TYPE)


def _files(root: Path) -> list[str]:
    return sorted(str(p.relative_to(root)) for p in root.rglob("*"))


@pytest.fixture
def root(tmp_path: Path, local: LocalStorage) -> Path:
    """
    The folder of ``local``.
    """
    return tmp_path / "store"


def test_it_carries_out_the_optional_protocols(local: LocalStorage, root: Path) -> None:
    assert isinstance(local, SupportsLocalPath)
    assert isinstance(local, SupportsHide)
    assert isinstance(local, SupportsUploadFile)
    assert local.local_path("a/b") == root / "a" / "b"


def test_an_upload_is_moved_and_not_copied(local: LocalStorage) -> None:
    upload = local.upload_dir() / "one"
    upload.write_bytes(b"x")
    inode = upload.stat().st_ino

    local.put_file("a/b", upload, content_type=TYPE)

    assert local.local_path("a/b").stat().st_ino == inode
    assert not upload.exists()


def test_a_file_of_another_disk_is_copied(local: LocalStorage) -> None:
    shared = Path("/dev/shm")  # noqa: S108 - another file system
    if not shared.is_dir() or shared.stat().st_dev == local.upload_dir().stat().st_dev:
        pytest.skip("this machine has one file system only")
    other = shared / f"hvcore-{os.getpid()}"
    other.write_bytes(b"far")
    try:
        local.put_file("a/b", other, content_type=TYPE)
    finally:
        other.unlink()

    assert local.local_path("a/b").read_bytes() == b"far"


def test_a_hidden_object_is_gone_for_readers(local: LocalStorage, root: Path) -> None:
    _write(local, "media/v1/j1/a")
    _write(local, "media/v2/a")
    opened = local.open("media/v1/j1/a")

    local.hide_tree("media/v1")
    local.hide_tree("media/none")

    with pytest.raises(ObjectNotFoundError):
        local.open("media/v1/j1/a")
    assert [i.path for i in local.walk("media")] == ["media/v2/a"]
    with opened:
        assert opened.read() == b"data"
    assert (root / ".hidden/media/v1").is_dir()


def test_deleting_removes_what_was_hidden_and_what_came_late(
    local: LocalStorage, root: Path
) -> None:
    _write(local, "media/v1/j1/a")
    local.hide_tree("media/v1")
    _write(local, "media/v1/j1/late")
    local.hide_tree("media/v1")
    _write(local, "media/v1/j1/later")

    assert local.delete_tree("media/v1") == 3

    assert _files(root) == [".hidden", ".incoming"]


def test_one_object_can_be_hidden(local: LocalStorage) -> None:
    _write(local, "uploads/x")

    local.hide_tree("uploads/x")

    with pytest.raises(ObjectNotFoundError):
        local.stat("uploads/x")
    assert local.delete_tree("uploads/x") == 1


def test_a_file_that_cannot_be_deleted_keeps_no_other(
    local: LocalStorage, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"media/v/{folder}/{name}" for folder in "abc" for name in "xyz"]
    for name in names:
        _write(local, name)
    unlink = Path.unlink

    def refuse_one(path: Path, missing_ok: bool = False) -> None:  # noqa: FBT001, FBT002 - pathlib's
        if path.match("b/y"):
            raise OSError(errno.EPERM, os.strerror(errno.EPERM))
        unlink(path, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "unlink", refuse_one)

    with pytest.raises(UnavailableError, match="does not work"):
        local.delete_tree("media/v")

    assert [info.path for info in local.walk("media/v")] == ["media/v/b/y"]


def test_empty_folders_are_removed_and_others_stay(
    local: LocalStorage, root: Path
) -> None:
    _write(local, "a/b/c/d")
    _write(local, "a/x")

    local.delete_tree("a/b/c/d")

    assert _files(root / "a") == ["x"]


def test_writers_and_deleters_do_not_disturb_one_another(local: LocalStorage) -> None:
    end = time.monotonic() + 2
    stopped = threading.Event()

    def write(number: int) -> int:
        count = 0
        while time.monotonic() < end:
            _write(local, f"media/v/{number}/{count}")
            count += 1
        return count

    def delete() -> int:
        count = 0
        while not stopped.is_set():
            local.hide_tree("media/v")
            count += local.delete_tree("media/v")
        return count

    with ThreadPoolExecutor(4) as pool:
        deleted = pool.submit(delete)
        try:
            written = sum(pool.map(write, range(3)))
        finally:
            stopped.set()

    assert deleted.result() + local.delete_tree("media/v") == written


def test_a_full_disk_takes_nothing_more(tmp_path: Path) -> None:
    full = LocalStorage(tmp_path, min_free_bytes=2**62)
    file = tmp_path / "file"
    file.write_bytes(b"x")

    with pytest.raises(UnavailableError, match="full"):
        full.write("a", io.BytesIO(b"x"), content_type=TYPE)
    with pytest.raises(UnavailableError, match="full"):
        full.put_file("a", file, content_type=TYPE)


def test_a_disk_that_fills_up_meanwhile_keeps_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(
        shutil,
        "disk_usage",
        lambda folder: real._replace(
            total=1000, free=0 if any(Path(folder).iterdir()) else 2**40
        ),
    )
    storage = LocalStorage(tmp_path)

    with pytest.raises(UnavailableError, match="full"):
        storage.write("a", io.BytesIO(bytes(65 * 1024 * 1024)), content_type=TYPE)

    assert _files(tmp_path) == [".hidden", ".incoming"]


def test_leftovers_of_a_crash_are_removed_a_day_later(local: LocalStorage) -> None:
    old, new = local.upload_dir() / "old", local.upload_dir() / "new"
    for file in (old, new):
        file.touch()
    past = time.time() - LEFTOVERS_RETENTION_S - 60
    os.utime(old, (past, past))

    LocalStorage(local.upload_dir().parent)

    assert not old.exists()
    assert new.exists()


def test_a_folder_that_is_gone_is_unavailable(local: LocalStorage, root: Path) -> None:
    shutil.rmtree(root)

    with pytest.raises(UnavailableError, match="cannot be used"):
        local.ping()


@pytest.mark.parametrize("leaves_mount_point", [False, True])
def test_a_storage_that_is_gone_knows_of_no_absence(
    local: LocalStorage, root: Path, *, leaves_mount_point: bool
) -> None:
    _write(local, "media/v/a")
    sent = root.parent / "sent"
    sent.write_bytes(b"x")
    root.rename(root.parent / "away")
    if leaves_mount_point:
        root.mkdir()

    for call in (local.stat, local.open, local.delete_tree, local.hide_tree):
        with pytest.raises(UnavailableError, match="is gone"):
            call("media/v/a")
    with pytest.raises(UnavailableError, match="is gone"):
        list(local.walk("media"))
    with pytest.raises(UnavailableError, match="does not work"):
        _write(local, "media/v/b")
    with pytest.raises(UnavailableError, match="does not work"):
        local.put_file("media/v/b", sent, content_type=TYPE)

    assert root.exists() == leaves_mount_point
    assert not leaves_mount_point or _files(root) == []


def test_a_storage_that_goes_during_a_delete_has_not_deleted(
    local: LocalStorage, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write(local, "media/v/a")

    def unmount(_folder: Path) -> int:
        if root.exists():
            root.rename(root.parent / "away")
        return 0

    monkeypatch.setattr("hvcore_storage_fsspec.local.remove_tree", unmount)

    with pytest.raises(UnavailableError, match="is gone"):
        local.delete_tree("media/v")


@pytest.mark.parametrize("url", ["", "file://host/path"])
def test_an_unusable_url_is_a_configuration_error(url: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"storage\.options\.url"):
        make_storage(url, args={}, min_free_bytes=None, work_dir=tmp_path)


def test_a_plain_path_is_a_folder(tmp_path: Path) -> None:
    made = make_storage(
        str(tmp_path / "x y"), args={}, min_free_bytes=None, work_dir=tmp_path
    )

    assert isinstance(made, LocalStorage)
    assert (tmp_path / "x y").is_dir()
