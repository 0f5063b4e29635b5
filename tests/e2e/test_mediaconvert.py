"""
A whole service whose videos MediaConvert makes, with its files in Swift.

MediaConvert is ``hv-mediaconvert``, which encodes with ffmpeg and writes into the bucket.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest

from tests.e2e.clips import ffmpeg_complaints, make_clip
from tests.live import LiveService, live_service, request, until
from tests.object_store import (
    environ_of_swift,
    new_swift_bucket,
    swift_client,
    swift_server,
)
from tests.plugins.mediaconvert_local.local_server import (
    ACCESS_KEY,
    ACCESS_SECRET,
    LocalServer,
    local_server,
)

KEY = "hvcore-key"


@attrs.frozen(kw_only=True)
class Cloud:
    """
    A service, and who makes its videos.

    Attributes:
        killed: A video whose worker was killed right after it had submitted it.
        reached: A folder that has a file for each such kill.
    """

    service: LiveService
    server: LocalServer
    swift: str
    bucket: str
    clip: Path
    killed: str
    reached: Path

    def submitted(self, video_id: str) -> list[dict[str, Any]]:
        """
        Return what MediaConvert was asked to make of a video.
        """
        jobs = self.server.client().list_jobs(MaxResults=20)["Jobs"]
        return [job for job in jobs if video_id in json.dumps(job["Settings"])]

    def processed(self) -> str:
        """
        Upload the clip and ask for it.
        """
        answer = self.service.process(self.service.uploaded(self.clip))
        assert answer.status == 200, answer.data
        return str(answer.body["videoID"])


@pytest.fixture(scope="module")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cloud]:
    folder = tmp_path_factory.mktemp("cloud")
    secret = folder / "secret"
    secret.write_text(f"{ACCESS_SECRET}\n")
    clip = make_clip(folder / "clip.mp4", seconds=3, size="320x180")
    (folder / "reached").mkdir()
    with (
        swift_server() as swift,
        local_server(swift, "--max-encodes", "2", is_swift=True) as server,
    ):
        bucket = new_swift_bucket(swift)
        with live_service(
            folder,
            **environ_of_swift(swift, bucket),
            HV_TRANSCODER__BACKEND="mediaconvert",
            HV_TRANSCODER__OPTIONS__ROLE="arn:aws:iam::123456789012:role/Transcode",
            HV_TRANSCODER__OPTIONS__REGION="us-east-1",
            HV_TRANSCODER__OPTIONS__ENDPOINT=server.address,
            HV_TRANSCODER__OPTIONS__ACCESS_KEY=ACCESS_KEY,
            HV_TRANSCODER__OPTIONS__SECRET_KEY_FILE=str(secret),
            HV_TRANSCODER__OPTIONS__TAGS="team=video",
            HV_FAILPOINTS="part.submitted=kill*1",
            HV_FAILPOINTS_DIR=str(folder / "reached"),
        ) as service:
            made = Cloud(
                service=service,
                server=server,
                swift=swift,
                bucket=bucket,
                clip=clip,
                killed="",
                reached=folder / "reached",
            )
            video_id = made.processed()
            until(lambda: made.submitted(video_id), within_s=30, what="the submission")
            yield attrs.evolve(made, killed=video_id)


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


def test_an_error_of_mediaconvert_leads_to_a_second_submission(cloud: Cloud) -> None:
    cloud.server.order("jobs", error_code=1550, times=1)

    video_id = cloud.processed()

    details = cloud.service.finished(video_id, within_s=40)
    assert details["status"]["ready"], details
    jobs = cloud.submitted(video_id)
    assert sorted(job["Status"] for job in jobs) == ["COMPLETE", "ERROR"]
    assert len({job["UserMetadata"][KEY] for job in jobs}) == 2


def test_a_file_that_is_no_video_fails_with_plain_words(
    cloud: Cloud, tmp_path: Path
) -> None:
    file = tmp_path / "broken.mp4"
    file.write_bytes(cloud.clip.read_bytes()[:64] + bytes(5000))

    details = cloud.service.made(file)

    assert details["status"]["failed"], details
    assert "damaged" in details["failureReason"], details


def test_a_deleted_video_is_cancelled(cloud: Cloud) -> None:
    cloud.server.order("jobs", delay_seconds=3600, times=1)
    video_id = cloud.processed()
    until(lambda: cloud.submitted(video_id), within_s=30, what="the submission")

    cloud.service.call("DELETE", f"/v1/videos/{video_id}")

    def is_cancelled() -> bool:
        return [job["Status"] for job in cloud.submitted(video_id)] == ["CANCELED"]

    until(is_cancelled, within_s=30, what="the cancellation")


def test_a_worker_that_is_killed_leaves_one_job(cloud: Cloud) -> None:
    details = cloud.service.finished(cloud.killed, within_s=60)

    assert details["status"]["ready"], details
    assert any(cloud.reached.iterdir()), "no worker was killed"
    assert len(cloud.submitted(cloud.killed)) == 1
