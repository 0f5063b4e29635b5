"""
Files, and what fsspec keeps in memory, keep the promises of the storage port.
"""

import io
import shutil
import uuid
from pathlib import Path
from typing import ClassVar

import pytest
from fsspec.implementations.memory import MemoryFileSystem

from hvcore.plugin_api import Storage
from hvcore.testing.storage import (
    CopyConformance,
    HideConformance,
    LocalPathConformance,
    ObjectUrlConformance,
    ReopenedStorage,
    StorageConformance,
    UploadFileConformance,
)
from hvcore_storage_fsspec.backend import make_storage
from tests.conftest import IS_LONG


def refusing(
    storage: Storage, monkeypatch: pytest.MonkeyPatch, system: type, name: str
) -> Storage:
    """
    Keep an object that the system of its files does not remove, whoever asks.
    """

    def fail(*_: object, **__: object) -> None:
        raise PermissionError("whatever a file system raises")

    storage.write("v/kept", io.BytesIO(b"data"), content_type="video/mp4")
    monkeypatch.setattr(system, name, fail)
    return storage


class Opened(StorageConformance, CopyConformance, ObjectUrlConformance):
    __test__ = False
    most_broken_off = 100 if IS_LONG else 25
    most_held = 40 if IS_LONG else 10

    @pytest.fixture
    def storage(self, reopened: ReopenedStorage) -> Storage:
        return reopened()

    @pytest.fixture
    def without_bucket(self, unreachable: Storage) -> Storage:
        return unreachable

    @pytest.fixture
    def ignoring_ranges(self, unreachable: Storage) -> Storage:
        return unreachable


class TestFiles(Opened, HideConformance, LocalPathConformance, UploadFileConformance):
    """
    Of this machine.
    """

    __test__ = True

    @pytest.fixture
    def reopened(self, tmp_path: Path) -> ReopenedStorage:
        return lambda: make_storage(
            f"file://{tmp_path}/store", args={}, min_free_bytes=0, work_dir=tmp_path
        )

    @pytest.fixture
    def unreachable(self, reopened: ReopenedStorage, tmp_path: Path) -> Storage:
        made = reopened()
        # A disk that is not mounted any more leaves an empty folder.
        shutil.rmtree(tmp_path / "store")
        (tmp_path / "store").mkdir()
        return made

    @pytest.fixture
    def refusing_removal(
        self, reopened: ReopenedStorage, monkeypatch: pytest.MonkeyPatch
    ) -> Storage:
        return refusing(reopened(), monkeypatch, Path, "unlink")


@pytest.mark.every(3)
class TestMemory(Opened):
    """
    The memory file system of fsspec.
    """

    __test__ = True
    is_shared = False
    deviations: ClassVar = {
        "test_processes_see_one_storage": "its objects are in the memory of one process"
    }

    @pytest.fixture
    def reopened(self, tmp_path: Path) -> ReopenedStorage:
        name = uuid.uuid4().hex
        return lambda: make_storage(
            f"memory://{name}/prefix", args={}, min_free_bytes=0, work_dir=tmp_path
        )

    @pytest.fixture
    def unreachable(
        self, reopened: ReopenedStorage, monkeypatch: pytest.MonkeyPatch
    ) -> Storage:
        def fail(*_: object, **__: object) -> None:
            raise EOFError("whatever a file system raises")

        for name in ("info", "cat_file", "find", "pipe_file", "rm", "cp_file"):
            monkeypatch.setattr(MemoryFileSystem, name, fail)
        return reopened()

    @pytest.fixture
    def refusing_removal(
        self, reopened: ReopenedStorage, monkeypatch: pytest.MonkeyPatch
    ) -> Storage:
        return refusing(reopened(), monkeypatch, MemoryFileSystem, "rm")
