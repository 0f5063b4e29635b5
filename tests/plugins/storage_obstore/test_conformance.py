"""
obstore keeps the promises of the storage port.
"""

import shutil
import socket
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from hv_storage_obstore.backend import make_storage
from hv_storage_obstore.options import ObstoreOptions
from hvcore.plugin_api import Storage
from hvcore.testing.storage import (
    ObjectUrlConformance,
    PresignedReadConformance,
    ReopenedStorage,
    StorageConformance,
)
from tests.object_store import SWIFT_KEY, SWIFT_SECRET, new_swift_bucket


class Opened(StorageConformance, ObjectUrlConformance):
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
        options = ObstoreOptions(url=f"file://{tmp_path}/store")
        return lambda: make_storage(options, work_dir=tmp_path)

    @pytest.fixture
    def unreachable(self, reopened: ReopenedStorage, tmp_path: Path) -> Storage:
        made = reopened()
        shutil.rmtree(tmp_path / "store")
        return made


@pytest.mark.services
class TestS3(Opened, PresignedReadConformance):
    """
    On Swift.
    """

    __test__ = True
    # Swift's pages have a hundred here.
    many = 110

    @pytest.fixture(scope="module")
    def bucket(self, swift: str) -> str:
        return new_swift_bucket(swift)

    @pytest.fixture
    def silent_endpoint(self) -> Iterator[str]:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            yield f"http://127.0.0.1:{taken.getsockname()[1]}"

    @pytest.fixture
    def reopened(self, swift: str, bucket: str, tmp_path: Path) -> ReopenedStorage:
        url = f"s3://{bucket}/{uuid.uuid4().hex}"
        options = s3_options(tmp_path, url, swift)
        return lambda: make_storage(options, work_dir=tmp_path)

    @pytest.fixture
    def unreachable(self, silent_endpoint: str, tmp_path: Path) -> Storage:
        options = s3_options(tmp_path, "s3://videos/prefix", silent_endpoint)
        return make_storage(options, work_dir=tmp_path)


def s3_options(folder: Path, url: str, endpoint: str) -> ObstoreOptions:
    secret = folder / "secret"
    secret.write_text(f"{SWIFT_SECRET}\n")
    return ObstoreOptions(
        url=url,
        endpoint=endpoint,
        region="us-east-1",
        key=SWIFT_KEY,
        secret_file=str(secret),
    )
