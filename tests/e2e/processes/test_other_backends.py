"""
The main job on PostgreSQL, on an S3-compatible store, and with other queues.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.clips import ffmpeg_complaints, make_clip
from tests.support.live import LiveService, live_service, request, until
from tests.support.servers import PostgresqlServer
from tests.support.stores.object_store import (
    environ_of_bucket,
    new_bucket,
    s3_client,
    s3_server,
)
from tests.support.stores.sqs_server import environ_of_queue, sqs_server


@pytest.fixture
def small_clip(tmp_path: Path) -> Path:
    return make_clip(tmp_path / "small.mp4", seconds=8, size="640x360")


@pytest.fixture
def s3_endpoint() -> Iterator[str]:
    with s3_server() as endpoint:
        yield endpoint


def plays_and_goes(service: LiveService, clip: Path) -> None:
    public = service.made(clip, allowPublicAccess=True)
    private = service.made(clip, allowPublicAccess=False)
    signed = service.call("GET", f"/v1/videos/{private['id']}/signed-url").body
    listed = service.call("GET", "/v1/videos?sortBy=name").body

    assert public["status"]["ready"], public
    assert ffmpeg_complaints(service.public_url(public["id"])) == ""
    assert ffmpeg_complaints(signed["signed_url"]) == ""
    picture = request("GET", f"{service.worker}/t/{public['id']}/160x90.jpg")
    assert picture.data.startswith(b"\xff\xd8")
    assert listed["pagination"]["total"] == 2
    for video in (public, private):
        deleted = service.call("DELETE", f"/v1/videos/{video['id']}")
        assert deleted.status == 200
    assert request("GET", service.public_url(public["id"])).status == 404


@pytest.mark.long
def test_the_main_job_on_postgresql(
    tmp_path: Path, postgresql: PostgresqlServer, small_clip: Path
) -> None:
    url = postgresql.new_database()

    with live_service(tmp_path, HV_DATABASE__URL=url) as service:
        plays_and_goes(service, small_clip)
        health = request("GET", f"{service.api}/health")

    assert health.body["status"] == "ok"


@pytest.mark.long
def test_the_main_job_with_the_queue_in_the_database_needs_no_further_server(
    tmp_path: Path, small_clip: Path
) -> None:
    with live_service(tmp_path, HV_QUEUE__BACKEND="sql") as service:
        plays_and_goes(service, small_clip)
        health = request("GET", f"{service.api}/health")
        doctor = service.hv("doctor", "--json")
        programs = {path.stem for path in (service.data / "logs").iterdir()}

    assert health.body["status"] == "ok"
    assert '"sql answers"' in doctor.stdout
    assert "api" in programs
    assert "queue" not in programs


@pytest.mark.long
def test_the_main_job_with_the_queue_at_sqs(tmp_path: Path, small_clip: Path) -> None:
    with (
        sqs_server() as server,
        live_service(tmp_path, **environ_of_queue(server)) as service,
    ):
        plays_and_goes(service, small_clip)
        doctor = service.hv("doctor", "--json")
        programs = {path.stem for path in (service.data / "logs").iterdir()}

    assert '"sqs answers"' in doctor.stdout
    assert "queue" not in programs


@pytest.mark.long
def test_the_main_job_on_an_object_store(
    tmp_path: Path, s3_endpoint: str, small_clip: Path
) -> None:
    s3, bucket = s3_client(s3_endpoint), new_bucket(s3_endpoint)

    def left() -> list[str]:
        found = s3.list_objects_v2(Bucket=bucket).get("Contents", [])
        return [str(entry["Key"]) for entry in found]

    with live_service(tmp_path, **environ_of_bucket(s3_endpoint, bucket)) as service:
        plays_and_goes(service, small_clip)
        until(lambda: not left(), within_s=30, what="the purge")

    assert not (tmp_path / "data" / "storage").exists()


@pytest.mark.long
def test_players_that_are_sent_to_the_object_store_play_and_are_counted(
    tmp_path: Path, s3_endpoint: str, small_clip: Path
) -> None:
    with live_service(
        tmp_path,
        **environ_of_bucket(s3_endpoint, new_bucket(s3_endpoint)),
        HV_PLAYBACK__REDIRECTS="true",
    ) as service:
        video = service.made(small_clip, allowPublicAccess=False)
        signed = service.call("GET", f"/v1/videos/{video['id']}/signed-url").body
        complaints = ffmpeg_complaints(signed["signed_url"])

        def segments() -> int:
            found = service.call("GET", f"/v1/videos/{video['id']}/analytics/explain")
            return int(found.body["explanation"]["acceptedRequests"])

        until(segments, within_s=20, what="the count")

    assert complaints == ""


@pytest.mark.long
def test_the_main_job_with_files_of_obstore(tmp_path: Path, small_clip: Path) -> None:
    """
    Its runtime does not survive a fork: each process of the service begins its own.
    """
    folder = tmp_path / "objects"

    def left() -> list[str]:
        # os.walk passes over folders that the purge removes meanwhile; glob does not.
        return [
            n for top, _, names in os.walk(folder) if Path(top) != folder for n in names
        ]

    with live_service(
        tmp_path,
        HV_STORAGE__BACKEND="obstore",
        HV_STORAGE__OPTIONS__URL=folder.as_uri(),
    ) as service:
        plays_and_goes(service, small_clip)
        until(lambda: not left(), within_s=30, what="the purge")
        health = request("GET", f"{service.api}/health")
        doctor = service.hv("doctor", "storage", "--json")
        logs = [path.read_text() for path in (service.data / "logs").iterdir()]

    assert health.body["status"] == "ok"
    assert doctor.returncode == 0, doctor.stdout
    assert not any("forked" in log for log in logs)
    assert not (tmp_path / "data" / "storage").exists()
