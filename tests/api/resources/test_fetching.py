"""
The routes that make the service fetch a file.
"""

from typing import Any

import pytest

from hvcore.domain.uploads.grants import GrantState, UploadGrant
from tests.support.http.world import ENV, ORG, World, body_of, locations, problem_of
from tests.support.network.outbound import PUBLIC

UPLOAD = "/v1/videos/upload"
DOWNLOAD = "/v1/videos/download"
PROCESS_A = f"/v1/api/{ORG}/environments/{ENV}/videos/process"
URL = "https://media.example/clips/holiday.mp4?signature=very-secret"
VIDEO = {"fileName": "My clip.mov", "videoURL": URL}
FILE = {"sourceUrl": URL}
BOTH = pytest.mark.parametrize(
    ("path", "field", "rest"),
    [(UPLOAD, "videoURL", {"fileName": "a.mp4"}), (DOWNLOAD, "sourceUrl", {})],
)
REFUSED = (
    "http://media.example/a.mp4",
    "https://media.example:8443/a.mp4",
    "https://user:very-secret@media.example/a.mp4",
    "https://127.0.0.1/a.mp4?key=very-secret",
    "https://[::1]/a.mp4#very-secret",
    "https://169.254.169.254/latest/meta-data/",
    "https://2130706433/",
    "https://inside.example/a.mp4?key=very-secret",
    "file:///etc/passwd",
    "media.example/a.mp4?key=very-secret",
    "https://media.example/a b.mp4",
)


@pytest.fixture(autouse=True)
def _known_names(api: World) -> None:
    api.names.set("media.example", [PUBLIC])
    api.names.set("inside.example", [PUBLIC, "10.0.0.1"])


def grants(api: World, path: str) -> UploadGrant:
    with api.services.uow.read() as work:
        found = work.grants.find_path(path)
    assert found is not None
    return found


def details(api: World, video_id: str) -> dict[str, Any]:
    return body_of(api.get(f"/v1/videos/{video_id}"))


def test_upload_answers_with_the_video(api: World) -> None:
    body = body_of(api.post(UPLOAD, VIDEO))

    assert set(body) == {"assetId", "videoID"}
    assert body["assetId"] == body["videoID"]
    found = details(api, body["assetId"])
    assert found["status"] == {"ready": False, "transcoding": True, "failed": False}
    assert found["name"] == "My clip"
    assert found["allowPublicAccess"] is False
    assert found["videoQuality"] == "standard"


def test_a_fetched_video_is_listed_from_the_answer_on(api: World) -> None:
    video_id = body_of(api.post(UPLOAD, VIDEO))["assetId"]

    (item,) = body_of(api.get("/v1/videos"))["videos"]
    assert (item["id"], item["status"]) == (video_id, "transcoding")


def test_upload_takes_every_field_of_upload_url(api: World) -> None:
    wanted = {
        "allowPublicAccess": True,
        "videoQuality": "ultra",
        "videoName": "Chosen",
        "description": "Words",
        "maxEdgeLength": 720,
        "maxFrameRate": 30,
        "pixelFormat": "yuv422p",
        "rateControlMode": "constantBitrate",
        "twoPassVBREncoding": True,
        "compressionRatio": "slower",
        "audioCodec": "mp3",
    }
    more = {"fileSize": 5, "contentType": "video/webm"}

    body = body_of(api.post(UPLOAD, VIDEO | wanted | more))

    found = details(api, body["assetId"])
    found["videoName"] = found["name"]
    assert {name: found[name] for name in wanted} == wanted


def test_download_answers_with_the_path_alone(api: World) -> None:
    body = body_of(api.post(DOWNLOAD, FILE))

    assert set(body) == {"bucketPath"}
    grant = grants(api, body["bucketPath"])
    assert grant.state is GrantState.FETCHING
    assert grant.file_name == "holiday.mp4"


@pytest.mark.parametrize("path", ["/v1/videos/process", PROCESS_A])
def test_a_running_download_can_be_processed(api: World, path: str) -> None:
    bucket_path = body_of(api.post(DOWNLOAD, FILE))["bucketPath"]
    request = {
        "gcsPath": bucket_path,
        "videoQuality": "high",
        "allowPublicAccess": True,
    }

    video_id = body_of(api.post(path, request))["videoID"]

    assert details(api, video_id)["status"]["transcoding"] is True
    assert details(api, video_id)["name"] == "holiday"
    problem_of(api.post(path, request), 409, "processing_in_progress")


def test_another_environments_download_cannot_be_processed(api: World) -> None:
    bucket_path = body_of(api.post(DOWNLOAD, FILE))["bucketPath"]
    request = {
        "gcsPath": bucket_path,
        "videoQuality": "high",
        "allowPublicAccess": True,
    }
    key = api.make_key(env="dev")

    answer = api.post("/v1/videos/process", request, key=key)

    problem_of(answer, 400, "invalid_gcs_path")


@BOTH
@pytest.mark.parametrize("url", REFUSED)
def test_a_target_that_is_known_to_be_refused_is_refused_at_once(
    api: World, path: str, field: str, rest: dict[str, str], url: str
) -> None:
    answer = api.post(path, rest | {field: url})

    problem = problem_of(answer, 400, "invalid_parameters")
    assert locations(problem) == [f"body.{field}"]
    assert problem["detail"].startswith(f"{field} is refused: ")
    assert "very-secret" not in answer.text
    assert api.queue.rung == []


@BOTH
def test_the_value_shows_where_it_leads_and_nothing_secret(
    api: World, path: str, field: str, rest: dict[str, str]
) -> None:
    url = "https://user:very-secret@media.example/a.mp4?key=very-secret#very-secret"

    problem = problem_of(api.post(path, rest | {field: url}), 400, "invalid_parameters")

    assert problem["errors"][0]["value"] == "https://media.example/a.mp4"


def test_all_problems_are_reported_together_in_the_order_of_the_table(
    api: World,
) -> None:
    request = {
        "videoURL": "http://media.example/",
        "videoQuality": "best",
        "fileSize": 0,
        "maxFrameRate": 999,
    }

    problem = problem_of(api.post(UPLOAD, request), 400, "invalid_parameters")

    assert locations(problem) == [
        "body.fileName",
        "body.videoURL",
        "body.videoQuality",
        "body.fileSize",
        "body.maxFrameRate",
    ]


def test_a_name_that_is_not_known_yet_is_taken(api: World) -> None:
    # The name server may be back when the fetch runs; else the video fails.
    body_of(api.post(UPLOAD, VIDEO | {"videoURL": "https://unknown.example/a.mp4"}))


@BOTH
def test_the_address_is_in_no_answer(
    api: World, path: str, field: str, rest: dict[str, str]
) -> None:
    answer = api.post(path, rest | {field: URL})

    assert "very-secret" not in answer.text
    body = body_of(answer)
    if "assetId" in body:
        assert "media.example" not in str(details(api, body["assetId"]))


@pytest.mark.parametrize("name", ["upload", "download"])
def test_family_a_has_no_such_routes(api: World, name: str) -> None:
    path = f"/v1/api/{ORG}/environments/{ENV}/videos/{name}"

    assert api.post(path, VIDEO | FILE).status_code == 404


def test_a_fetch_that_is_deleted_is_over(api: World) -> None:
    video_id = body_of(api.post(UPLOAD, VIDEO))["assetId"]

    body_of(api.delete(f"/v1/videos/{video_id}"))

    problem_of(api.get(f"/v1/videos/{video_id}"), 404, "video_not_found")
    with api.services.uow.read() as work:
        (task,) = work.tasks.of_subject(video_id, kind="fetch.get")
    assert task.state.value == "cancelled"
