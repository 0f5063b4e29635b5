"""
The pictures of listed videos.
"""

import re

import pytest

from hvcore.domain.access.roles import Role
from hvcore.domain.videos.states import VideoState
from tests.dashboard.opened import VIDEOS, Dashboard

WORKER = "https://worker.test/t"
SIZES = {"grid": ("256x144", "512x288"), "table": ("80x45", "160x90")}


def pictures(text: str) -> list[tuple[str, str]]:
    """
    Return the addresses of each picture, for one pixel and for two.
    """
    return re.findall(r'<img src="([^"]+)" srcset="([^"]+) 2x"', text)


@pytest.mark.parametrize("view", SIZES)
def test_a_list_has_pictures_of_the_size_at_which_it_shows_them(
    dashboard: Dashboard, view: str
) -> None:
    video_id = dashboard.world.ready(is_public=True)

    text = dashboard.sign_in(Role.VIEWER).get(VIDEOS, f"view={view}").text

    usual, fine = SIZES[view]
    folder = f"{WORKER}/{video_id}"
    assert pictures(text) == [(f"{folder}/{usual}.webp", f"{folder}/{fine}.webp")]
    assert text.count('loading="lazy"') == 1


@pytest.mark.parametrize("view", SIZES)
def test_a_list_has_no_token_of_a_private_video(
    dashboard: Dashboard, view: str
) -> None:
    video_id = dashboard.world.ready(is_public=False)
    person = dashboard.sign_in(Role.VIEWER)

    text = person.get(VIDEOS, f"view={view}").text

    assert "token=" not in text
    ((usual, fine),) = pictures(text)
    for address, size in zip((usual, fine), SIZES[view], strict=True):
        answer = person.get(f"{VIDEOS.removesuffix('videos')}{address}")
        start = f"{WORKER}/{video_id}/{size}.webp?token="
        assert answer.status_code == 303
        assert answer.headers["location"].startswith(start)
        assert answer.headers["cache-control"] == "private, max-age=600"


def test_a_picture_of_another_environment_is_opened_there(
    dashboard: Dashboard,
) -> None:
    dashboard.world.ready(dashboard.world.dev, is_public=False)

    text = dashboard.sign_in(Role.VIEWER).get(VIDEOS, "env=dev").text

    ((usual, _),) = pictures(text)
    assert usual.endswith("/t/256x144.webp?env=dev")


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("none", 404),
        ("80x45.gif", 404),
        ("8x8.webp", 400),
        ("9999x9999.jpg", 400),
        ("80x45.webp%00", 404),
        ("..%2f..%2f80x45.webp", 404),
    ],
)
def test_a_name_of_no_thumbnail_leads_nowhere(
    dashboard: Dashboard, name: str, status: int
) -> None:
    video_id = dashboard.world.ready(is_public=False)

    answer = dashboard.sign_in(Role.VIEWER).get(f"{VIDEOS}/{video_id}/t/{name}")

    assert answer.status_code == status
    assert "location" not in answer.headers


@pytest.mark.parametrize("video_id", ["vid_none", "x", "vid_" + "0" * 22])
def test_a_picture_of_no_video_leads_nowhere(
    dashboard: Dashboard, video_id: str
) -> None:
    person = dashboard.sign_in(Role.VIEWER)

    answer = person.get(f"{VIDEOS}/{video_id}/t/80x45.webp")

    assert answer.status_code == 404
    assert "location" not in answer.headers


def test_a_video_that_is_not_ready_has_no_picture(dashboard: Dashboard) -> None:
    world = dashboard.world
    world.change(
        world.ready(), lambda video: setattr(video, "state", VideoState.FAILED)
    )

    assert pictures(dashboard.sign_in(Role.VIEWER).get(VIDEOS).text) == []
