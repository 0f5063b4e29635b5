"""
Files of a video that people of the organization download.
"""

import pytest

from hvcore.domain.access.roles import Role
from hvcore.domain.videos.video import VideoChanges
from tests.dashboard.opened import VIDEOS, Dashboard

LINKS = ("source", "360p.mp4", "audio.m4a")


def downloadable(dashboard: Dashboard, *, is_public: bool) -> str:
    video_id = dashboard.world.ready(is_public=is_public)
    allowed = VideoChanges(allows_download=True)
    dashboard.world.change(video_id, lambda video: video.change(allowed))
    return video_id


@pytest.mark.parametrize("is_public", [True, False])
def test_each_download_of_the_page_leads_to_its_file(
    dashboard: Dashboard, *, is_public: bool
) -> None:
    video_id = downloadable(dashboard, is_public=is_public)
    person, path = dashboard.sign_in(Role.VIEWER), f"{VIDEOS}/{video_id}"
    page = person.get(path)

    for name in LINKS:
        address = f"{path}/download/{name}"
        answer = person.get(address)

        assert f'href="{address}"' in page.text
        assert answer.status_code == 303
        to, _, token = answer.headers["location"].partition("?token=")
        worker = dashboard.world.services.settings.public.worker_url
        assert to.startswith(worker)
        ending = "/source.mp4" if name == "source" else f"/downloads/{name}"
        assert to.endswith(ending)
        assert bool(token) is (name == "source" or not is_public)
        assert "{" not in token


def test_a_viewer_gets_the_source_and_no_movie_without_allow_download(
    dashboard: Dashboard,
) -> None:
    path = f"{VIDEOS}/{dashboard.world.ready()}"
    person = dashboard.sign_in(Role.VIEWER)
    page = person.get(path)

    assert f"{path}/download/source" in page.text
    assert ".mp4" not in page.text
    assert person.get(f"{path}/download/360p.mp4").status_code == 404
    assert person.get(f"{path}/download/none").status_code == 404


def test_a_video_that_is_not_ready_has_no_download(dashboard: Dashboard) -> None:
    path = f"{VIDEOS}/{dashboard.world.failed()}"
    person = dashboard.sign_in(Role.EDITOR)

    assert "/download/" not in person.get(path).text
    assert person.get(f"{path}/download/source").status_code == 409
    assert person.get(f"{path}/download/360p.mp4").status_code == 404
