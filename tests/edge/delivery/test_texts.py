"""
Playlists and captions are kept at the edge, and given with the token that asked.
"""

import gzip
from io import BytesIO

import pytest

from hvcore.manifests import hls
from tests.conftest import SettableClock
from tests.delivery.test_app import (
    outcome,
)
from tests.edge.edge_site import EdgeSite, WorkerBehindEdge
from tests.support.http.delivery_worker import PRIVATE_PATH, PUBLIC_PATH
from tests.support.media_samples import ROOT, index, segments, video_track

pytestmark = pytest.mark.services


def test_a_text_is_asked_for_once_for_all_tokens(private: WorkerBehindEdge) -> None:
    address = f"{PRIVATE_PATH}/video-720p.m3u8"
    private.get(address, f"token={private.token()}")
    private.directory.asked.clear()

    for _ in range(20):
        result = private.get(address, f"token={private.token()}")
        assert outcome(result) == (200, "")

    assert len(private.directory.asked) < 8


def lengthen(worker: WorkerBehindEdge) -> None:
    """
    Make the video one of twelve hours.
    """
    media = index(video_track(of=segments([1000] * 7200)))
    root = f"{ROOT}-long"
    for name, text in hls.playlists(media).items():
        worker.storage.write(f"{root}/{name}", BytesIO(text.encode()), content_type="")
    worker.change(load_media=lambda: media, media_root=root)


def test_a_long_text_is_that_of_the_service_with_every_token(
    private: WorkerBehindEdge,
) -> None:
    lengthen(private)
    address = f"{PRIVATE_PATH}/video-720p.m3u8"
    page = {"Origin": "https://example.com"}
    domains = [f"{number}.example.com" for number in range(100)]
    for more in ({}, {}, {"domains": ["example.com", *domains]}):
        query = f"token={private.token(**more)}"
        alone = private.client.simulate_get(address, query_string=query, headers=page)
        for headers in (page, {**page, "Accept-Encoding": "gzip;q=0, br"}):
            through = private.get(address, query, headers)
            assert through.content == alone.content
            assert through.headers["content-length"] == str(len(alone.content))
        head = private.get(address, query, page, method="HEAD")
        assert head.headers["content-length"] == str(len(alone.content))


def test_a_long_text_is_compressed_by_the_service_once(
    private: WorkerBehindEdge,
) -> None:
    lengthen(private)
    address = f"{PRIVATE_PATH}/video-720p.m3u8"
    for _ in range(3):
        query = f"token={private.token()}"
        plain = private.get(address, query)

        packed = private.get(address, query, {"Accept-Encoding": "gzip, br"})

        assert packed.headers["content-encoding"] == "gzip"
        # nginx tells no length of what it compresses itself.
        assert int(packed.headers["content-length"]) == len(packed.content)
        assert gzip.decompress(packed.content) == plain.content


def test_the_playlist_of_the_longest_video_is_kept_too(
    private: WorkerBehindEdge,
) -> None:
    lengthen(private)
    address, query = f"{PRIVATE_PATH}/video-720p.m3u8", f"token={private.token()}"
    assert private.get(address, query).text.count("token=") == 7201
    private.directory.asked.clear()

    for _ in range(10):
        assert outcome(private.get(address, query)) == (200, "")

    assert len(private.directory.asked) < 8


def test_the_entity_tag_of_a_text_differs_with_text_and_token(
    private: WorkerBehindEdge,
) -> None:
    tags = set()
    for query in (f"token={private.token()}" for _ in range(2)):
        for file in ("video-720p.m3u8", "video-360p.m3u8"):
            path = f"{PRIVATE_PATH}/{file}"
            head = private.get(path, query, method="HEAD")
            whole = private.get(path, query)
            assert head.headers["etag"] == whole.headers["etag"]
            assert head.headers["content-length"] == str(len(whole.content))
            assert head.content == b""
            tags.add(whole.headers["etag"])

    assert len(tags) == 4


def test_a_text_with_a_token_is_compressed_for_who_takes_that(
    private: WorkerBehindEdge,
) -> None:
    query = f"token={private.token()}"
    address = f"{PRIVATE_PATH}/video-720p.m3u8"
    plain = private.get(address, query, {"Accept-Encoding": "gzip;q=0, br"})

    packed = private.get(address, query, {"Accept-Encoding": "br, gzip"})

    assert "content-encoding" not in plain.headers
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.headers["vary"] == "Accept-Encoding"
    assert gzip.decompress(packed.content) == plain.content
    # Of one text, and not the same bytes.
    assert packed.headers["etag"] == f"W/{plain.headers['etag']}"


@pytest.mark.parametrize("shown", ["{}", "W/{}", '"x", {}', "*"])
def test_a_text_that_the_client_has_is_not_sent(
    private: WorkerBehindEdge, shown: str
) -> None:
    query = f"token={private.token()}"
    address = f"{PRIVATE_PATH}/video-720p.m3u8"
    tag = private.get(address, query).headers["etag"]

    again = private.get(address, query, {"If-None-Match": shown.format(tag)})
    other = private.get(address, query, {"If-None-Match": '"another"'})

    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == tag
    assert again.headers["vary"] == "Accept-Encoding"
    assert outcome(other) == (200, "")


def test_a_playlist_carries_the_token_that_asked_for_it(
    private: WorkerBehindEdge,
) -> None:
    tokens = [private.token() for _ in range(2)]

    for token in (*tokens, *tokens):
        text = private.get(f"{PRIVATE_PATH}/video-360p.m3u8", f"token={token}").text
        assert text.count(token) == text.count("token=") > 2


@pytest.mark.parametrize("first", ["identity", "gzip", ""])
def test_a_playlist_is_kept_under_the_coding_it_has(
    local: EdgeSite, clock: SettableClock, first: str
) -> None:
    worker = local.worker(clock, is_public=True)
    other = "identity" if first == "gzip" else "gzip"
    address = f"{PUBLIC_PATH}/video-720p.m3u8"

    # Of two headers nginx and the service need not see the same one.
    worker.send(address, [("Accept-Encoding", first), ("Accept-Encoding", other)])

    for coding in (first, other):
        result = worker.get(address, "", {"Accept-Encoding": coding})
        expected = "gzip" if coding == "gzip" else None
        assert result.headers.get("content-encoding") == expected
