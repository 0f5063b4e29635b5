"""
Segments that players got are counted, also by a process that was killed.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.support.live import LiveService, live_service, request, until, words_of

SHOWN_WITHIN_S = 30
REPORTS = ["usage", "daily", "resolution-distribution"]


@pytest.fixture
def own(tmp_path: Path) -> Iterator[LiveService]:
    with live_service(tmp_path) as running:
        yield running


def segment_urls(service: LiveService, video_id: str) -> list[str]:
    master = request("GET", service.public_url(video_id)).data.decode()
    urls = []
    for playlist in re.findall(r"^video-\d+p\.m3u8", master, re.MULTILINE):
        text = request("GET", service.public_url(video_id, playlist)).data.decode()
        urls += re.findall(r"^video/.*\.m4s", text, re.MULTILINE)
    return [service.public_url(video_id, name) for name in urls]


def delivery_processes(service: LiveService) -> list[psutil.Process]:
    children = psutil.Process(service.supervisor.pid).children(recursive=True)
    return [process for process in children if "delivery" in words_of(process)]


def counted(service: LiveService) -> list[int]:
    usage, daily, heights = (
        service.call("GET", f"/v1/analytics/{name}").body for name in REPORTS
    )
    return [
        usage["usage"][0]["totalSegmentsServed"],
        sum(day["segmentsServed"] for day in daily["dailyUsage"]),
        sum(one["segmentsServed"] for one in heights["distribution"]),
    ]


@pytest.mark.long
def test_what_was_served_shows_everywhere_though_its_server_was_killed(
    own: LiveService, clip: Path
) -> None:
    video_id = str(own.made(clip)["id"])
    urls = segment_urls(own, video_id)
    assert urls
    served = 0
    for _ in range(3):
        for url in urls:
            assert request("GET", url).status == 200
            served += 1
        # At once: the last of them are in no table yet.
        for process in delivery_processes(own):
            process.kill()
        own.wait_ready()

    until(
        lambda: counted(own) == [served] * 3, within_s=SHOWN_WITHIN_S, what="the count"
    )

    resolution = own.call("GET", f"/v1/videos/{video_id}/analytics/resolution").body
    assert resolution["summary"]["totalSegmentsServed"] == served
    assert own.details(video_id)["served"] != "0 views"
    own.call("DELETE", f"/v1/videos/{video_id}")
    assert counted(own) == [served] * 3
