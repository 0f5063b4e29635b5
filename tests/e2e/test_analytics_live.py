"""
What real servers answer is explained, and who watches is counted once.
"""

import http.client
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.e2e.clips import make_clip
from tests.e2e.test_analytics import SHOWN_WITHIN_S, segment_urls
from tests.support.live import LiveService, request, until


def explained(service: LiveService, video_id: str) -> Counter[str]:
    body: Any = service.call("GET", f"/v1/videos/{video_id}/analytics/explain").body
    found = Counter({one["reason"]: one["requests"] for one in body["ignored"]})
    found["accepted"] = body["explanation"]["acceptedRequests"]
    return found


def viewers(service: LiveService, path: str) -> int:
    body: Any = service.call("GET", f"/v1/{path}analytics/viewers").body
    return int(body["viewers"]["currentViewers"])


@pytest.fixture
def unseen(tmp_path: Path) -> Path:
    """
    A clip for videos of the test's own: what others ask for is shown late.
    """
    return make_clip(tmp_path / "unseen.mp4", seconds=2, size="320x180")


def test_every_answer_is_either_counted_or_ignored_for_a_reason(
    service: LiveService, unseen: Path
) -> None:
    video_id = str(service.made(unseen, allowPublicAccess=True)["id"])
    url = segment_urls(service, video_id)[-1]
    init = service.public_url(video_id, "video/init.m4s")
    etag = request("GET", url).headers["ETag"]
    request("GET", url, headers={"Range": "bytes=0-99"})
    request("GET", url, headers={"Range": "bytes=100-"})
    request("GET", url, headers={"If-None-Match": etag})
    request("HEAD", url)
    request("GET", init)
    request("HEAD", init)
    expected = {
        "accepted": 2,
        "too-few-bytes": 1,
        "not-modified": 1,
        "head": 1,
        "init": 2,
    }

    def new() -> dict[str, int]:
        found = explained(service, video_id)
        return {name: n for name, n in found.items() if n and name != "playlist"}

    until(lambda: new() == expected, within_s=SHOWN_WITHIN_S, what="the explanation")


def test_a_session_is_one_viewer_of_all_processes(
    service: LiveService, unseen: Path
) -> None:
    public_id = str(service.made(unseen, allowPublicAccess=True)["id"])
    private_id = str(service.made(unseen, allowPublicAccess=False)["id"])
    public = segment_urls(service, public_id)
    path = f"/v1/videos/{private_id}/signed-url?expiration=1h"
    signed = str(service.call("GET", path).body["signed_url"])
    token = signed.partition("?")[2]
    private = signed.partition("master.m3u8")[0]
    # Connections of their own, so that several processes serve them.
    for browser in ("One browser", "One browser", "Another browser"):
        for url in public:
            answer = request("GET", url, headers={"User-Agent": browser})
            assert answer.status == http.client.OK
    name = urlsplit(public[0]).path.partition("/video/")[2]
    for browser in ("One browser", "A third browser"):
        file = f"{private}video/{name}?{token}"
        assert request("GET", file, headers={"User-Agent": browser}).status == 200

    # The private one was signed once, for whatever browser.
    until(
        lambda: (
            viewers(service, f"videos/{private_id}/") == 1
            and viewers(service, f"videos/{public_id}/") == 2
        ),
        within_s=SHOWN_WITHIN_S,
        what="the viewers",
    )
    assert viewers(service, "") >= 3


def test_what_players_tell_is_kept_of_what_they_were_handed(
    service: LiveService, unseen: Path
) -> None:
    # Of its own: players of other tests tell of the video that all share, and what
    # they tell is shown later.
    video_id = str(service.made(unseen, allowPublicAccess=True)["id"])
    url = segment_urls(service, video_id)[0]
    path = f"/v1/videos/{video_id}/analytics/playback-quality"
    cmcd_requests = [
        (f"{url}?CMCD=bl%3D0%2Cbs%2Cmtp%3D48100%2Csu", {}),
        (url, {"CMCD-Request": "mtp=900", "CMCD-Status": "bs"}),
        (f"{url}?CMCD=mtp%3D-1%22", {"CMCD-Request": "mtp=999999999999999999999"}),
    ]
    for address, headers in cmcd_requests:
        assert request("GET", address, headers=headers).status == http.client.OK
        assert request("HEAD", address, headers=headers).status == http.client.OK

    def reports() -> tuple[int, int, int]:
        body: Any = service.call("GET", path).body
        # Two days, if one ends meanwhile.
        days = body["playbackQuality"]
        return (
            body["summary"]["reports"],
            sum(day["rebufferingReports"] for day in days),
            max((day["maxThroughputKbps"] or 0 for day in days), default=0),
        )

    until(
        lambda: reports() == (3, 2, 48_100),
        within_s=SHOWN_WITHIN_S,
        what="what players told",
    )
