"""
The organization's hourly limits hold on pages, too.
"""

import base64
from datetime import timedelta
from typing import Final

import pytest
from falcon.testing import Result

from hvcore.domain.access.rate_limits import Bucket
from hvcore.domain.access.roles import Role
from hvcore.domain.videos.states import VideoState
from hvcore_dashboard.routes import ROUTES
from hvcore_dashboard.routing import PageRoute
from tests.dashboard.opened import SESSION, VIDEOS, Dashboard, PersonClient
from tests.support.http.world import ORG

COUNTED: Final = [route for route in ROUTES if route.bucket is not None]
HAS: Final = {
    Bucket.UPLOAD_URL: 100,
    Bucket.VIDEO_OPERATIONS: 1_000,
    Bucket.THUMBNAILS: 50,
}


def use_up(dashboard: Dashboard, bucket: Bucket, *, left: int = 0) -> None:
    """
    Let a program of the organization do all but some of what it may in an hour.
    """
    while left_to(dashboard, bucket) > left:
        pass


def left_to(dashboard: Dashboard, bucket: Bucket) -> int:
    """
    Return what the organization has left, after one more request by a key.
    """
    limits = dashboard.world.services.rate_limits
    assert limits is not None
    counted = limits.count_operation(org_id=ORG, bucket=bucket)
    assert counted is not None
    return counted.shown.remaining


def send(person: PersonClient, route: PageRoute, video_id: str) -> Result:
    path = route.path.replace("{org_id}", ORG).replace("{video_id}", video_id)
    name = base64.b64encode(b"clip.mp4").decode()
    headers = {
        "Tus-Resumable": "1.0.0",
        "Upload-Length": "5",
        "Upload-Metadata": f"fileName {name}",
    }
    return person.post(path, **headers)


@pytest.mark.parametrize("route", COUNTED, ids=lambda route: route.path)
def test_a_change_too_many_is_refused_with_the_time_to_wait(
    shared: Dashboard, route: PageRoute
) -> None:
    assert route.bucket is not None
    person, video_id = shared.sign_in(Role.EDITOR), shared.world.ready()
    use_up(shared, route.bucket)
    shared.world.clock.move(timedelta(minutes=18))

    refused = send(person, route, video_id)

    assert refused.status_code == 429
    assert refused.headers["retry-after"] == "2520"
    assert "Try again in 42 minutes." in refused.text
    shared.world.clock.move(timedelta(minutes=42))
    assert send(person, route, video_id).status_code != 429


def test_what_the_api_counts_is_counted_on_pages() -> None:
    """
    Changes of editors that count nothing are those that the API counts nowhere.
    """
    free = {
        route.path
        for route in ROUTES
        if route.method == "POST" and route.needs is Role.EDITOR and not route.bucket
    }

    # Names and descriptions, what is set for an upload that goes on, and several deletions,
    # each of which counts by itself, as those of a bulk change do. The deletion of what is
    # restored was counted.
    video = "/dashboard/{org_id}/videos/{video_id}"
    resumed = "/dashboard/{org_id}/upload/files/{video_id}"
    several = {f"/dashboard/{{org_id}}/videos/{done}" for done in ("delete", "restore")}
    bulk = "/dashboard/{org_id}/videos/bulk"
    bulks = {bulk, f"{bulk}/{{bulk_id}}", f"{bulk}/{{bulk_id}}/stop"}
    assert free == {video, resumed, *several, *bulks}


def test_a_program_and_a_page_use_one_allowance(dashboard: Dashboard) -> None:
    person, video_id = dashboard.sign_in(Role.EDITOR), dashboard.world.ready()

    person.post(f"{VIDEOS}/{video_id}/sharing", {"kind": "share"})
    by_key = dashboard.world.get(f"/v1/videos/{video_id}/shares")

    remaining = by_key.headers["X-RateLimit-Remaining"]
    assert int(remaining) == HAS[Bucket.VIDEO_OPERATIONS] - 2


def test_looking_and_refusals_count_nothing(dashboard: Dashboard) -> None:
    video_id = dashboard.world.ready()
    editor, viewer = dashboard.sign_in(Role.EDITOR), dashboard.sign_in(Role.VIEWER)
    for tab in ("", "/captions", "/picture", "/sharing", "/embed", "/player"):
        assert editor.get(f"{VIDEOS}/{video_id}{tab}").status_code == 200
    path = f"{VIDEOS}/{video_id}/sharing"

    assert viewer.post(path, {"kind": "share"}).status_code == 403
    assert editor.send("POST", path, fields={"kind": "share"}).status_code == 403

    left = left_to(dashboard, Bucket.VIDEO_OPERATIONS)
    assert left == HAS[Bucket.VIDEO_OPERATIONS] - 1


def test_several_deletions_end_at_the_limit_and_say_so(
    dashboard: Dashboard,
) -> None:
    world = dashboard.world
    chosen = [world.ready() for _ in range(3)]
    person = dashboard.sign_in(Role.EDITOR)
    use_up(dashboard, Bucket.VIDEO_OPERATIONS, left=2)

    answer = person.post(f"{VIDEOS}/delete", {"video": chosen})

    with world.services.uow.read() as work:
        states = [video.state for one in chosen if (video := work.videos.find(one))]
    assert states == [VideoState.DELETED, VideoState.DELETED, VideoState.READY]
    messages = answer.headers["set-cookie"].partition(";")[0]
    cookies = f"{SESSION}={person.session.value}; {messages}"
    shown = dashboard.get(VIDEOS, Cookie=cookies).text
    assert "2 videos deleted. This organization may process, delete" in shown
    assert "Try again in 60 minutes." in shown
