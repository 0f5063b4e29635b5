"""
A whole service whose videos Google's Transcoder API makes.

The API is an imitation that encodes with ffmpeg; ``gs://`` is a bucket that the service
reaches as ``s3://``, as with Google's interface for S3's clients.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest

from tests.e2e.clips import ffmpeg_complaints, make_clip
from tests.plugins.transcoder_google.stand_in import (
    S3Objects,
    TranscoderStandIn,
    transcoder_stand_in,
)
from tests.support.live import LiveService, live_service, request, until
from tests.support.stores.object_store import (
    environ_of_bucket,
    new_bucket,
    s3_client,
    s3_server,
)

pytestmark = pytest.mark.services


@attrs.frozen(kw_only=True)
class GoogleCloud:
    """
    A service, and who makes its videos.
    """

    service: LiveService
    api: TranscoderStandIn
    store: str
    bucket: str
    clip: Path

    def processed(self, clip: Path | None = None) -> str:
        """
        Upload a clip and ask for it.
        """
        answer = self.service.process(self.service.uploaded(clip or self.clip))
        assert answer.status == 200, answer.data
        return str(answer.body["videoID"])

    def submitted(self, video_id: str) -> str:
        """
        Wait for the job of a video; return its name.
        """

        def look() -> str | None:
            jobs = list(self.api.jobs.items())
            return next((name for name, job in jobs if video_id in str(job)), None)

        return str(until(look, within_s=30, what="the remote job"))

    def written(self, video_id: str) -> list[str]:
        """
        Return what Google has written of a video, and is still there.
        """
        listed = s3_client(self.store).list_objects_v2(Bucket=self.bucket)
        keys = [entry["Key"] for entry in listed["Contents"]]
        return [key for key in keys if video_id in key and "0000000000.m4s" in key]

    def finished(self, video_id: str) -> dict[str, Any]:
        """
        Have the job of a video made; return the video's details.
        """
        self.submitted(video_id)
        self.api.finish()
        details: dict[str, Any] = self.service.finished(video_id, within_s=40)
        return details


@pytest.fixture(scope="module")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GoogleCloud]:
    folder = tmp_path_factory.mktemp("google")
    clip = make_clip(folder / "clip.mp4", seconds=7, size="320x180")
    with s3_server() as store, transcoder_stand_in(S3Objects(store)) as api:
        bucket = new_bucket(store)
        with live_service(
            folder,
            **environ_of_bucket(store, bucket),
            HV_TRANSCODER__BACKEND="google",
            HV_TRANSCODER__OPTIONS__PROJECT="our-videos",
            HV_TRANSCODER__OPTIONS__LOCATION="europe-west1",
            HV_TRANSCODER__OPTIONS__ENDPOINT=api.url,
            HV_TRANSCODER__OPTIONS__WRITES_TO=f"gs://{bucket}/here",
            HV_TRANSCODER__OPTIONS__MODE="batch",
            HV_TRANSCODER__OPTIONS__LABELS="team=video,cost=12",
        ) as service:
            yield GoogleCloud(
                service=service, api=api, store=store, bucket=bucket, clip=clip
            )


@pytest.mark.long
def test_an_upload_is_taken_over_plays_and_conforms(cloud: GoogleCloud) -> None:
    video_id = cloud.processed()

    details = cloud.finished(video_id)

    assert details["status"]["ready"], details
    assert ffmpeg_complaints(cloud.service.public_url(video_id)) == ""
    found = cloud.service.call("GET", f"/v1/videos/{video_id}/conformance").body
    assert found["conformant"], found
    assert found["segments"] >= 2
    job = cloud.api.jobs[cloud.submitted(video_id)]
    assert (job.labels["team"], job.labels["cost"]) == ("video", "12")
    master = request("GET", cloud.service.public_url(video_id)).data.decode()
    assert "#EXT-X-I-FRAME-STREAM-INF" in master
    # What Google wrote was copied, and is gone.
    until(lambda: not cloud.written(video_id), within_s=10, what="the removal")


def test_a_job_of_a_deleted_video_is_deleted(cloud: GoogleCloud) -> None:
    video_id = cloud.processed()
    name = cloud.submitted(video_id)

    cloud.service.call("DELETE", f"/v1/videos/{video_id}")

    until(lambda: name in cloud.api.deleted, within_s=30, what="the deletion")
    assert name not in cloud.api.jobs


@pytest.mark.long
def test_a_file_that_is_no_video_fails_with_plain_words(
    cloud: GoogleCloud, tmp_path: Path
) -> None:
    text = tmp_path / "film.mp4"
    text.write_text("no video " * 1000)

    details = cloud.service.finished(cloud.processed(text), within_s=40)

    assert "no MP4 or MOV file" in details["failureReason"], details
