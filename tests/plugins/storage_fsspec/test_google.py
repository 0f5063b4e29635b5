"""
A bucket of Google to which others send bytes themselves, before a door that checks.
"""

import base64
import io
import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
import urllib3
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA256
from google.auth import compute_engine

from hvcore.plugin_api import (
    ObjectNotFoundError,
    SupportsPartedWrite,
    SupportsPresignedWrite,
    UnavailableError,
)
from hvcore_storage_fsspec import google
from hvcore_storage_fsspec.backend import make_storage
from hvcore_storage_fsspec.google import GoogleStorage
from tests.support.stores.google_store import (
    ACCOUNT,
    TOKEN,
    account_key,
    canonical_request,
    google_args,
    new_google_bucket,
)
from tests.support.stores.half_answers import (
    HALF_ANSWERS,
    PAGE,
    HalfAnsweringServer,
    half_answering_server,
)

MP4 = "video/mp4"
DATA = b"0123456789"


@pytest.fixture
def bucket(google_store: str, tmp_path: Path) -> GoogleStorage:
    name = new_google_bucket(google_store)
    return _storage(tmp_path, name, **google_args(tmp_path, google_store))


def _storage(folder: Path, name: str, **args: object) -> GoogleStorage:
    made = make_storage(
        f"gs://{name}/here", args=args, min_free_bytes=None, work_dir=folder
    )
    assert isinstance(made, GoogleStorage)
    return made


def _put(
    http: urllib3.PoolManager, url: str, data: bytes = DATA, content_type: str = MP4
) -> int:
    return http.request(
        "PUT", url, body=data, headers={"Content-Type": content_type}
    ).status


def test_a_bucket_takes_bytes_from_others(bucket: GoogleStorage) -> None:
    assert isinstance(bucket, SupportsPresignedWrite)
    assert not isinstance(bucket, SupportsPartedWrite)
    assert bucket.can_presign_writes
    assert bucket.can_presign


def test_without_an_account_nothing_can_be_signed(tmp_path: Path) -> None:
    made = _storage(tmp_path, "public", token="anon", project="tests")

    assert not made.can_presign_writes
    assert not made.can_presign


def test_what_is_sent_to_the_address_is_the_object(
    bucket: GoogleStorage, http: urllib3.PoolManager
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
    bucket: GoogleStorage, http: urllib3.PoolManager, data: bytes, content_type: str
) -> None:
    address = bucket.write_address("a/b", content_type=MP4, size_bytes=10, valid_s=60)

    assert _put(http, address.url, data, content_type) == 403
    with pytest.raises(ObjectNotFoundError):
        bucket.stat("a/b")


def test_an_address_is_for_one_object_and_one_thing(
    bucket: GoogleStorage, http: urllib3.PoolManager
) -> None:
    address = bucket.write_address("a/b", content_type=MP4, size_bytes=10, valid_s=60)
    _put(http, address.url)

    assert _put(http, address.url.replace("/a/b", "/a/c")) == 403
    assert http.request("GET", address.url).status == 403
    assert _put(http, bucket.presigned_url("a/b", valid_s=60)) == 403


def test_an_address_says_how_long_it_is_good_for(bucket: GoogleStorage) -> None:
    address = bucket.write_address("a", content_type=None, size_bytes=None, valid_s=60)

    query = parse_qs(urlsplit(address.url).query)
    assert query["X-Goog-Algorithm"] == ["GOOG4-RSA-SHA256"]
    assert query["X-Goog-Expires"] == ["60"]
    assert query["X-Goog-SignedHeaders"] == ["host"]
    assert not address.binds_type
    assert not address.binds_size


def test_an_object_is_read_by_its_address(
    bucket: GoogleStorage, http: urllib3.PoolManager
) -> None:
    bucket.write("a/b", io.BytesIO(DATA), content_type=MP4)
    url = bucket.presigned_url("a/b", valid_s=60)

    answer = http.request("GET", url, headers={"Range": "bytes=2-4"})

    assert (answer.status, answer.data) == (206, b"234")


def test_a_copy_has_a_type_of_its_own_and_stays_as_it_is(
    bucket: GoogleStorage, http: urllib3.PoolManager
) -> None:
    address = bucket.write_address("a/b", content_type=MP4, size_bytes=10, valid_s=60)
    _put(http, address.url)

    copied = bucket.copy("a/b", "a/c", content_type="video/iso.segment")
    _put(http, address.url, b"9876543210")

    assert (copied.size_bytes, copied.content_type) == (10, "video/iso.segment")
    with bucket.open("a/c") as file:
        assert file.read() == DATA


def test_a_copy_of_what_has_changed_is_not_made(
    bucket: GoogleStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    bucket.write("a", io.BytesIO(DATA), content_type=MP4)
    stat = bucket.stat

    def changes(path: str) -> object:
        found = stat(path)
        monkeypatch.undo()
        bucket.write("a", io.BytesIO(DATA[::-1]), content_type=MP4)
        return found

    monkeypatch.setattr(bucket, "stat", changes)

    with pytest.raises(UnavailableError, match="changed"):
        bucket.copy("a", "b", content_type=MP4)
    with pytest.raises(ObjectNotFoundError):
        bucket.stat("b")


def test_a_tag_tells_one_writing_from_another(bucket: GoogleStorage) -> None:
    first = bucket.write("a", io.BytesIO(DATA), content_type=MP4)
    second = bucket.write("a", io.BytesIO(DATA), content_type=MP4)

    assert first.tag != second.tag
    assert [info.tag for info in bucket.walk("a")] == [second.tag]


def test_google_signs_for_an_account_whose_key_is_not_here(
    bucket: GoogleStorage, http: urllib3.PoolManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What a machine of Google's has.
    account = compute_engine.Credentials(
        service_account_email=ACCOUNT, universe_domain="googleapis.com"
    )
    account.token = TOKEN
    asked = []

    def sign(text: str, token: str, email: str, *_: object) -> str:
        asked.append((token, email))
        signed = account_key().sign(text.encode(), PKCS1v15(), SHA256())
        return base64.b64encode(signed).decode()

    # Google's service that signs; it has one address for all.
    monkeypatch.setattr("google.cloud.storage._signing._sign_message", sign)
    monkeypatch.setattr(bucket._fs.credentials, "credentials", account)

    assert bucket.can_presign_writes
    address = bucket.write_address("a", content_type=MP4, size_bytes=10, valid_s=60)

    assert asked == [(TOKEN, ACCOUNT)]
    assert _put(http, address.url) == 200


def test_an_address_that_google_does_not_sign_in_time_is_not_waited_for(
    bucket: GoogleStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    account = compute_engine.Credentials(
        service_account_email=ACCOUNT, universe_domain="googleapis.com"
    )
    account.token = TOKEN
    answered = threading.Event()
    monkeypatch.setattr(
        "google.cloud.storage._signing._sign_message", lambda *_: answered.wait(30)
    )
    monkeypatch.setattr(bucket._fs.credentials, "credentials", account)
    monkeypatch.setattr(google, "ANSWER_S", 0.1)
    began_at = time.monotonic()

    with pytest.raises(UnavailableError, match="does not answer"):
        bucket.presigned_url("a", valid_s=60)

    assert time.monotonic() - began_at < 5
    answered.set()


def test_the_door_follows_the_published_rules() -> None:
    # The example of Google's documentation, with what is sent beside it.
    target = (
        "/example-bucket/cat.jpeg?X-Goog-Algorithm=GOOG4-RSA-SHA256"
        "&X-Goog-Credential=example%40example-project.iam.gserviceaccount.com"
        "%2F20181026%2Fus-central1%2Fstorage%2Fgoog4_request"
        "&X-Goog-Date=20181026T181309Z&X-Goog-Expires=900"
        "&X-Goog-SignedHeaders=host&X-Goog-Signature=247a"
    )

    assert canonical_request(
        "GET", target, {"Host": "storage.googleapis.com", "Accept": "*/*"}
    ) == (
        "GET\n"
        "/example-bucket/cat.jpeg\n"
        "X-Goog-Algorithm=GOOG4-RSA-SHA256&X-Goog-Credential=example%40example-project"
        ".iam.gserviceaccount.com%2F20181026%2Fus-central1%2Fstorage%2Fgoog4_request"
        "&X-Goog-Date=20181026T181309Z&X-Goog-Expires=900&X-Goog-SignedHeaders=host\n"
        "host:storage.googleapis.com\n"
        "\n"
        "host\n"
        "UNSIGNED-PAYLOAD"
    )


@pytest.fixture
def half(google_store: str) -> Iterator[HalfAnsweringServer]:
    with half_answering_server(google_store) as server:
        server.is_meant = lambda _, target: target != "/token"
        yield server


@pytest.fixture
def half_answered(
    half: HalfAnsweringServer, google_store: str, tmp_path: Path
) -> GoogleStorage:
    half.answer = None
    name = new_google_bucket(google_store)
    made = _storage(tmp_path, name, **google_args(tmp_path, half.url))
    made.write("v/a", io.BytesIO(DATA), content_type=MP4)
    return made


def test_half_of_what_google_says_of_an_object_is_an_outage(
    half: HalfAnsweringServer, half_answered: GoogleStorage
) -> None:
    whole = {"size": "10", "updated": "2026-01-01T00:00:00Z", "generation": "1"}
    halves = [{**whole, name: None} for name in ("size", "updated")]
    halves += [{name: whole[name] for name in whole if name != left} for left in whole]
    told = [json.dumps(one).encode() for one in halves]
    for half.answer in (*HALF_ANSWERS, *told):
        with pytest.raises(UnavailableError, match="does not answer"):
            half_answered.stat("v/a")


def test_a_page_in_the_place_of_bytes_of_google_is_an_outage(
    half: HalfAnsweringServer, half_answered: GoogleStorage
) -> None:
    for half.answer in (PAGE, b"", DATA):
        for start, end in ((0, 4), (2, 6), (0, 100)):
            with (
                pytest.raises(UnavailableError, match=r"ignores the|does not answer"),
                half_answered.open("v/a", start=start, end=end) as file,
            ):
                file.read()

    half.answer = None
    with half_answered.open("v/a", start=2, end=100) as file:
        assert file.read() == DATA[2:]


@pytest.mark.parametrize(
    ("more", "words"),
    [({}, "does not answer"), ({"totalBytesRewritten": "5"}, "not go on copying")],
)
def test_a_copy_of_google_that_does_not_go_on_has_an_end(
    half: HalfAnsweringServer,
    half_answered: GoogleStorage,
    more: dict[str, str],
    words: str,
) -> None:
    half.answer = json.dumps({"done": False, "rewriteToken": "x", **more}).encode()
    half.is_meant = lambda _, target: "/rewriteTo/" in target

    with pytest.raises(UnavailableError, match=words):
        half_answered.copy("v/a", "v/b", content_type=MP4)

    assert half.requests <= 2
