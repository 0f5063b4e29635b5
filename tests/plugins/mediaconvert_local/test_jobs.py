"""
Jobs over the API: tokens, lists, cancelling, errors on demand, restarts.
"""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.plugins.mediaconvert_local.conftest import ClipInBucket
from tests.plugins.mediaconvert_local.job_requests import Wire, file_group, job
from tests.plugins.mediaconvert_local.local_server import LocalServer, local_server
from tests.support.live import until
from tests.support.stores.object_store import s3_client

pytestmark = pytest.mark.services

WAITS: Wire = {"UserMetadata": {"hv-delay-seconds": "3600"}}


@pytest.fixture
def forgetful(server: LocalServer) -> Iterator[LocalServer]:
    """
    The server, which forgets what was ordered.
    """
    yield server
    assert server.order("forget").status == 200


def code_of(error: "pytest.ExceptionInfo[ClientError]") -> tuple[str, int]:
    answer = error.value.response
    status: int = answer["ResponseMetadata"]["HTTPStatusCode"]
    return (str(answer["Error"]["Code"]), status)


def test_a_token_finds_its_job_for_a_minute_and_not_for_longer(
    server: LocalServer, clip: ClipInBucket
) -> None:
    client = server.client()
    wanted = job(
        clip.address, file_group(clip.bucket), ClientRequestToken="t-1", **WAITS
    )

    first = client.create_job(**wanted)["Job"]["Id"]
    server.order("clock", advance_seconds=50)
    second = client.create_job(**wanted)["Job"]["Id"]
    server.order("clock", advance_seconds=40)
    third = client.create_job(**wanted)["Job"]["Id"]

    assert first == second
    assert third != first
    listed = [one["Id"] for one in client.list_jobs(MaxResults=2)["Jobs"]]
    assert listed == [third, first]
    for job_id in listed:
        client.cancel_job(Id=job_id)


def test_a_job_whose_answer_was_lost_is_found_by_its_token(
    forgetful: LocalServer, clip: ClipInBucket
) -> None:
    client = forgetful.client()
    wanted = job(
        clip.address, file_group(clip.bucket), ClientRequestToken="t-2", **WAITS
    )
    before = client.get_queue(Name="Default")["Queue"]["SubmittedJobsCount"]
    forgetful.order(
        "answers",
        operation="CreateJob",
        error="InternalServerErrorException",
        afterwards=True,
    )

    with pytest.raises(ClientError) as lost:
        client.create_job(**wanted)
    again = client.create_job(**wanted)["Job"]

    assert code_of(lost) == ("InternalServerErrorException", 500)
    after = client.get_queue(Name="Default")["Queue"]["SubmittedJobsCount"]
    assert after == before + 1
    client.cancel_job(Id=again["Id"])


def test_refusals_come_as_often_as_ordered(forgetful: LocalServer) -> None:
    client = forgetful.client()
    forgetful.order(
        "answers", operation="ListJobs", error="TooManyRequestsException", times=2
    )

    for _ in range(2):
        with pytest.raises(client.exceptions.TooManyRequestsException) as refused:
            client.list_jobs()
        assert code_of(refused) == ("TooManyRequestsException", 429)
    client.get_queue(Name="Default")

    assert "Jobs" in client.list_jobs()


def test_a_waiting_job_is_canceled_and_stays_so(
    server: LocalServer, clip: ClipInBucket
) -> None:
    client = server.client()
    made = client.create_job(**job(clip.address, file_group(clip.bucket), **WAITS))
    job_id = made["Job"]["Id"]

    client.cancel_job(Id=job_id)
    found = client.get_job(Id=job_id)["Job"]

    assert (made["Job"]["Status"], found["Status"]) == ("SUBMITTED", "CANCELED")
    with pytest.raises(client.exceptions.ConflictException) as again:
        client.cancel_job(Id=job_id)
    assert code_of(again) == ("ConflictException", 409)


@pytest.fixture(scope="module")
def endless_clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """
    An hour of one small picture a second: quick to make, long to encode at 60.
    """
    made = tmp_path_factory.mktemp("endless") / "endless.mp4"
    source = "color=s=64x36:r=1:d=3600"
    command = ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", source]
    subprocess.run([*command, "-preset", "ultrafast", made], check=True)
    return made


def endless_job(server: LocalServer, clip: ClipInBucket, source: Path) -> str:
    """
    Begin a job that does not end by itself during a test; returns its id.
    """
    s3_client(server.s3_endpoint).upload_file(str(source), clip.bucket, "in/long.mp4")
    wanted = job(f"s3://{clip.bucket}/in/long.mp4", file_group(clip.bucket))
    (output,) = wanted["Settings"]["OutputGroups"][0]["Outputs"]
    del output["AudioDescriptions"]
    output["VideoDescription"] |= {"Width": 1280, "Height": 720}
    output["VideoDescription"]["CodecSettings"]["H264Settings"] |= {
        "FramerateControl": "SPECIFIED",
        "FramerateNumerator": 60,
        "FramerateDenominator": 1,
    }
    client = server.client()
    job_id = str(client.create_job(**wanted)["Job"]["Id"])

    def is_encoding() -> bool:
        found = client.get_job(Id=job_id)["Job"]
        assert found["Status"] in {"SUBMITTED", "PROGRESSING"}, found
        return bool(found.get("CurrentPhase") == "TRANSCODING")

    until(is_encoding, within_s=60, what="the encoder")
    return job_id


def test_canceling_ends_the_encoder(
    server: LocalServer, clip: ClipInBucket, endless_clip: Path
) -> None:
    client = server.client()
    job_id = endless_job(server, clip, endless_clip)

    client.cancel_job(Id=job_id)
    # Two are worked on at a time: both places are free again.
    short = [
        client.create_job(**job(clip.address, file_group(clip.bucket)))["Job"]["Id"]
        for _ in range(2)
    ]
    ended = [server.ended(one)["Status"] for one in short]

    assert ended == ["COMPLETE", "COMPLETE"]
    found = client.get_job(Id=job_id)["Job"]
    assert (found["Status"], "FinishTime" in found["Timing"]) == ("CANCELED", True)
    assert "made/long.mp4" not in server.keys(clip.bucket)


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        (
            {"hv-error-code": "1030", "hv-error-at-percent": "50"},
            "The codec or the container of the input is not supported.",
        ),
        ({"hv-error-code": "1999", "hv-error-message": "Bad luck"}, "Bad luck"),
    ],
)
def test_metadata_order_an_error(
    server: LocalServer, clip: ClipInBucket, metadata: Wire, message: str
) -> None:
    wanted = job(clip.address, file_group(clip.bucket), UserMetadata=metadata)

    made = server.client().create_job(**wanted)
    ended = server.ended(made["Job"]["Id"])

    assert ended["Status"] == "ERROR"
    assert ended["ErrorCode"] == int(metadata["hv-error-code"])
    assert ended["ErrorMessage"] == message
    assert ended["UserMetadata"] == metadata
    assert not any(key.startswith("made/") for key in server.keys(clip.bucket))


def test_an_error_is_ordered_for_the_next_job(
    forgetful: LocalServer, clip: ClipInBucket
) -> None:
    forgetful.order("jobs", error_code=1434)
    client = forgetful.client()

    jobs = [
        client.create_job(**job(clip.address, file_group(clip.bucket)))["Job"]["Id"]
        for _ in range(2)
    ]
    ended = [forgetful.ended(job_id) for job_id in jobs]

    assert [one["Status"] for one in ended] == ["ERROR", "COMPLETE"]
    assert ended[0]["ErrorCode"] == 1434


def test_a_delay_ends_when_the_clock_is_put_forward(
    server: LocalServer, clip: ClipInBucket
) -> None:
    client = server.client()
    made = client.create_job(**job(clip.address, file_group(clip.bucket), **WAITS))
    job_id = made["Job"]["Id"]
    assert client.get_job(Id=job_id)["Job"]["Status"] == "SUBMITTED"

    server.order("clock", advance_seconds=3600)

    assert server.ended(job_id)["Status"] == "COMPLETE"


def test_jobs_of_a_paused_queue_wait(server: LocalServer, clip: ClipInBucket) -> None:
    client = server.client()
    client.create_queue(Name="calm", Status="PAUSED")
    wanted = job(clip.address, file_group(clip.bucket), Queue="calm")
    job_id = client.create_job(**wanted)["Job"]["Id"]
    other = client.create_job(**job(clip.address, file_group(clip.bucket)))
    server.ended(other["Job"]["Id"])
    assert client.get_job(Id=job_id)["Job"]["Status"] == "SUBMITTED"

    client.update_queue(Name="calm", Status="ACTIVE")

    assert server.ended(job_id)["Status"] == "COMPLETE"
    client.delete_queue(Name="calm")


def test_lists_go_on_where_a_page_ended(
    server: LocalServer, clip: ClipInBucket
) -> None:
    client = server.client()
    client.create_queue(Name="listed", Status="PAUSED")
    wanted = job(clip.address, file_group(clip.bucket), Queue="listed")
    made = [client.create_job(**wanted)["Job"]["Id"] for _ in range(5)]

    def listed(**asked: Any) -> list[str]:  # noqa: ANN401 - boto3 has no types
        pages = client.get_paginator("list_jobs").paginate(
            Queue="listed", PaginationConfig={"PageSize": 2}, **asked
        )
        return [one["Id"] for page in pages for one in page["Jobs"]]

    assert listed() == made[::-1]
    assert listed(Order="ASCENDING", Status="SUBMITTED") == made
    assert listed(Status="COMPLETE") == []
    found = client.search_jobs(InputFile=clip.bucket, Queue="listed")["Jobs"]
    assert {one["Id"] for one in found} == set(made)
    for job_id in made:
        client.cancel_job(Id=job_id)
    client.delete_queue(Name="listed")


def test_a_restart_keeps_jobs_and_goes_on_with_them(
    s3_endpoint: str, clip: ClipInBucket, endless_clip: Path, tmp_path: Path
) -> None:
    state = tmp_path / "jobs.sqlite3"
    short = job(clip.address, file_group(clip.bucket))

    with local_server(s3_endpoint, "--state", state) as before:
        client = before.client()
        client.create_preset(Name="mine", Settings={})
        made = client.create_job(**short, ClientRequestToken="t-3")["Job"]["Id"]
        before.ended(made)
        begun = endless_job(before, clip, endless_clip)
        waiting = client.create_job(**short)["Job"]["Id"]
        before.kill()

    with local_server(s3_endpoint, "--state", state) as after:
        client = after.client()
        again = client.create_job(**short, ClientRequestToken="t-3")["Job"]
        assert (again["Id"], again["Status"]) == (made, "COMPLETE")
        found = client.get_job(Id=begun)["Job"]
        assert found["RetryCount"] == 1
        client.cancel_job(Id=begun)
        assert after.ended(waiting)["Status"] == "COMPLETE"
        assert client.get_preset(Name="mine")["Preset"]["Name"] == "mine"
        assert after.stop() == 0
