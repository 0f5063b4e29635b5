"""
Ranges, validators and compression (RFC 9110).
"""

import gzip
from pathlib import Path

import pytest
from falcon.testing import Result

from hvcore_web.files import BoundedFile, LocalFile
from tests.conftest import SettableClock
from tests.support.http.delivery_worker import (
    PUBLIC_PATH,
    WAYS,
    DeliveryWorker,
    worker_by,
)

SEGMENT = f"{PUBLIC_PATH}/video/360p/0.m4s"
PLAYLIST = f"{PUBLIC_PATH}/video-360p.m3u8"
CONTENT = b"video/360p 0 " * 100
SIZE = len(CONTENT)


@pytest.fixture(params=WAYS)
def worker(
    request: pytest.FixtureRequest, clock: SettableClock, tmp_path: Path
) -> DeliveryWorker:
    return worker_by(request.param, clock, tmp_path, is_public=True)


def ranged(worker: DeliveryWorker, value: str, **more: str) -> Result:
    headers = {"Range": value, **{k.replace("_", "-"): v for k, v in more.items()}}
    return worker.get(SEGMENT, headers=headers)


@pytest.mark.parametrize(
    ("value", "start", "end"),
    [
        ("bytes=0-0", 0, 1),
        ("bytes=0-", 0, SIZE),
        ("bytes=10-19", 10, 20),
        ("bytes=1200-99999999", 1200, SIZE),
        ("bytes=1299-", 1299, SIZE),
        ("bytes=-1", SIZE - 1, SIZE),
        ("bytes=-99999", 0, SIZE),
        ("BYTES = 5-6", 5, 7),
    ],
)
def test_one_range_is_answered_with_that_part(
    worker: DeliveryWorker, value: str, start: int, end: int
) -> None:
    result = ranged(worker, value)

    assert result.status_code == 206
    assert result.content == CONTENT[start:end]
    assert result.headers["content-range"] == f"bytes {start}-{end - 1}/{SIZE}"
    assert result.headers["content-length"] == str(end - start)
    assert result.headers["accept-ranges"] == "bytes"
    assert result.headers["etag"] == worker.get(SEGMENT).headers["etag"]


@pytest.mark.parametrize(
    "value", ["bytes=1300-", "bytes=1300-1400", "bytes=-0", f"bytes={'9' * 30}-"]
)
def test_a_range_behind_the_end_is_refused(worker: DeliveryWorker, value: str) -> None:
    result = ranged(worker, value)

    assert result.status_code == 416
    assert result.json["code"] == "range_not_satisfiable"
    assert result.headers["content-range"] == f"bytes */{SIZE}"
    assert "etag" not in result.headers


@pytest.mark.parametrize(
    "value",
    [
        "",
        "bytes",
        "bytes=",
        "bytes=-",
        "bytes=5-4",
        "bytes=a-b",
        "bytes=1-2,4-5",
        "bytes=0-0,-1",
        "bytes=0x1-2",
        "bytes=+1-2",
        "bytes=1.5-2",
        "bytes=--1",
        "bytes=1--2",
        "lines=1-2",
        "bytes=1-2;x",
        "bytes=٣-٤".encode().decode("latin-1"),
        f"bytes={'9' * 5000}-",
    ],
)
def test_a_header_without_a_single_range_is_answered_with_the_whole_file(
    worker: DeliveryWorker, value: str
) -> None:
    result = ranged(worker, value)

    assert result.status_code == 200
    assert result.content == CONTENT
    assert "content-range" not in result.headers


def test_a_range_of_another_version_is_answered_with_the_whole(
    worker: DeliveryWorker,
) -> None:
    etag = worker.get(SEGMENT).headers["etag"]

    assert ranged(worker, "bytes=0-1", If_Range=etag).status_code == 206
    for other in ('"x"', f"W/{etag}", "Fri, 02 Jan 2026 03:04:05 GMT", "*", ""):
        assert ranged(worker, "bytes=0-1", If_Range=other).status_code == 200


def test_a_known_version_is_not_sent_again(worker: DeliveryWorker) -> None:
    for address in (SEGMENT, PLAYLIST):
        first = worker.get(address)
        etag = first.headers["etag"]
        assert etag.startswith('"')
        for value in (etag, f"W/{etag}", f'"x", {etag}', "*"):
            again = worker.get(address, headers={"If-None-Match": value})
            assert again.status_code == 304
            assert again.content == b""
            assert again.headers["etag"] == etag
            assert again.headers["cache-control"] == first.headers["cache-control"]
            assert "content-type" not in again.headers
        for value in ('"x"', etag.strip('"'), ""):
            again = worker.get(address, headers={"If-None-Match": value})
            assert again.status_code == 200


def test_a_known_version_wins_over_a_range(worker: DeliveryWorker) -> None:
    etag = worker.get(SEGMENT).headers["etag"]

    assert ranged(worker, "bytes=0-1", If_None_Match=etag).status_code == 304


def test_different_bytes_have_different_tags(worker: DeliveryWorker) -> None:
    addresses = ["master.m3u8", "video-360p.m3u8", "video/360p/0.m4s", "audio/0.m4s"]

    tags = {worker.get(f"{PUBLIC_PATH}/{a}").headers["etag"] for a in addresses}

    assert len(tags) == len(addresses)


def test_a_head_answers_as_a_get_without_its_body(worker: DeliveryWorker) -> None:
    for address in (SEGMENT, PLAYLIST):
        whole = worker.get(address)
        head = worker.get(address, method="HEAD")

        assert head.status_code == 200
        assert head.content == b""
        for name in ("content-length", "content-type", "etag", "cache-control"):
            assert head.headers[name] == whole.headers[name]
    # RFC 9110, section 14.2: Range is defined for GET alone.
    head = worker.get(SEGMENT, headers={"Range": "bytes=0-1"}, method="HEAD")
    assert head.status_code == 200
    assert head.headers["content-length"] == str(SIZE)


def test_a_head_of_an_error_says_the_same(worker: DeliveryWorker) -> None:
    assert worker.get(f"{PUBLIC_PATH}/nothing", method="HEAD").status_code == 404


@pytest.mark.parametrize(
    "accepted",
    ["gzip", "GZIP", "br, gzip", "gzip;q=0.1", "*", "deflate;q=0, *;q=0.5", "x-gzip"],
)
def test_a_playlist_is_compressed_when_asked(
    worker: DeliveryWorker, accepted: str
) -> None:
    plain = worker.get(PLAYLIST)

    result = worker.get(PLAYLIST, headers={"Accept-Encoding": accepted})

    assert result.headers["content-encoding"] == "gzip"
    assert gzip.decompress(result.content) == plain.content
    assert result.headers["content-length"] == str(len(result.content))
    assert result.headers["etag"] != plain.headers["etag"]
    assert result.headers["vary"] == plain.headers["vary"] == "Accept-Encoding"


@pytest.mark.parametrize(
    "accepted", ["", "identity", "gzip;q=0", "br", "*;q=0", "gzip;q=0, *", "gzipped"]
)
def test_a_playlist_is_not_compressed_unasked(
    worker: DeliveryWorker, accepted: str
) -> None:
    result = worker.get(PLAYLIST, headers={"Accept-Encoding": accepted})

    assert "content-encoding" not in result.headers
    assert result.text.startswith("#EXTM3U")


def test_the_tag_of_the_compressed_form_is_known_again(worker: DeliveryWorker) -> None:
    compressed = {"Accept-Encoding": "gzip"}
    etag = worker.get(PLAYLIST, headers=compressed).headers["etag"]

    again = worker.get(PLAYLIST, headers={**compressed, "If-None-Match": etag})
    assert again.status_code == 304
    assert again.headers["vary"] == "Accept-Encoding"
    plain = worker.get(PLAYLIST, headers={"If-None-Match": etag})
    assert plain.status_code == 200


def test_segments_are_never_compressed(worker: DeliveryWorker) -> None:
    result = worker.get(SEGMENT, headers={"Accept-Encoding": "gzip"})

    assert "content-encoding" not in result.headers
    assert "vary" not in result.headers


def test_a_range_of_a_playlist_is_one_of_its_plain_text(worker: DeliveryWorker) -> None:
    headers = {"Range": "bytes=0-6", "Accept-Encoding": "gzip"}

    result = worker.get(PLAYLIST, headers=headers)

    assert result.status_code == 206
    assert result.content == b"#EXTM3U"


def test_a_server_can_send_a_part_of_a_local_file_by_itself(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"0123456789")
    file = path.open("rb", buffering=0)
    file.seek(3)
    part = LocalFile(file, 4)

    assert part.fileno() == file.fileno()
    assert part.read(2) == b"34"
    assert part.read() == b"56"
    assert part.read() == b""
    assert part.seek(0) == 0
    part.close()
    assert file.closed


def test_a_part_ends_where_it_should(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"0123456789")
    with path.open("rb") as file:
        part = BoundedFile(file, 3)

        assert part.read(100) == b"012"
        assert part.read(None) == b""
        assert not hasattr(part, "fileno")
