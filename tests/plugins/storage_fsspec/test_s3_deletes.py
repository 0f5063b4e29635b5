"""
What a bucket is believed whose answers are half ones.
"""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from hvcore.plugin_api import (
    ObjectNotFoundError,
    Storage,
    StorageRefusedError,
    UnavailableError,
)
from hvcore_storage_fsspec.backend import make_storage
from hvcore_storage_fsspec.s3 import S3Storage
from tests.support.stores.faulty_store import Fault, FaultyStore, faulty_store
from tests.support.stores.half_answers import (
    PAGE,
    HalfAnsweringServer,
    half_answering_server,
)
from tests.support.stores.object_store import KEY, SECRET, new_bucket

TYPE = "video/mp4"


@pytest.fixture
def proxy(s3_endpoint: str) -> Iterator[FaultyStore]:
    with faulty_store(s3_endpoint) as store:
        yield store


@pytest.fixture
def bucket(proxy: FaultyStore, s3_endpoint: str, tmp_path: Path) -> Storage:
    made = _storage(proxy.url, new_bucket(s3_endpoint), tmp_path)
    for path in ("v/a", "v/b"):
        made.write(path, io.BytesIO(b"data"), content_type=TYPE)
    return made


def _storage(endpoint: str, bucket: str, work_dir: Path) -> Storage:
    args = {"endpoint_url": endpoint, "key": KEY, "secret": SECRET}
    url = f"s3://{bucket}/prefix"
    return make_storage(url, args=args, min_free_bytes=None, work_dir=work_dir)


def _paths(storage: Storage) -> list[str]:
    return sorted(info.path for info in storage.walk("v"))


def test_a_removal_that_is_refused_within_a_200_is_none(
    bucket: Storage, proxy: FaultyStore
) -> None:
    proxy.kept = "AccessDenied"

    with pytest.raises(StorageRefusedError, match="AccessDenied") as refused:
        bucket.delete_tree("v")

    assert refused.value.said == "Not by you."
    assert "Not by you" not in refused.value.detail
    assert _paths(bucket) == ["v/a", "v/b"]
    proxy.kept = None
    assert bucket.delete_tree("v") == 2
    assert _paths(bucket) == []


def test_a_removal_that_fails_within_a_200_is_tried_again(
    bucket: Storage, proxy: FaultyStore
) -> None:
    proxy.kept = "InternalError"

    with pytest.raises(UnavailableError, match="InternalError") as failed:
        bucket.delete_tree("v")

    assert not isinstance(failed.value, StorageRefusedError)


def test_a_page_in_the_place_of_a_list_is_no_empty_list(
    bucket: Storage, proxy: FaultyStore
) -> None:
    proxy.has_pages = True

    with pytest.raises(UnavailableError, match="no list"):
        _paths(bucket)
    with pytest.raises(UnavailableError, match="no list"):
        bucket.delete_tree("v")

    proxy.has_pages = False
    assert _paths(bucket) == ["v/a", "v/b"]


def test_a_page_in_the_place_of_removals_removes_nothing(
    bucket: Storage, proxy: FaultyStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = list(bucket.walk("v"))
    # The list came before the proxy was being repaired.
    monkeypatch.setattr(type(bucket), "walk", lambda *_: iter(found))
    proxy.has_pages = True

    with pytest.raises(UnavailableError, match="does not say"):
        bucket.delete_tree("v")


@pytest.mark.parametrize("code", ["NotImplemented", "MissingContentMD5"])
def test_a_store_that_takes_no_bulk_deletes_is_asked_for_each_object(
    bucket: Storage, proxy: FaultyStore, code: str
) -> None:
    proxy.takes_no_bulk = code

    assert bucket.delete_tree("v") == 2
    assert _paths(bucket) == []


def test_a_store_without_bulk_deletes_is_not_believed_either(
    bucket: Storage, proxy: FaultyStore
) -> None:
    proxy.takes_no_bulk = "NotImplemented"
    proxy.kept = "AccessDenied"

    with pytest.raises(StorageRefusedError, match="AccessDenied"):
        bucket.delete_tree("v")
    assert _paths(bucket) == ["v/a", "v/b"]


def test_a_missing_bucket_is_no_missing_object(
    proxy: FaultyStore, tmp_path: Path
) -> None:
    missing = _storage(proxy.url, "missing", tmp_path)

    with pytest.raises(UnavailableError, match="no such bucket"):
        missing.stat("v/a")
    for start, end in ((0, None), (1, 3)):
        with pytest.raises(UnavailableError, match=r"no such bucket"):
            missing.open("v/a", start=start, end=end)
    with pytest.raises(UnavailableError, match=r"no such bucket \(NoSuchBucket\)"):
        list(missing.walk("v"))


def test_a_bucket_is_asked_for_once_for_many_absent_objects(
    bucket: Storage, proxy: FaultyStore
) -> None:
    asked = []

    def note(method: str, path: str, _: bool) -> None:  # noqa: FBT001 - see FaultyStore
        if (method, path.count("/")) == ("HEAD", 1):
            asked.append(path)

    proxy.strikes = note
    for name in ("x", "y", "z"):
        with pytest.raises(ObjectNotFoundError):
            bucket.stat(f"v/{name}")

    assert len(asked) == 1


def test_an_object_is_absent_for_a_key_that_may_not_look_at_the_bucket(
    bucket: Storage, proxy: FaultyStore
) -> None:
    proxy.strikes = lambda method, path, _: (
        Fault.ERROR_403 if (method, path.count("/")) == ("HEAD", 1) else None
    )

    with pytest.raises(ObjectNotFoundError):
        bucket.stat("v/x")


def test_nothing_is_absent_while_the_bucket_cannot_be_asked_for(
    bucket: Storage, proxy: FaultyStore
) -> None:
    proxy.strikes = lambda method, path, _: (
        Fault.ERROR_503 if (method, path.count("/")) == ("HEAD", 1) else None
    )

    with pytest.raises(UnavailableError, match=r"storage (does not answer|fails)"):
        bucket.stat("v/x")


@pytest.fixture
def half(s3_endpoint: str) -> Iterator[HalfAnsweringServer]:
    with half_answering_server(s3_endpoint) as server:
        yield server


@pytest.fixture
def half_answered(
    half: HalfAnsweringServer, s3_endpoint: str, tmp_path: Path
) -> Storage:
    half.answer = None
    made = _storage(half.url, new_bucket(s3_endpoint), tmp_path)
    made.write("v/a", io.BytesIO(b"0123456789"), content_type=TYPE)
    return made


@pytest.mark.parametrize("answer", [PAGE, b"", b"<a/>"])
def test_a_page_in_the_place_of_parts_is_an_outage(
    half: HalfAnsweringServer, half_answered: S3Storage, answer: bytes
) -> None:
    begun = half_answered.begin_parts("v/b", content_type=TYPE)
    half.answer = answer

    for call in (
        lambda: half_answered.begin_parts("v/b", content_type=TYPE),
        lambda: half_answered.uploaded_parts(begun),
        lambda: list(half_answered.parted_writes("v/b")),
    ):
        with pytest.raises(UnavailableError, match=r"does not answer|with no list"):
            call()

    half.answer = None
    assert [one.id for one in half_answered.parted_writes("v/b")] == [begun.id]
    assert half_answered.uploaded_parts(begun) == []


PART: Final = b"<Part><PartNumber>1</PartNumber><Size>5</Size><ETag>x</ETag></Part>"


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        (b"", "no end of the parts"),
        (PART, "no end of the parts"),
        (PART.replace(b"<Size>5</Size>", b""), "does not answer"),
    ],
)
def test_a_list_of_parts_that_goes_on_without_end_or_says_too_little_is_an_outage(
    half: HalfAnsweringServer, half_answered: S3Storage, parts: bytes, words: str
) -> None:
    begun = half_answered.begin_parts("v/b", content_type=TYPE)
    told = b"<IsTruncated>true</IsTruncated>" + parts
    half.answer = b"<ListPartsResult>" + told + b"</ListPartsResult>"

    with pytest.raises(UnavailableError, match=words):
        half_answered.uploaded_parts(begun)
    assert half.requests <= 2


OBJECT: Final = b"<Contents><Key>prefix/v/a</Key><Size>1</Size></Contents>"
TOKEN: Final = b"<NextContinuationToken>next</NextContinuationToken>"


@pytest.mark.parametrize(
    "told",
    [OBJECT, OBJECT + TOKEN, OBJECT.replace(b"Size", b"Sighs"), b"<Contents/>"],
    ids=["no token", "one token", "no size", "no key"],
)
def test_a_list_that_goes_on_without_end_or_says_too_little_is_an_outage(
    half: HalfAnsweringServer, half_answered: S3Storage, told: bytes
) -> None:
    told = b"<IsTruncated>true</IsTruncated>" + told
    half.answer = b"<ListBucketResult>" + told + b"</ListBucketResult>"

    with pytest.raises(UnavailableError, match=r"does not answer|without an end"):
        list(half_answered.walk("v"))
    assert half.requests <= 2


def test_a_page_is_no_object(half: HalfAnsweringServer, half_answered: Storage) -> None:
    for half.answer in (PAGE, b"", b"0123456789"):
        for start, end in ((0, 4), (2, 6), (0, 100)):
            with (
                pytest.raises(UnavailableError, match=r"ignores the|does not answer"),
                half_answered.open("v/a", start=start, end=end) as file,
            ):
                file.read()
        with pytest.raises(UnavailableError, match="does not answer"):
            half_answered.stat("v/a")

    half.answer = None
    with half_answered.open("v/a", start=2, end=100) as file:
        assert file.read() == b"23456789"
