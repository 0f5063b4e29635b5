"""
The size and the picture of a source in details, lists and events, in both families.
"""

from fractions import Fraction
from typing import Any

import pytest

from hvcore.domain.videos.video import Video
from tests.persistence.samples import order
from tests.support.http.probing import probe
from tests.support.http.world import ORG, World, body_of, job_of, media

FIGURES = ("width", "height", "aspectRatio", "frameRate", "sourceBytes")
DETAILS = pytest.mark.parametrize(
    "details",
    [f"/v1/api/{ORG}/videos/{{}}/details", "/v1/videos/{}", "/v1/videos/{}/details"],
)
LIST = pytest.mark.parametrize(
    "videos", [f"/v1/api/{ORG}/environments/live/videos", "/v1/videos"]
)


def figures(shown: dict[str, Any]) -> dict[str, Any]:
    return {name: shown[name] for name in FIGURES if name in shown}


def listed(api: World, videos: str, video_id: str) -> dict[str, Any]:
    found = body_of(api.get(videos, "pageSize=100"))["videos"]
    (video,) = (one for one in found if one["id"] == video_id)
    return dict(video)


PORTRAIT = {
    "width": 1080,
    "height": 1920,
    "aspectRatio": "9:16",
    "frameRate": 29.97,
    "sourceBytes": 5_000_000_000,
}


@DETAILS
@pytest.mark.parametrize("state", ["transcoding", "ready", "failed"])
def test_details_show_the_figures_of_a_probed_source(
    api: World, details: str, state: str
) -> None:
    video_id = getattr(api, state)()
    probe(api, video_id)

    assert figures(body_of(api.get(details.format(video_id)))) == PORTRAIT


@LIST
def test_lists_show_the_figures_of_each_probed_source(api: World, videos: str) -> None:
    portrait, wide = api.ready(), api.transcoding()
    probe(api, portrait)
    probe(api, wide, width_px=1920, height_px=1080, frame_rate=Fraction(25))

    assert figures(listed(api, videos, portrait)) == PORTRAIT
    assert figures(listed(api, videos, wide)) == {
        **PORTRAIT,
        "width": 1920,
        "height": 1080,
        "aspectRatio": "16:9",
        "frameRate": 25,
    }


@DETAILS
def test_a_source_that_is_not_probed_yet_has_no_figures(
    api: World, details: str
) -> None:
    for video_id in (api.awaited(), api.transcoding()):
        assert figures(body_of(api.get(details.format(video_id)))) == {}


@LIST
def test_the_figures_appear_in_lists_as_soon_as_the_source_is_probed(
    api: World, videos: str
) -> None:
    video_id = api.transcoding()
    before = figures(listed(api, videos, video_id))

    probe(api, video_id)

    assert before == {}
    assert figures(listed(api, videos, video_id)) == PORTRAIT


@DETAILS
def test_a_size_that_the_transcoder_does_not_know_is_left_out(
    api: World, details: str
) -> None:
    video_id = api.ready()
    probe(api, video_id, size_bytes=0)

    found = figures(body_of(api.get(details.format(video_id))))

    assert found == {n: PORTRAIT[n] for n in FIGURES if n != "sourceBytes"}


def test_the_event_of_a_finished_video_carries_figures_and_duration(
    api: World,
) -> None:
    video_id = api.transcoding()

    def finish(video: Video) -> None:
        video.source = order().source.figures
        video.mark_ready(job_of(video), media(75.5))

    api.change(video_id, finish)
    body_of(api.delete(f"/v1/videos/{video_id}"))

    started, completed, deleted = body_of(api.get("/v1/events"))["events"]
    assert figures(completed) == {
        "width": 640,
        "height": 360,
        "aspectRatio": "16:9",
        "frameRate": 29.97,
        "sourceBytes": 1,
    }
    assert completed["durationSeconds"] == 75.5
    for other in (started, deleted):
        assert figures(other) == {}
        assert "durationSeconds" not in other
