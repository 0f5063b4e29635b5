"""
The first pictures of segments, as players load them while a viewer scrubs.
"""

import pytest

from tests.support.http.cinema import Cinema, token_of
from tests.support.http.delivery_worker import (
    PRIVATE_PATH,
    PUBLIC_PATH,
    DeliveryWorker,
)
from tests.support.http.world import World, problem_of
from tests.support.media_samples import FIRST_PICTURE_BYTES

PICTURE = "iframes/360p/1.m4s"
CONTENT = (b"video/360p 1 " * 100)[:FIRST_PICTURE_BYTES]


def test_a_picture_is_the_beginning_of_its_segment(worker: DeliveryWorker) -> None:
    result = worker.get(f"{PUBLIC_PATH}/{PICTURE}")

    assert (result.status_code, result.content) == (200, CONTENT)
    assert result.headers["content-length"] == str(len(CONTENT))
    assert result.headers["content-type"] == "video/mp4"
    assert result.headers["cache-control"] == "public, max-age=31536000, immutable"
    segment = worker.get(f"{PUBLIC_PATH}/video/360p/1.m4s")
    assert result.headers["etag"] != segment.headers["etag"]
    assert segment.content.startswith(CONTENT)


def test_a_part_of_a_picture_ends_where_the_picture_ends(
    worker: DeliveryWorker,
) -> None:
    result = worker.get(f"{PUBLIC_PATH}/{PICTURE}", headers={"Range": "bytes=4-9999"})

    assert (result.status_code, result.content) == (206, CONTENT[4:])
    assert result.headers["content-range"] == f"bytes 4-9/{len(CONTENT)}"
    beyond = worker.get(f"{PUBLIC_PATH}/{PICTURE}", headers={"Range": "bytes=10-"})
    assert beyond.status_code == 416


def test_scrubbing_is_not_watching(worker: DeliveryWorker) -> None:
    for headers in ({}, {"Range": "bytes=0-"}):
        for file in ("iframes-360p.m3u8", "iframes/360p/0.m4s", PICTURE):
            found = worker.get(f"{PUBLIC_PATH}/{file}", headers=headers)
            assert found.status_code in {200, 206}

    assert worker.counted == []


@pytest.mark.parametrize(
    "file",
    [
        "iframes/360p/2.m4s",
        "iframes/360p/init.m4s",
        "iframes/360p/00.m4s",
        "iframes/1080p/0.m4s",
        "iframes/audio/0.m4s",
        "iframes-audio.m3u8",
        "iframes-1080p.m3u8",
        "iframes/../video/360p/0.m4s",
    ],
)
def test_only_pictures_of_rungs_have_addresses(
    worker: DeliveryWorker, file: str
) -> None:
    problem_of(worker.get(f"{PUBLIC_PATH}/{file}"), 404, "not_found")


def test_pictures_of_a_private_video_need_its_token(worker: DeliveryWorker) -> None:
    worker.change(is_public=False)
    query = f"token={worker.token()}"

    master = worker.get(f"{PRIVATE_PATH}/master.m3u8", query)
    playlist = worker.get(f"{PRIVATE_PATH}/iframes-360p.m3u8", query)

    assert f'URI="iframes-360p.m3u8?{query}"' in master.text
    assert f"\n{PICTURE}?{query}\n" in playlist.text
    assert worker.get(f"{PRIVATE_PATH}/{PICTURE}", query).content == CONTENT
    problem_of(worker.get(f"{PRIVATE_PATH}/{PICTURE}"), 401, "unauthorized")
    problem_of(worker.get(f"{PUBLIC_PATH}/{PICTURE}"), 403, "forbidden")


def test_links_show_pictures_and_use_no_view_for_them(api: World) -> None:
    cinema = Cinema(api=api)
    share, key = cinema.share(maxViews=1), cinema.edge_key()
    master = cinema.load(f"/v1/share/{share}/master.m3u8").text

    query = f"token={token_of(master)}"
    for file in ("iframes-360p.m3u8", PICTURE):
        assert cinema.load(f"/v1/share/{share}/{file}", query).status_code == 200
        assert cinema.page(f"/v1/{key}/{file}").status_code == 200

    assert cinema.views() == [1]
