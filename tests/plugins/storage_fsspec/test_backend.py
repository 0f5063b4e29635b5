"""
What files, memory, S3, Azure and Google have in common.
"""

import io
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import BinaryIO

import pytest

from hvcore.plugin_api import ObjectNotFoundError, Storage
from hvcore.ports.storage import SupportsCopy, SupportsObjectUrl

TYPE = "video/mp4"


def _write(storage: Storage, path: str, data: bytes = b"data") -> None:
    storage.write(path, io.BytesIO(data), content_type=TYPE)


def _read(storage: Storage, path: str, start: int = 0, end: int | None = None) -> bytes:
    with storage.open(path, start=start, end=end) as file:
        return file.read()


def _paths(storage: Storage, prefix: str) -> list[str]:
    return sorted(info.path for info in storage.walk(prefix))


class _Broken(io.RawIOBase):
    """
    A connection that is cut off half-way.
    """

    def __init__(self) -> None:
        super().__init__()
        self._reads = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        self._reads += 1
        if self._reads > 2:
            raise ConnectionResetError("cut off")
        return b"x" * size


def test_a_written_object_can_be_read(storage: Storage) -> None:
    data = bytes(range(256)) * 10

    written = storage.write("a/b/c.bin", io.BytesIO(data), content_type=TYPE)

    assert (written.path, written.size_bytes) == ("a/b/c.bin", len(data))
    assert storage.stat("a/b/c.bin").size_bytes == len(data)
    age = datetime.now(UTC) - storage.stat("a/b/c.bin").modified_at
    assert abs(age) < timedelta(minutes=5)
    assert _read(storage, "a/b/c.bin") == data


def test_a_range_is_half_open(storage: Storage) -> None:
    _write(storage, "r", b"0123456789")

    assert _read(storage, "r", 2, 5) == b"234"
    assert _read(storage, "r", 7) == b"789"
    assert _read(storage, "r", 7, 99) == b"789"
    assert _read(storage, "r", 3, 3) == b""
    assert _read(storage, "r", 10) == b""
    assert _read(storage, "r", 99, 100) == b""
    with pytest.raises(ValueError, match="range"):
        storage.open("r", start=3, end=2)


def test_readers_do_not_disturb_one_another(storage: Storage) -> None:
    _write(storage, "r", b"0123456789")

    with storage.open("r") as one, storage.open("r", start=5) as two:
        assert one.read(3) == b"012"
        assert two.read(2) == b"56"
        assert one.read() == b"3456789"


def test_an_empty_object_is_an_object(storage: Storage) -> None:
    _write(storage, "empty", b"")

    assert storage.stat("empty").size_bytes == 0
    assert _read(storage, "empty") == b""


def test_an_absent_object_is_not_found(storage: Storage) -> None:
    _write(storage, "folder/file")

    for path in ("none", "folder", "folder/file/none"):
        with pytest.raises(ObjectNotFoundError):
            storage.stat(path)
        with pytest.raises(ObjectNotFoundError):
            storage.open(path)
    assert _paths(storage, "none") == []
    assert storage.delete_tree("none") == 0


@pytest.mark.parametrize("source", [_Broken])
def test_an_interrupted_write_leaves_the_old_object(
    storage: Storage, source: Callable[[], BinaryIO]
) -> None:
    _write(storage, "a/b", b"old")

    with pytest.raises(ConnectionResetError):
        storage.write("a/b", source(), content_type=TYPE)
    with pytest.raises(ConnectionResetError):
        storage.write("a/new", source(), content_type=TYPE)

    assert _read(storage, "a/b") == b"old"
    assert _paths(storage, "a") == ["a/b"]


def test_an_object_is_replaced(storage: Storage) -> None:
    _write(storage, "a", b"first")
    _write(storage, "a", b"2nd")

    assert _read(storage, "a") == b"2nd"
    assert storage.stat("a").size_bytes == 3


@pytest.mark.parametrize(
    "storage",
    [
        "file",
        *(
            pytest.param(name, marks=pytest.mark.services)
            for name in ("s3", "gs", "az")
        ),
    ],
    indirect=True,
)
def test_a_reader_gets_no_mixture_of_an_object_and_its_successor(
    storage: Storage,
) -> None:
    _write(storage, "a", b"old")

    with storage.open("a") as reader:
        _write(storage, "a", b"another one")
        try:
            found = reader.read()
        except ObjectNotFoundError:
            found = b""

    assert found in {b"old", b""}
    assert _read(storage, "a") == b"another one"


def test_a_local_file_is_stored(storage: Storage, tmp_path: Path) -> None:
    local = tmp_path / "local"
    local.write_bytes(b"x" * 100)

    info = storage.put_file("deep/er/file", local, content_type=TYPE)

    assert info.size_bytes == 100
    assert _read(storage, "deep/er/file") == b"x" * 100


def test_a_tree_is_a_folder_and_no_beginning_of_a_name(storage: Storage) -> None:
    for path in ("v/1/a", "v/1/b/c", "v/10/a", "v/1x"):
        _write(storage, path)

    assert _paths(storage, "v/1") == ["v/1/a", "v/1/b/c"]
    assert _paths(storage, "v/1/") == ["v/1/a", "v/1/b/c"]
    assert _paths(storage, "v/1x") == ["v/1x"]
    assert storage.delete_tree("v/1") == 2
    assert storage.delete_tree("v/1") == 0
    assert _paths(storage, "v") == ["v/10/a", "v/1x"]
    assert storage.delete_tree("v/1x") == 1


def test_an_object_that_somebody_else_stored_is_seen(storage: Storage) -> None:
    assert _paths(storage, "v") == []
    _write(storage, "v/a")
    assert _paths(storage, "v") == ["v/a"]
    _write(storage, "v/b", b"12345")

    assert {i.path: i.size_bytes for i in storage.walk("v")} == {"v/a": 4, "v/b": 5}


@pytest.mark.parametrize(
    "path", ["", "/etc/passwd", "a//b", "../a", "a/../../b", "a/.", "a\0b", ".hidden/x"]
)
def test_a_path_that_leaves_the_storage_is_refused(storage: Storage, path: str) -> None:
    for call in (storage.stat, storage.open, storage.delete_tree):
        with pytest.raises(ValueError, match="not a path"):
            call(path)
    with pytest.raises(ValueError, match="not a path"):
        list(storage.walk(path))
    with pytest.raises(ValueError, match="not a path"):
        _write(storage, path)


def test_a_storage_that_works_answers(storage: Storage) -> None:
    storage.ping()
    _write(storage, "a")
    storage.ping()


def test_the_storage_copies_an_object_by_itself(storage: Storage) -> None:
    assert isinstance(storage, SupportsCopy)
    storage.write("a/source.m4s", io.BytesIO(b"segment"), content_type="video/mp4")

    made = storage.copy("a/source.m4s", "b/c/0.m4s", content_type="video/iso.segment")

    assert (made.path, made.size_bytes) == ("b/c/0.m4s", 7)
    with storage.open("b/c/0.m4s") as file:
        assert file.read() == b"segment"
    assert storage.stat("a/source.m4s").size_bytes == 7


def test_a_copy_of_nothing_is_not_found(storage: Storage) -> None:
    assert isinstance(storage, SupportsCopy)

    with pytest.raises(ObjectNotFoundError):
        storage.copy("a/absent.m4s", "b/0.m4s", content_type="video/mp4")
    with pytest.raises(ObjectNotFoundError):
        storage.stat("b/0.m4s")


def test_an_object_has_a_url_that_clients_of_the_store_know(storage: Storage) -> None:
    assert isinstance(storage, SupportsObjectUrl)

    url = storage.object_url("media/vid_1/0.m4s")

    assert url.startswith(("file:///", "memory://", "s3://", "abfs://", "gs://"))
    assert url.endswith("/media/vid_1/0.m4s")
