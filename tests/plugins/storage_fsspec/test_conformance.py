"""
What this plugin offers keeps the promises of the storage port.
"""

import shutil
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest
from fsspec.implementations.memory import MemoryFileSystem

from hv_storage_fsspec.backend import make_storage
from hvcore.plugin_api import Storage
from hvcore.testing.storage import ReopenedStorage, StorageConformance
from tests.azure_store import azure_container, connection_string
from tests.google_store import google_args, new_google_bucket
from tests.object_store import SWIFT_KEY, SWIFT_SECRET, new_swift_bucket

REGION: Final = {"region_name": "us-east-1"}
NOBODY: Final = "http://127.0.0.1:9"
"""Where nobody listens."""


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


class Remote(Opened):
    """
    Stores that others run; their servers are started for the tests.
    """

    @pytest.fixture
    def place(self) -> tuple[str, Mapping[str, object]]:
        """
        Return the URL of an empty store, and the arguments of its client.
        """
        raise NotImplementedError

    @pytest.fixture
    def reopened(
        self, place: tuple[str, Mapping[str, object]], tmp_path: Path
    ) -> ReopenedStorage:
        url, args = place
        return lambda: make_storage(
            url, args=args, min_free_bytes=0, work_dir=tmp_path / "work"
        )


@pytest.mark.services
@pytest.mark.long
class TestSwift(Remote):
    """
    Speaks S3, and checks signatures.
    """

    __test__ = True

    @pytest.fixture
    def place(self, swift: str) -> tuple[str, Mapping[str, object]]:
        args = {
            "endpoint_url": swift,
            "key": SWIFT_KEY,
            "secret": SWIFT_SECRET,
            "client_kwargs": REGION,
        }
        return f"s3://{new_swift_bucket(swift)}/prefix", args

    @pytest.fixture
    def unreachable(self, tmp_path: Path) -> Storage:
        args = {
            "endpoint_url": NOBODY,
            "key": SWIFT_KEY,
            "secret": SWIFT_SECRET,
            "client_kwargs": REGION,
            "config_kwargs": {"retries": {"max_attempts": 1}},
        }
        return make_storage("s3://b/p", args=args, min_free_bytes=0, work_dir=tmp_path)


@pytest.mark.services
@pytest.mark.long
class TestAzure(Remote):
    """
    The server of Azure Blob Storage.
    """

    __test__ = True

    @pytest.fixture
    def place(self, azure_store: str) -> tuple[str, Mapping[str, object]]:
        name = f"videos-{uuid.uuid4().hex}"
        azure_container(azure_store, name).create_container()
        args = {"connection_string": connection_string(azure_store)}
        return f"az://{name}/prefix", args

    @pytest.fixture
    def unreachable(self, tmp_path: Path) -> Storage:
        args = {"connection_string": connection_string(NOBODY), "retry_total": 0}
        return make_storage("az://b/p", args=args, min_free_bytes=0, work_dir=tmp_path)


@pytest.mark.services
@pytest.mark.long
class TestGoogle(Remote):
    """
    An imitation of Google Cloud Storage that checks signatures.
    """

    __test__ = True

    @pytest.fixture
    def place(
        self, google_store: str, tmp_path: Path
    ) -> tuple[str, Mapping[str, object]]:
        args = google_args(tmp_path, google_store)
        return f"gs://{new_google_bucket(google_store)}/prefix", args

    @pytest.fixture
    def unreachable(self, tmp_path: Path) -> Storage:
        args = google_args(tmp_path, NOBODY)
        return make_storage("gs://b/p", args=args, min_free_bytes=0, work_dir=tmp_path)
