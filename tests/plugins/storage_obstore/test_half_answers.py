"""
What a bucket is believed whose answers are half ones.
"""

import io
from collections.abc import Iterator
from pathlib import Path

import pytest

from hv_storage_obstore.backend import make_storage
from hv_storage_obstore.options import ObstoreOptions
from hvcore.plugin_api import (
    ObjectNotFoundError,
    Storage,
    StorageRefusedError,
    UnavailableError,
)
from tests.faulty_store import FaultyStore, faulty_store
from tests.object_store import KEY, SECRET, new_bucket, s3_server


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    with s3_server() as address:
        yield address


@pytest.fixture
def proxy(endpoint: str) -> Iterator[FaultyStore]:
    with faulty_store(endpoint) as store:
        yield store


@pytest.fixture
def bucket(proxy: FaultyStore, endpoint: str, tmp_path: Path) -> Storage:
    made = _storage(proxy.url, new_bucket(endpoint), tmp_path)
    for path in ("v/a", "v/b"):
        made.write(path, io.BytesIO(b"data"), content_type="video/mp4")
    return made


def _storage(endpoint: str, bucket: str, work_dir: Path) -> Storage:
    options = ObstoreOptions(
        url=f"s3://{bucket}/prefix",
        endpoint=endpoint,
        region="us-east-1",
        key=KEY,
        secret=SECRET,
    )
    return make_storage(options, work_dir=work_dir)


def test_a_removal_that_is_refused_within_a_200_is_none(
    bucket: Storage, proxy: FaultyStore
) -> None:
    proxy.kept = "AccessDenied"

    with pytest.raises(StorageRefusedError, match="AccessDenied") as refused:
        bucket.delete_tree("v")

    assert refused.value.said == "Not by you."
    assert sorted(info.path for info in bucket.walk("v")) == ["v/a", "v/b"]


def test_a_store_that_takes_no_bulk_deletes_is_named_by_its_code(
    bucket: Storage, proxy: FaultyStore
) -> None:
    proxy.takes_no_bulk = "NotImplemented"

    with pytest.raises(UnavailableError, match=r"fails \(NotImplemented\)"):
        bucket.delete_tree("v")


def test_a_missing_bucket_is_no_missing_object(
    proxy: FaultyStore, tmp_path: Path
) -> None:
    missing = _storage(proxy.url, "missing", tmp_path)

    with pytest.raises(UnavailableError, match="no such bucket"):
        missing.stat("v/a")
    with pytest.raises(UnavailableError, match="no such bucket"):
        missing.open("v/a", start=1, end=3)


def test_a_bucket_is_asked_for_once_for_many_absent_objects(
    bucket: Storage, proxy: FaultyStore
) -> None:
    asked = []

    def note(method: str, path: str, _: bool) -> None:  # noqa: FBT001 - see FaultyStore
        if method == "GET":
            asked.append(path)

    proxy.strikes = note
    for name in ("x", "y", "z"):
        with pytest.raises(ObjectNotFoundError):
            bucket.stat(f"v/{name}")

    assert len(asked) == 1
