"""
Previews while seeking, as players load them.
"""

import re

import attrs
import pytest

from hvcore.domain.videos.states import VideoState
from tests.support.http.cinema import Cinema, token_of
from tests.support.http.delivery_worker import (
    PRIVATE_PATH,
    PUBLIC_PATH,
    DeliveryWorker,
)
from tests.support.http.world import problem_of
from tests.support.media_samples import sheet, shelf

INDEX = f"{PUBLIC_PATH}/storyboard.vtt"
SHEET = f"{PUBLIC_PATH}/storyboard-1.jpg"


def sheets_of(index: str) -> list[str]:
    """
    Return the address of the sheet of each cue, without its place.
    """
    return re.findall(r"^(storyboard-.*)#xywh=[0-9,]+$", index, re.MULTILINE)


def test_the_index_names_moments_and_sheets(public: DeliveryWorker) -> None:
    index = public.get(INDEX)

    assert index.status_code == 200
    assert index.headers["content-type"] == "text/vtt"
    assert index.headers["cache-control"] == "public, max-age=10"
    assert index.headers["access-control-allow-origin"] == "*"
    assert index.text == (
        "WEBVTT\n"
        "\n"
        "00:00:00.000 --> 00:00:05.000\n"
        "storyboard-0.jpg#xywh=0,0,160,90\n"
        "\n"
        "00:00:05.000 --> 00:00:10.000\n"
        "storyboard-0.jpg#xywh=160,0,160,90\n"
        "\n"
        "00:00:10.000 --> 00:00:12.000\n"
        "storyboard-1.jpg#xywh=0,0,160,90\n"
    )


def test_a_sheet_is_kept_for_ever(public: DeliveryWorker) -> None:
    result = public.get(SHEET)

    assert (result.status_code, result.content) == (200, sheet(1))
    assert result.headers["content-type"] == "image/jpeg"
    assert result.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert result.headers["access-control-allow-origin"] == "*"


@pytest.mark.parametrize("path", [INDEX, SHEET])
def test_index_and_sheets_are_compared_and_cut_like_other_files(
    public: DeliveryWorker, path: str
) -> None:
    whole = public.get(path)

    head = public.get(path, method="HEAD")
    same = public.get(path, headers={"If-None-Match": whole.headers["etag"]})
    part = public.get(path, headers={"Range": "bytes=3-9"})

    assert head.headers["content-length"] == str(len(whole.content))
    assert head.content == b""
    assert same.status_code == 304
    assert (part.status_code, part.content) == (206, whole.content[3:10])


def test_previews_are_not_counted(public: DeliveryWorker) -> None:
    public.get(INDEX)
    public.get(SHEET)

    assert public.counted == []


@pytest.mark.parametrize(
    "name",
    [
        "storyboard-2.jpg",
        "storyboard-00.jpg",
        "storyboard-.jpg",
        "storyboard.jpg",
        "storyboard-a1/0.jpg",
        "storyboard-0.vtt",
        "a1/poster.jpg",
    ],
)
def test_a_name_of_no_sheet_has_no_address(public: DeliveryWorker, name: str) -> None:
    problem_of(public.get(f"{PUBLIC_PATH}/{name}"), 404, "not_found")


@pytest.mark.parametrize("name", ["storyboard.vtt", "storyboard-0.jpg"])
def test_a_video_without_a_storyboard_has_none(
    public: DeliveryWorker, name: str
) -> None:
    media = attrs.evolve(shelf().media, storyboard=None)
    public.change(load_media=lambda: media)

    problem_of(public.get(f"{PUBLIC_PATH}/{name}"), 404, "not_found")


def test_a_token_shows_a_private_storyboard(private: DeliveryWorker) -> None:
    query = f"token={private.token()}"

    index = private.get(f"{PRIVATE_PATH}/storyboard.vtt", query)

    assert index.headers["cache-control"] == "private, max-age=10"
    sheets = sheets_of(index.text)
    assert len(sheets) == 3
    for address in sheets:
        path, _, carried = address.partition("?")
        assert carried == query
        found = private.get(f"{PRIVATE_PATH}/{path}", carried)
        assert found.status_code == 200
        assert found.headers["cache-control"] == "private, max-age=31536000, immutable"


@pytest.mark.parametrize("name", ["storyboard.vtt", "storyboard-0.jpg"])
def test_a_private_storyboard_needs_a_token_of_its_video(
    private: DeliveryWorker, name: str
) -> None:
    other = private.token(video_id="vid_" + "x" * 22)
    path = f"{PRIVATE_PATH}/{name}"

    problem_of(private.get(path), 401, "unauthorized")
    problem_of(private.get(path, f"token={other}"), 403, "forbidden")
    problem_of(private.get(f"{PUBLIC_PATH}/{name}"), 403, "forbidden")


def test_an_unfinished_video_has_no_storyboard(private: DeliveryWorker) -> None:
    private.change(state=VideoState.TRANSCODING)

    result = private.get(f"{PRIVATE_PATH}/storyboard.vtt", f"token={private.token()}")

    problem_of(result, 404, "video_not_found")


def test_a_session_of_a_share_link_has_its_storyboard(cinema: Cinema) -> None:
    share = cinema.share(maxViews=1)
    path = f"/v1/share/{share}"
    problem_of(cinema.load(f"{path}/storyboard.vtt"), 401, "unauthorized")
    token = token_of(cinema.load(f"{path}/master.m3u8").text)

    index = cinema.load(f"{path}/storyboard.vtt", f"token={token}")

    for address in sheets_of(index.text):
        name, _, query = address.partition("?")
        assert query == f"token={token}"
        assert cinema.load(f"{path}/{name}", query).status_code == 200


def test_an_edge_key_has_its_storyboard(cinema: Cinema) -> None:
    key = cinema.edge_key()

    index = cinema.page(f"/v1/{key}/storyboard.vtt")

    assert index.status_code == 200
    for address in sheets_of(index.text):
        found = cinema.page(f"/v1/{key}/{address}")
        assert found.status_code == 200
        assert found.headers["cache-control"].startswith("private")
