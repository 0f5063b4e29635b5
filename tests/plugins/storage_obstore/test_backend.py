"""
obstore keeps the promises of the storage port.
"""

import io
import shutil
import socket
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar, Final

import obstore
import pytest

from hvcore.plugin_api import ObjectNotFoundError, Storage
from hvcore.testing.storage import (
    CUT_BYTES,
    ObjectUrlConformance,
    PresignedReadConformance,
    ReopenedStorage,
    StorageConformance,
    arrived,
)
from hvcore_storage_obstore.backend import make_storage
from hvcore_storage_obstore.options import ObstoreOptions
from tests.conftest import IS_LONG
from tests.plugins.storage_obstore.options import s3_options

NO_FORK: Final = "obstore does not survive a fork of a process that has used it"


@pytest.fixture(scope="module")
def bucket(swift: str) -> str:
    # Its clients take a second to import, which files do without.
    from tests.support.stores.object_store import new_swift_bucket  # noqa: PLC0415

    return new_swift_bucket(swift)


@pytest.fixture
def silent_endpoint() -> Iterator[str]:
    """
    The address of a port at which nobody answers.
    """
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"


class Opened(StorageConformance, ObjectUrlConformance):
    __test__ = False
    most_broken_off = 100 if IS_LONG else 25
    most_held = 40 if IS_LONG else 10
    # test_processes.py has the same with processes that are started anew.
    deviations: ClassVar = {
        "test_processes_see_one_storage": NO_FORK,
        "test_a_large_object_passes_through": NO_FORK,
    }

    @pytest.fixture(autouse=True)
    def used(self, storage: Storage) -> None:
        """
        Have the parent use obstore, whichever test is the first of a process.
        """
        storage.ping()

    @pytest.fixture
    def storage(self, reopened: ReopenedStorage) -> Storage:
        return reopened()


@pytest.mark.every(3)
class TestFiles(Opened):
    """
    Of this machine.
    """

    __test__ = True

    @pytest.fixture
    def reopened(self, tmp_path: Path) -> ReopenedStorage:
        options = ObstoreOptions(url=f"file://{tmp_path}/store")
        return lambda: make_storage(options, work_dir=tmp_path)

    @pytest.fixture(params=["gone", "empty"])
    def unreachable(
        self,
        reopened: ReopenedStorage,
        tmp_path: Path,
        request: pytest.FixtureRequest,
    ) -> Storage:
        made = reopened()
        shutil.rmtree(tmp_path / "store")
        if request.param == "empty":
            # A disk that is not mounted any more leaves an empty folder.
            (tmp_path / "store").mkdir()
        return made

    @pytest.fixture
    def without_bucket(self, unreachable: Storage) -> Storage:
        return unreachable

    @pytest.fixture
    def ignoring_ranges(self, unreachable: Storage) -> Storage:
        return unreachable

    @pytest.fixture
    def refusing_removal(
        self, storage: Storage, monkeypatch: pytest.MonkeyPatch
    ) -> Storage:
        def fail(*_: object) -> None:
            raise PermissionError("whatever obstore raises")

        storage.write("v/kept", io.BytesIO(b"data"), content_type="video/mp4")
        # No right of a file keeps it from the administrator, as who tests may run.
        monkeypatch.setattr(obstore, "delete", fail)
        return storage


@pytest.mark.long
@pytest.mark.services
class TestS3(Opened, PresignedReadConformance):
    """
    On Swift.
    """

    __test__ = True
    # Swift's pages have a hundred here.
    many = 110
    # Each asks a server several times.
    most_broken_off = 12
    most_held = 6
    rounds = 2

    @pytest.fixture
    def reopened(self, swift: str, bucket: str, tmp_path: Path) -> ReopenedStorage:
        url = f"s3://{bucket}/{uuid.uuid4().hex}"
        options = s3_options(url, endpoint=swift)
        return lambda: make_storage(options, work_dir=tmp_path)

    @pytest.fixture
    def unreachable(self, silent_endpoint: str, tmp_path: Path) -> Storage:
        options = s3_options("s3://videos/prefix", endpoint=silent_endpoint)
        return make_storage(options, work_dir=tmp_path)

    @pytest.fixture
    def without_bucket(self, swift: str, tmp_path: Path) -> Storage:
        options = s3_options("s3://missing/prefix", endpoint=swift)
        return make_storage(options, work_dir=tmp_path)

    @pytest.fixture
    def refusing_removal(
        self, swift: str, bucket: str, tmp_path: Path
    ) -> Iterator[Storage]:
        from tests.support.stores.faulty_store import faulty_store  # noqa: PLC0415 - see bucket

        with faulty_store(swift) as proxy:
            url = f"s3://{bucket}/{uuid.uuid4().hex}"
            made = make_storage(s3_options(url, endpoint=proxy.url), work_dir=tmp_path)
            made.write("v/kept", io.BytesIO(b"data"), content_type="video/mp4")
            proxy.kept = "AccessDenied"
            yield made

    @pytest.fixture
    def ignoring_ranges(
        self, swift: str, bucket: str, tmp_path: Path
    ) -> Iterator[Storage]:
        from tests.support.stores.faulty_store import SpoiledRange, faulty_store  # noqa: PLC0415 - see bucket

        with faulty_store(swift) as proxy:
            url = f"s3://{bucket}/{uuid.uuid4().hex}"
            made = make_storage(s3_options(url, endpoint=proxy.url), work_dir=tmp_path)
            made.write("v/whole", io.BytesIO(b"0123456789"), content_type="video/mp4")
            proxy.spoils = SpoiledRange.IGNORED
            yield made

    @pytest.fixture
    def ending_early(
        self, swift: str, bucket: str, tmp_path: Path
    ) -> Iterator[Storage]:
        from tests.support.stores.faulty_store import SpoiledRange, faulty_store  # noqa: PLC0415 - see bucket

        with faulty_store(swift) as proxy:
            url = f"s3://{bucket}/{uuid.uuid4().hex}"
            made = make_storage(s3_options(url, endpoint=proxy.url), work_dir=tmp_path)
            data = io.BytesIO(arrived(CUT_BYTES))
            made.write("v/cut", data, content_type="video/mp4")
            proxy.spoils = SpoiledRange.SHORT
            yield made


def test_a_reader_gets_no_mixture_of_an_object_and_its_successor(
    tmp_path: Path,
) -> None:
    options = ObstoreOptions(url=f"file://{tmp_path}/store")
    storage = make_storage(options, work_dir=tmp_path)
    storage.write("a", io.BytesIO(b"old"), content_type="video/mp4")

    with storage.open("a") as reader:
        storage.write("a", io.BytesIO(b"another one"), content_type="video/mp4")
        with pytest.raises(ObjectNotFoundError):
            reader.read()
