"""
A whole service whose videos MediaConvert makes, with its files in Swift.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest

from tests.e2e.clips import ffmpeg_complaints
from tests.e2e.encoding.mediaconvert_cloud import Cloud, cloud_service
from tests.plugins.mediaconvert_local.local_server import local_server
from tests.support.live import request, until
from tests.support.stores.object_store import swift_client

KEY = "hvcore-key"


@attrs.frozen(kw_only=True)
class Killed:
    """
    A video whose worker was killed right after it had submitted it.

    Attributes:
        reached: A folder that has a file for each such kill.
    """

    video_id: str
    reached: Path


@pytest.fixture(scope="module")
def failpoints(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("reached")


@pytest.fixture(scope="module")
def whole_cloud(
    tmp_path_factory: pytest.TempPathFactory, swift: str, failpoints: Path
) -> Iterator[Cloud]:
    with (
        local_server(swift, "--max-encodes", "2", is_swift=True) as server,
        cloud_service(
            tmp_path_factory.mktemp("cloud"),
            swift,
            server,
            HV_FAILPOINTS="part.submitted=kill*1",
            HV_FAILPOINTS_DIR=str(failpoints),
        ) as made,
    ):
        yield made


@pytest.fixture(scope="module")
def killed(whole_cloud: Cloud, failpoints: Path) -> Killed:
    video_id = whole_cloud.processed()
    until(lambda: whole_cloud.submitted(video_id), within_s=30, what="the remote job")
    return Killed(video_id=video_id, reached=failpoints)


@pytest.fixture
def cloud(whole_cloud: Cloud, killed: Killed) -> Cloud:
    """
    The service once no worker is killed any more.
    """
    del killed
    return whole_cloud


def test_an_upload_gets_ready_plays_and_conforms(cloud: Cloud) -> None:
    video_id = cloud.processed()

    details = cloud.service.finished(video_id, within_s=40)

    assert details["status"]["ready"], details
    assert ffmpeg_complaints(cloud.service.public_url(video_id)) == ""
    found = cloud.service.call("GET", f"/v1/videos/{video_id}/conformance").body
    assert found["conformant"], found
    assert found["segments"] >= 2
    previews = request("GET", cloud.service.public_url(video_id, "storyboard.vtt"))
    assert previews.data.count(b"-->") == 3, previews
    poster = request("GET", f"{cloud.service.worker}/t/{video_id}/320x180.jpg")
    assert poster.status == 200, poster
    assert poster.data.startswith(b"\xff\xd8")
    (job,) = cloud.submitted(video_id)
    assert job["UserMetadata"][KEY]
    assert "X-Amz" not in json.dumps(job, default=str)


def test_what_mediaconvert_wrote_is_gone_once_it_is_published(cloud: Cloud) -> None:
    video_id = cloud.processed()
    assert cloud.service.finished(video_id, within_s=40)["status"]["ready"]

    def names() -> list[str]:
        listed = swift_client(cloud.swift).list_objects_v2(Bucket=cloud.bucket)
        keys = [entry["Key"] for entry in listed["Contents"]]
        return [key for key in keys if video_id in key and "made_" in key]

    until(lambda: not names(), within_s=10, what="the removal")
    master = request("GET", cloud.service.public_url(video_id)).data.decode()
    assert "made_" not in master
    assert "#EXT-X-I-FRAME-STREAM-INF" in master


@pytest.mark.long
def test_an_error_of_mediaconvert_leads_to_a_second_remote_job(cloud: Cloud) -> None:
    cloud.server.order("jobs", error_code=1550, times=1)

    video_id = cloud.processed()

    details = cloud.service.finished(video_id, within_s=40)
    assert details["status"]["ready"], details
    jobs = cloud.submitted(video_id)
    assert sorted(job["Status"] for job in jobs) == ["COMPLETE", "ERROR"]
    assert len({job["UserMetadata"][KEY] for job in jobs}) == 2


@pytest.mark.long
def test_a_file_that_is_no_video_fails_with_plain_words(
    cloud: Cloud, tmp_path: Path
) -> None:
    file = tmp_path / "broken.mp4"
    file.write_bytes(cloud.clip.read_bytes()[:64] + bytes(5000))

    details = cloud.service.made(file)

    assert details["status"]["failed"], details
    assert "damaged" in details["failureReason"], details


@pytest.mark.long
def test_a_deleted_video_is_cancelled(cloud: Cloud) -> None:
    cloud.server.order("jobs", delay_seconds=3600, times=1)
    video_id = cloud.processed()
    until(lambda: cloud.submitted(video_id), within_s=30, what="the remote job")

    cloud.service.call("DELETE", f"/v1/videos/{video_id}")

    def is_cancelled() -> bool:
        return [job["Status"] for job in cloud.submitted(video_id)] == ["CANCELED"]

    until(is_cancelled, within_s=30, what="the cancellation")


def test_a_worker_that_is_killed_leaves_one_job(cloud: Cloud, killed: Killed) -> None:
    details = cloud.service.finished(killed.video_id, within_s=60)

    assert details["status"]["ready"], details
    assert any(killed.reached.iterdir()), "no worker was killed"
    assert len(cloud.submitted(killed.video_id)) == 1
