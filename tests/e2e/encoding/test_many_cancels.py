"""
Many pending videos are deleted, and their jobs at MediaConvert end soon.
"""

import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import pytest

from tests.e2e.encoding.mediaconvert_cloud import Cloud, cloud_service
from tests.plugins.mediaconvert_local.local_server import LocalServer, local_server
from tests.support.live import free_ports, until

pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]

VIDEOS: Final = 100
WITHIN_S: Final = 10
LONGER_THAN_THE_TEST_S: Final = 7200
OUTAGE_S: Final = 75
"""Longer than any pause between two tries of a cancellation."""
CALLERS: Final = 4


@pytest.fixture(scope="module")
def options(tmp_path_factory: pytest.TempPathFactory) -> Sequence[str]:
    """
    Of a MediaConvert that comes back with the same jobs at the same address.
    """
    state = tmp_path_factory.mktemp("mediaconvert") / "jobs.sqlite"
    return ("--port", str(free_ports()), "--state", str(state))


@pytest.fixture
def server(swift: str, options: Sequence[str]) -> Iterator[LocalServer]:
    with local_server(swift, *options, is_swift=True) as running:
        yield running


@pytest.fixture
def cloud(tmp_path: Path, swift: str, server: LocalServer) -> Iterator[Cloud]:
    with cloud_service(tmp_path, swift, server, HV_LIMITS__ENABLED="false") as made:
        yield made


def _pending(cloud: Cloud) -> Sequence[str]:
    """
    Return many videos whose jobs wait at MediaConvert.
    """
    cloud.server.order("jobs", delay_seconds=LONGER_THAN_THE_TEST_S, times=VIDEOS)
    with ThreadPoolExecutor(CALLERS) as callers:
        video_ids = list(callers.map(lambda _: cloud.processed(), range(VIDEOS)))
    until(
        lambda: len(cloud.jobs(status="SUBMITTED")) == VIDEOS,
        within_s=300,
        what="the remote jobs",
    )
    return video_ids


def _delete(cloud: Cloud, video_ids: Sequence[str]) -> None:
    def delete(video_id: str) -> None:
        assert cloud.service.call("DELETE", f"/v1/videos/{video_id}").status == 200

    with ThreadPoolExecutor(CALLERS) as callers:
        list(callers.map(delete, video_ids))


def _none_waits(cloud: Cloud) -> bool:
    # One short question: to list them all would take what the cancels need.
    found = cloud.server.client().list_jobs(Status="SUBMITTED", MaxResults=1)
    return not found["Jobs"]


def test_a_hundred_deletes_give_a_hundred_cancels_within_ten_seconds(
    cloud: Cloud, capsys: pytest.CaptureFixture[str]
) -> None:
    video_ids = _pending(cloud)

    began = time.monotonic()
    _delete(cloud, video_ids)
    deleted_s = time.monotonic() - began
    until(lambda: _none_waits(cloud), within_s=60, what="the cancels")
    taken_s = time.monotonic() - began

    with capsys.disabled():
        sys.stderr.write(
            f"\ndeleted in {deleted_s:.1f} s, cancelled in {taken_s:.1f} s"
        )
    assert taken_s <= WITHIN_S
    assert len(cloud.jobs(status="CANCELED")) == VIDEOS


def test_a_hundred_cancels_come_within_ten_seconds_after_an_outage(
    cloud: Cloud,
    swift: str,
    options: Sequence[str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    video_ids = _pending(cloud)
    cloud.server.kill()
    _delete(cloud, video_ids)
    # Nothing tells when each was tried often enough for the longest pause.
    time.sleep(OUTAGE_S)

    with local_server(swift, *options, is_swift=True):
        began = time.monotonic()
        until(lambda: _none_waits(cloud), within_s=120, what="the cancels")
        taken_s = time.monotonic() - began
        cancelled = len(cloud.jobs(status="CANCELED"))

    with capsys.disabled():
        sys.stderr.write(f"\ncancelled in {taken_s:.1f} s after the outage")
    assert taken_s <= WITHIN_S
    assert cancelled == VIDEOS
