"""
What this plugin offers keeps the promises of the storage port.
"""

import shutil
import uuid
from pathlib import Path

import pytest
from fsspec.implementations.memory import MemoryFileSystem

from hv_storage_fsspec.backend import make_storage
from hvcore.plugin_api import Storage
from hvcore.testing.storage import ReopenedStorage, StorageConformance
from tests.object_store import KEY, SECRET, s3_client


class Opened(StorageConformance):
    __test__ = False

    @pytest.fixture
    def storage(self, reopened: ReopenedStorage) -> Storage:
        return reopened()


class TestFiles(Opened):
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


class TestMemory(Opened):
    """
    The memory file system of fsspec.
    """

    __test__ = True
    is_shared = False

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

        for name in ("info", "cat_file", "find", "put_file", "rm"):
            monkeypatch.setattr(MemoryFileSystem, name, fail)
        return reopened()


class TestS3(Opened):
    """
    An imitation of S3, which checks no signatures.
    """

    __test__ = True
    checks_signatures = False

    @pytest.fixture
    def reopened(self, s3_endpoint: str, tmp_path: Path) -> ReopenedStorage:
        name = f"videos-{uuid.uuid4().hex}"
        s3_client(s3_endpoint).create_bucket(Bucket=name)
        args = {"endpoint_url": s3_endpoint, "key": KEY, "secret": SECRET}
        return lambda: make_storage(
            f"s3://{name}/prefix", args=args, min_free_bytes=0, work_dir=tmp_path
        )

    @pytest.fixture
    def unreachable(self, tmp_path: Path) -> Storage:
        args = {
            "endpoint_url": "http://127.0.0.1:9",
            "key": KEY,
            "secret": SECRET,
            "config_kwargs": {"retries": {"max_attempts": 1}},
        }
        return make_storage(
            "s3://bucket/prefix", args=args, min_free_bytes=0, work_dir=tmp_path
        )
