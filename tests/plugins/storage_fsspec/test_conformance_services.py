"""
S3, Azure and Google keep the promises of the storage port.

All tests of a store share a bucket, in which each has a prefix of its own.
"""

import io
import socket
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import pytest
from aiobotocore.session import AioSession

from hvcore.plugin_api import Storage
from hvcore.testing.children import is_unavailable
from hvcore.testing.storage import (
    CUT_BYTES,
    CopyConformance,
    ObjectUrlConformance,
    PartedWriteConformance,
    PresignedReadConformance,
    PresignedWriteConformance,
    ReopenedStorage,
    StorageConformance,
    arrived,
)
from hvcore_storage_fsspec.backend import make_storage
from tests.conftest import IS_LONG
from tests.support.stores.azure_store import connection_string, new_container
from tests.support.stores.faulty_store import FaultyStore, SpoiledRange, faulty_store
from tests.support.stores.google_store import google_args, new_google_bucket
from tests.support.stores.object_store import SWIFT_KEY, SWIFT_SECRET, new_swift_bucket

pytestmark = pytest.mark.services
SESSION: Final = AioSession()
"""Of all storages: it keeps the description of S3, which takes a third of a second to read."""


@pytest.fixture(scope="module")
def swift_bucket(swift: str) -> str:
    return new_swift_bucket(swift)


@pytest.fixture(scope="module")
def container(azure_store: str) -> str:
    return new_container(azure_store)


@pytest.fixture(scope="module")
def google_bucket(google_store: str) -> str:
    return new_google_bucket(google_store)


@pytest.fixture
def silent_endpoint() -> Iterator[str]:
    """
    The address of a port at which nobody answers.
    """
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"


def s3_args(endpoint: str, **config: object) -> Mapping[str, object]:
    return {
        "endpoint_url": endpoint,
        "key": SWIFT_KEY,
        "secret": SWIFT_SECRET,
        "client_kwargs": {"region_name": "us-east-1"},
        "session": SESSION,
        "config_kwargs": config,
    }


def opened(url: str, args: Mapping[str, object], work_dir: Path) -> Storage:
    return make_storage(url, args=args, min_free_bytes=0, work_dir=work_dir)


def refusing(storage: Storage, proxy: FaultyStore) -> Storage:
    """
    Keep an object that the store does not remove, whoever asks.
    """
    storage.write("v/kept", io.BytesIO(b"data"), content_type="video/mp4")
    proxy.kept = "AccessDenied"
    return storage


def ignoring(storage: Storage, proxy: FaultyStore) -> Storage:
    """
    Keep an object of which every range is answered with the whole.
    """
    storage.write("v/whole", io.BytesIO(b"0123456789"), content_type="video/mp4")
    proxy.spoils = SpoiledRange.IGNORED
    return storage


def ending(storage: Storage, proxy: FaultyStore) -> Storage:
    """Keep an object of which every answer ends before its bytes do."""
    storage.write("v/cut", io.BytesIO(arrived(CUT_BYTES)), content_type="video/mp4")
    proxy.spoils = SpoiledRange.SHORT
    return storage


# aiohttp says so of what the clients of Azure and Google send, up to 8 MiB.
@pytest.mark.filterwarnings("ignore:Sending a large body:ResourceWarning")
class Remote(
    StorageConformance,
    CopyConformance,
    ObjectUrlConformance,
    PresignedReadConformance,
    PresignedWriteConformance,
):
    __test__ = False
    # Each asks a server several times.
    most_broken_off = 12 if IS_LONG else 4
    most_held = 6 if IS_LONG else 3
    rounds = 2

    @pytest.fixture
    def storage(self, reopened: ReopenedStorage) -> Storage:
        return reopened()


@pytest.mark.every(3)
class TestS3(Remote, PartedWriteConformance):
    """
    On Swift.
    """

    __test__ = True
    # Swift's pages have a hundred here.
    many = 110

    @pytest.fixture
    def reopened(
        self, swift: str, swift_bucket: str, tmp_path: Path
    ) -> ReopenedStorage:
        url = f"s3://{swift_bucket}/{uuid.uuid4().hex}"
        return lambda: opened(url, s3_args(swift), tmp_path)

    @pytest.fixture
    def unreachable(self, silent_endpoint: str, tmp_path: Path) -> Storage:
        args = s3_args(silent_endpoint, retries={"total_max_attempts": 1})
        return opened("s3://videos/prefix", args, tmp_path)

    @pytest.fixture
    def without_bucket(self, swift: str, tmp_path: Path) -> Storage:
        return opened("s3://missing/prefix", s3_args(swift), tmp_path)

    @pytest.fixture
    def refusing_removal(
        self, swift: str, swift_bucket: str, tmp_path: Path
    ) -> Iterator[Storage]:
        with faulty_store(swift) as proxy:
            url = f"s3://{swift_bucket}/{uuid.uuid4().hex}"
            yield refusing(opened(url, s3_args(proxy.url), tmp_path), proxy)

    @pytest.fixture
    def ignoring_ranges(
        self, swift: str, swift_bucket: str, tmp_path: Path
    ) -> Iterator[Storage]:
        with faulty_store(swift) as proxy:
            url = f"s3://{swift_bucket}/{uuid.uuid4().hex}"
            yield ignoring(opened(url, s3_args(proxy.url), tmp_path), proxy)

    @pytest.fixture
    def ending_early(
        self, swift: str, swift_bucket: str, tmp_path: Path
    ) -> Iterator[Storage]:
        with faulty_store(swift) as proxy:
            url = f"s3://{swift_bucket}/{uuid.uuid4().hex}"
            yield ending(opened(url, s3_args(proxy.url), tmp_path), proxy)


@pytest.mark.long
class TestAzure(Remote, PartedWriteConformance):
    """
    On Azurite.
    """

    __test__ = True
    # Azurite's pages have 5,000; and each object takes a request of its own to remove.
    many = 200

    @pytest.fixture
    def reopened(
        self, azure_store: str, container: str, tmp_path: Path
    ) -> ReopenedStorage:
        url = f"az://{container}/{uuid.uuid4().hex}"
        args = {"connection_string": connection_string(azure_store)}
        return lambda: opened(url, args, tmp_path)

    @pytest.fixture
    def unreachable(self, silent_endpoint: str, tmp_path: Path) -> Storage:
        args = {
            "connection_string": connection_string(silent_endpoint),
            "retry_total": 0,
        }
        return opened("az://videos/prefix", args, tmp_path)

    @pytest.fixture
    def without_bucket(self, azure_store: str, tmp_path: Path) -> Storage:
        args = {"connection_string": connection_string(azure_store)}
        return opened("az://missing/prefix", args, tmp_path)

    @pytest.fixture
    def refusing_removal(
        self, azure_store: str, container: str, tmp_path: Path
    ) -> Iterator[Storage]:
        with faulty_store(azure_store) as proxy:
            url = f"az://{container}/{uuid.uuid4().hex}"
            args = {"connection_string": connection_string(proxy.url)}
            yield refusing(opened(url, args, tmp_path), proxy)

    @pytest.fixture
    def ignoring_ranges(
        self, azure_store: str, container: str, tmp_path: Path
    ) -> Iterator[Storage]:
        with faulty_store(azure_store) as proxy:
            url = f"az://{container}/{uuid.uuid4().hex}"
            args = {"connection_string": connection_string(proxy.url)}
            yield ignoring(opened(url, args, tmp_path), proxy)

    @pytest.fixture
    def ending_early(
        self, azure_store: str, container: str, tmp_path: Path
    ) -> Iterator[Storage]:
        with faulty_store(azure_store) as proxy:
            url = f"az://{container}/{uuid.uuid4().hex}"
            args = {"connection_string": connection_string(proxy.url)}
            yield ending(opened(url, args, tmp_path), proxy)


@pytest.mark.long
class TestGoogle(Remote):
    """
    On an imitation.
    """

    __test__ = True
    # The imitation gives all at once, and takes a second for a hundred of them.
    many = 100

    @pytest.fixture
    def reopened(
        self, google_store: str, google_bucket: str, tmp_path: Path
    ) -> ReopenedStorage:
        url = f"gs://{google_bucket}/{uuid.uuid4().hex}"
        args = google_args(tmp_path, google_store)
        return lambda: opened(url, args, tmp_path)

    @pytest.fixture
    def unreachable(self, silent_endpoint: str, tmp_path: Path) -> Storage:
        return opened("gs://videos/p", google_args(tmp_path, silent_endpoint), tmp_path)

    @pytest.fixture
    def without_bucket(self, google_store: str, tmp_path: Path) -> Storage:
        return opened("gs://missing/p", google_args(tmp_path, google_store), tmp_path)

    @pytest.fixture
    def refusing_removal(
        self, google_store: str, google_bucket: str, tmp_path: Path
    ) -> Iterator[Storage]:
        with faulty_store(google_store) as proxy:
            url = f"gs://{google_bucket}/{uuid.uuid4().hex}"
            args = google_args(tmp_path, proxy.url)
            yield refusing(opened(url, args, tmp_path), proxy)

    @pytest.fixture
    def ignoring_ranges(
        self, google_store: str, google_bucket: str, tmp_path: Path
    ) -> Iterator[Storage]:
        with faulty_store(google_store) as proxy:
            url = f"gs://{google_bucket}/{uuid.uuid4().hex}"
            args = google_args(tmp_path, proxy.url)
            yield ignoring(opened(url, args, tmp_path), proxy)

    @pytest.fixture
    def ending_early(
        self, google_store: str, google_bucket: str, tmp_path: Path
    ) -> Iterator[Storage]:
        with faulty_store(google_store) as proxy:
            url = f"gs://{google_bucket}/{uuid.uuid4().hex}"
            args = google_args(tmp_path, proxy.url)
            yield ending(opened(url, args, tmp_path), proxy)


@pytest.mark.parametrize("scheme", ["s3", "az"])
def test_a_store_that_is_gone_is_soon_unavailable(
    scheme: str, silent_endpoint: str, tmp_path: Path
) -> None:
    """
    Also with the retries that are set without options.
    """
    args = {
        "s3": s3_args(silent_endpoint),
        "az": {"connection_string": connection_string(silent_endpoint)},
    }[scheme]
    storage = opened(f"{scheme}://videos/prefix", args, tmp_path)

    assert is_unavailable(12.0, storage.ping)
