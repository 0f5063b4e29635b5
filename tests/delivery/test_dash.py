"""
Watching by DASH: the manifest goes by the rules of playlists.
"""

import gzip
import re

from hvcore.domain.videos.states import VideoState
from hvcore.manifests import dash
from tests.conftest import SettableClock
from tests.support.http.cinema import Cinema, token_of
from tests.support.http.delivery_worker import (
    PRIVATE_PATH,
    PUBLIC_PATH,
    DeliveryWorker,
    make_worker,
)
from tests.support.http.world import problem_of
from tests.support.media_samples import ROOT, shelf

MANIFEST = f"{PUBLIC_PATH}/manifest.mpd"


def addresses(manifest: str) -> list[str]:
    """
    Return the addresses of every file of the three tracks and of the previews.
    """
    found = re.findall(r' (?:initialization|media)="([^"]*)"', manifest)
    assert len(found) == 7
    return [
        address.replace("$Number$", str(number))
        for address in found
        for number in range(2 if "$Number$" in address else 1)
    ]


def test_a_public_video_is_played_by_its_manifest(public: DeliveryWorker) -> None:
    manifest = public.get(MANIFEST)

    assert manifest.status_code == 200
    assert manifest.headers["content-type"] == "application/dash+xml"
    assert manifest.headers["cache-control"] == "public, max-age=10"
    assert manifest.headers["access-control-allow-origin"] == "*"
    assert "token" not in manifest.text
    for address in addresses(manifest.text):
        file = public.get(f"{PUBLIC_PATH}/{address}")
        assert file.status_code == 200
        assert file.text.startswith(address.rpartition("/")[0])


def test_segments_that_a_manifest_names_are_counted_once(
    public: DeliveryWorker,
) -> None:
    for address in addresses(public.get(MANIFEST).text):
        public.get(f"{PUBLIC_PATH}/{address}")

    # Two segments of each of the two rungs; neither init files nor sound.
    assert [place.height_px for place in public.counted] == [360, 360, 720, 720]


def test_a_manifest_is_compressed_and_compared_like_a_playlist(
    public: DeliveryWorker,
) -> None:
    plain = public.get(MANIFEST)

    packed = public.get(MANIFEST, headers={"Accept-Encoding": "gzip"})
    head = public.get(MANIFEST, method="HEAD")
    same = public.get(MANIFEST, headers={"If-None-Match": plain.headers["etag"]})
    part = public.get(MANIFEST, headers={"Range": "bytes=0-4"})

    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed.content) == plain.content
    assert head.headers["content-length"] == str(len(plain.content))
    assert same.status_code == 304
    assert (part.status_code, part.content) == (206, b"<?xml")


def test_the_manifest_that_was_published_is_the_one_that_is_served(
    clock: SettableClock,
) -> None:
    worker = make_worker(clock, None, is_public=True)
    worker.storage.objects[f"{ROOT}/manifest.mpd"] = b"<MPD/>"

    assert worker.get(MANIFEST).text == "<MPD/>"


def test_a_video_from_before_there_were_manifests_has_one(
    public: DeliveryWorker,
) -> None:
    first, second = public.get(MANIFEST), public.get(MANIFEST)

    assert first.text == dash.manifest(shelf().media)
    assert second.content == first.content


def test_a_token_plays_a_private_video_from_the_manifest_on(
    private: DeliveryWorker,
) -> None:
    query = f"token={private.token()}"

    manifest = private.get(f"{PRIVATE_PATH}/manifest.mpd", query)

    assert manifest.status_code == 200
    assert manifest.headers["cache-control"] == "private, max-age=10"
    for address in addresses(manifest.text):
        path, _, carried = address.partition("?")
        assert carried == query
        file = private.get(f"{PRIVATE_PATH}/{path}", carried)
        assert file.status_code == 200
        assert file.headers["cache-control"].startswith("private")


def test_nobody_else_gets_the_manifest_of_a_private_video(
    private: DeliveryWorker,
) -> None:
    problem_of(private.get(MANIFEST), 403, "forbidden")
    for query in ("", "token=x"):
        result = private.get(f"{PRIVATE_PATH}/manifest.mpd", query)
        problem_of(result, 401, "unauthorized")


def test_a_delete_is_obeyed_by_the_next_request_for_a_manifest(
    public: DeliveryWorker,
) -> None:
    assert public.get(MANIFEST).status_code == 200

    public.change(state=VideoState.DELETED)

    problem_of(public.get(MANIFEST), 404, "video_not_found")


def test_a_session_of_a_share_link_may_go_on_by_dash(cinema: Cinema) -> None:
    share = cinema.share(maxViews=1)
    place = f"/v1/share/{share}"
    problem_of(cinema.load(f"{place}/manifest.mpd"), 401, "unauthorized")
    assert cinema.views() == [0]
    session = token_of(cinema.load(f"{place}/master.m3u8").text)

    manifest = cinema.load(f"{place}/manifest.mpd", f"token={session}")

    assert token_of(manifest.text) == session
    for address in addresses(manifest.text):
        path, _, query = address.partition("?")
        assert cinema.load(f"{place}/{path}", query).status_code == 200
    assert cinema.views() == [1]


def test_an_edge_key_plays_by_dash_without_a_token(cinema: Cinema) -> None:
    key = cinema.edge_key()

    manifest = cinema.page(f"/v1/{key}/manifest.mpd")

    assert manifest.headers["content-type"] == "application/dash+xml"
    assert manifest.headers["cache-control"] == "private, max-age=10"
    for address in addresses(manifest.text):
        assert cinema.page(f"/v1/{key}/{address}").status_code == 200
