"""
What a bucket is believed whose answers are half ones.
"""

import io
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest

from hvcore.plugin_api import (
    ObjectNotFoundError,
    Storage,
    StorageRefusedError,
    UnavailableError,
)
from hvcore_storage_obstore.backend import make_storage
from hvcore_storage_obstore.options import ObstoreOptions
from tests.support.stores.faulty_store import Fault, FaultyStore, faulty_store
from tests.support.stores.half_answers import PAGE, half_answering_server
from tests.support.stores.object_store import KEY, SECRET, new_bucket, s3_server


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


def _paths(bucket: Storage) -> list[str]:
    return sorted(info.path for info in bucket.walk("v"))


def _methods(proxy: FaultyStore) -> list[str]:
    seen: list[str] = []
    proxy.strikes = lambda method, *_: seen.append(method)
    return seen


def test_a_removal_that_is_refused_within_a_200_is_none(
    bucket: Storage, proxy: FaultyStore
) -> None:
    proxy.kept = "AccessDenied"

    with pytest.raises(StorageRefusedError, match="AccessDenied") as refused:
        bucket.delete_tree("v")

    assert refused.value.said == "Not by you."
    assert _paths(bucket) == ["v/a", "v/b"]


@pytest.mark.parametrize("code", ["NotImplemented", "MissingContentMD5"])
def test_a_store_that_takes_no_bulk_deletes_is_asked_for_each_object(
    bucket: Storage, proxy: FaultyStore, code: str
) -> None:
    proxy.takes_no_bulk = code

    assert bucket.delete_tree("v") == 2
    assert _paths(bucket) == []


def test_a_store_without_bulk_deletes_is_not_asked_for_one_again(
    bucket: Storage, proxy: FaultyStore
) -> None:
    asked = _methods(proxy)
    proxy.takes_no_bulk = "NotImplemented"
    bucket.delete_tree("v/a")
    assert "POST" in asked
    asked.clear()

    bucket.delete_tree("v/b")

    assert "POST" not in asked
    assert _paths(bucket) == []


def test_a_store_without_bulk_deletes_is_not_believed_either(
    bucket: Storage, proxy: FaultyStore
) -> None:
    proxy.takes_no_bulk = "NotImplemented"
    proxy.kept = "AccessDenied"

    with pytest.raises(StorageRefusedError, match="AccessDenied") as refused:
        bucket.delete_tree("v")

    assert refused.value.said == "Not by you."
    assert _paths(bucket) == ["v/a", "v/b"]


def test_an_object_that_somebody_else_has_removed_is_removed(
    bucket: Storage, proxy: FaultyStore
) -> None:
    proxy.takes_no_bulk = "NotImplemented"
    proxy.strike_once(Fault.ERROR_404, "DELETE", "v/a")

    bucket.delete_tree("v")

    assert proxy.struck == 1


@pytest.mark.parametrize("fault", [Fault.ERROR_503, Fault.RESET, Fault.ANSWER_LOST])
def test_the_removal_of_one_object_is_tried_again(
    bucket: Storage, proxy: FaultyStore, fault: Fault
) -> None:
    proxy.takes_no_bulk = "NotImplemented"
    proxy.strike_once(fault, "DELETE", "v/a")

    bucket.delete_tree("v")

    assert proxy.struck == 1
    assert _paths(bucket) == []


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (Fault.ERROR_500, r"fails \(500\)"),
        (Fault.RESET, "does not answer"),
    ],
)
def test_a_removal_that_keeps_failing_is_none_and_shows_no_signature(
    bucket: Storage,
    proxy: FaultyStore,
    caplog: pytest.LogCaptureFixture,
    fault: Fault,
    said: str,
) -> None:
    proxy.takes_no_bulk = "NotImplemented"
    proxy.strikes = lambda method, *_: fault if method == "DELETE" else None

    with pytest.raises(UnavailableError, match=said) as failed:
        bucket.delete_tree("v")

    assert "Signature" not in "".join(traceback.format_exception(failed.value))
    assert "Signature" not in caplog.text
    assert _paths(bucket) == ["v/a", "v/b"]


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


def test_a_page_is_no_object(endpoint: str, tmp_path: Path) -> None:
    with half_answering_server(endpoint) as half:
        half_answered = _storage(half.url, "any", tmp_path)
        for half.answer in (PAGE, b"", b"<a/>"):
            with pytest.raises(UnavailableError, match="what an object is"):
                half_answered.stat("v/a")
            with pytest.raises(UnavailableError, match="what an object is"):
                half_answered.open("v/a").read()
            with pytest.raises(UnavailableError, match=r"an object is|not answer"):
                list(half_answered.walk("v"))
