"""
A bucket to which others send bytes themselves, in a store that checks signatures.
"""

import io
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
import urllib3

from hvcore.plugin_api import (
    ObjectNotFoundError,
    SupportsPartedWrite,
    SupportsPresignedWrite,
    UnavailableError,
)
from hvcore_storage_fsspec.backend import make_storage
from hvcore_storage_fsspec.s3 import S3Storage
from tests.support.stores.object_store import (
    KEY,
    SECRET,
    SWIFT_KEY,
    SWIFT_SECRET,
    new_swift_bucket,
    s3_client,
)

MP4 = "video/mp4"
DATA = b"0123456789"
PART_BYTES = 5 * 1024 * 1024


@pytest.fixture
def bucket(swift: str, tmp_path: Path) -> S3Storage:
    return _storage(swift, tmp_path, new_swift_bucket(swift))


def _storage(endpoint: str, folder: Path, bucket: str, **args: object) -> S3Storage:
    made = make_storage(
        f"s3://{bucket}/here",
        args={
            "endpoint_url": endpoint,
            "key": SWIFT_KEY,
            "secret": SWIFT_SECRET,
            "client_kwargs": {"region_name": "us-east-1"},
            **args,
        },
        min_free_bytes=None,
        work_dir=folder,
    )
    assert isinstance(made, S3Storage)
    return made


def _put(
    http: urllib3.PoolManager, url: str, data: bytes = DATA, content_type: str = MP4
) -> int:
    return http.request(
        "PUT", url, body=data, headers={"Content-Type": content_type}
    ).status


def test_a_bucket_takes_bytes_from_others(bucket: S3Storage) -> None:
    assert isinstance(bucket, SupportsPresignedWrite)
    assert isinstance(bucket, SupportsPartedWrite)
    assert bucket.can_presign_writes
    assert bucket.can_presign_parts


def test_without_a_key_nothing_can_be_signed(swift: str, tmp_path: Path) -> None:
    made = make_storage(
        "s3://public", args={"anon": True}, min_free_bytes=None, work_dir=tmp_path
    )

    assert isinstance(made, S3Storage)
    assert not made.can_presign_writes
    assert not made.can_presign_parts


def test_what_is_sent_to_the_address_is_the_object(
    bucket: S3Storage, http: urllib3.PoolManager
) -> None:
    address = bucket.write_address("a/b", content_type=MP4, size_bytes=10, valid_s=60)

    assert _put(http, address.url) == 200
    found = bucket.stat("a/b")
    assert (found.size_bytes, found.content_type) == (10, MP4)
    assert (address.binds_type, address.binds_size) == (True, True)
    assert "Signature" not in repr(address)


@pytest.mark.parametrize(
    ("data", "content_type"),
    [(DATA[:-1], MP4), (DATA + b"x", MP4), (DATA, "video/webm"), (DATA, "text/html")],
)
def test_another_type_or_length_is_refused(
    bucket: S3Storage, http: urllib3.PoolManager, data: bytes, content_type: str
) -> None:
    address = bucket.write_address("a/b", content_type=MP4, size_bytes=10, valid_s=60)

    assert _put(http, address.url, data, content_type) == 403
    with pytest.raises(ObjectNotFoundError):
        bucket.stat("a/b")


def test_an_address_is_for_one_object(
    bucket: S3Storage, http: urllib3.PoolManager
) -> None:
    address = bucket.write_address("a/b", content_type=MP4, size_bytes=10, valid_s=60)

    assert _put(http, address.url.replace("/a/b", "/a/c")) == 403


def test_an_address_says_how_long_it_is_good_for(bucket: S3Storage) -> None:
    address = bucket.write_address("a", content_type=None, size_bytes=None, valid_s=60)

    query = parse_qs(urlsplit(address.url).query)
    assert query["X-Amz-Expires"] == ["60"]
    assert not address.binds_type
    assert not address.binds_size


def test_a_signature_of_version_2_binds_no_length(swift: str, tmp_path: Path) -> None:
    bucket = _storage(swift, tmp_path, "any", config_kwargs={"signature_version": "s3"})

    address = bucket.write_address("a", content_type=MP4, size_bytes=10, valid_s=60)

    assert not address.binds_size


def test_addresses_are_signed_for_the_region_in_which_the_bucket_is(
    s3_endpoint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As AWS: no endpoint is set, and none of its usual settings names a region.
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", s3_endpoint)
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    s3_client(s3_endpoint).create_bucket(
        Bucket="in-frankfurt",
        CreateBucketConfiguration={"LocationConstraint": "eu-central-1"},
    )

    made = make_storage(
        "s3://in-frankfurt/here",
        args={"key": KEY, "secret": SECRET},
        min_free_bytes=None,
        work_dir=tmp_path,
    )

    assert isinstance(made, S3Storage)
    address = made.write_address("a", content_type=None, size_bytes=None, valid_s=60)
    assert "/eu-central-1/s3/aws4_request" in unquote(address.url)
    assert "/eu-central-1/" in unquote(made.presigned_url("a", valid_s=60))


def test_a_copy_that_loses_its_source_meanwhile_is_thrown_away(
    bucket: S3Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    bucket.write("a", io.BytesIO(DATA), content_type=MP4)
    stat = bucket.stat

    def goes(path: str) -> object:
        found = stat(path)
        if path == "b":
            bucket.delete_tree("a")
        return found

    monkeypatch.setattr(bucket, "stat", goes)

    with pytest.raises(ObjectNotFoundError):
        bucket.copy("a", "b", content_type=MP4)
    monkeypatch.undo()
    assert list(bucket.walk("b")) == []


def test_a_copy_stays_as_it_is_when_others_write_again(
    bucket: S3Storage, http: urllib3.PoolManager
) -> None:
    address = bucket.write_address("a/b", content_type=MP4, size_bytes=10, valid_s=60)
    _put(http, address.url)

    copied = bucket.copy("a/b", "a/c", content_type=MP4)
    _put(http, address.url, b"9876543210")

    assert (copied.path, copied.size_bytes, copied.content_type) == ("a/c", 10, MP4)
    with bucket.open("a/c") as file:
        assert file.read() == DATA


def test_nothing_cannot_be_copied(bucket: S3Storage) -> None:
    with pytest.raises(ObjectNotFoundError):
        bucket.copy("a", "b", content_type=MP4)
    assert list(bucket.walk("b")) == []


def test_a_copy_of_what_changes_meanwhile_is_thrown_away(
    bucket: S3Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    bucket.write("a", io.BytesIO(DATA), content_type=MP4)
    stat = bucket.stat

    def changes(path: str) -> object:
        found = stat(path)
        if path == "b":
            bucket.write("a", io.BytesIO(DATA[::-1]), content_type=MP4)
        return found

    monkeypatch.setattr(bucket, "stat", changes)

    with pytest.raises(UnavailableError, match="changed"):
        bucket.copy("a", "b", content_type=MP4)
    monkeypatch.undo()
    with pytest.raises(ObjectNotFoundError):
        bucket.stat("b")


def test_parts_are_an_object_once_they_are_joined(
    bucket: S3Storage, http: urllib3.PoolManager
) -> None:
    begun = bucket.begin_parts("a/b", content_type=MP4)
    bodies = {1: b"x" * PART_BYTES, 2: b"y" * 7}
    for number, body in bodies.items():
        address = bucket.part_address(begun, number, size_bytes=len(body), valid_s=60)
        assert address.binds_size
        assert http.request("PUT", address.url, body=body[1:]).status == 403
        assert http.request("PUT", address.url, body=body).status == 200

    arrived = bucket.uploaded_parts(begun)
    assert [(p.number, p.size_bytes) for p in arrived] == [(1, PART_BYTES), (2, 7)]
    with pytest.raises(ObjectNotFoundError):
        bucket.stat("a/b")
    bucket.join_parts(begun, arrived)

    found = bucket.stat("a/b")
    assert (found.size_bytes, found.content_type) == (PART_BYTES + 7, MP4)
    assert list(bucket.parted_writes("a/b")) == []


def test_what_was_begun_in_parts_can_be_found_and_ended(bucket: S3Storage) -> None:
    begun = bucket.begin_parts("a/b", content_type=MP4)
    other = bucket.begin_parts("a/bc", content_type=MP4)

    found = list(bucket.parted_writes("a/b"))
    assert [one.id for one in found] == [begun.id]
    bucket.end_parts(begun)
    bucket.end_parts(begun)

    assert list(bucket.parted_writes("a/b")) == []
    assert [one.id for one in bucket.parted_writes("a/bc")] == [other.id]
    with pytest.raises(ObjectNotFoundError):
        bucket.uploaded_parts(begun)
