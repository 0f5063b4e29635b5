"""
The process route, in both families.
"""

import attrs
import pytest

from hvcore.domain.processing.encoding import AudioCodec, PixelFormat, Speed
from tests.support.http.world import ENV, ORG, World, body_of, locations, problem_of

GRANT = f"/v1/api/{ORG}/environments/{ENV}/videos/upload-url"
A = f"/v1/api/{ORG}/environments/{ENV}/videos/process"
B = "/v1/videos/process"
FAMILIES = pytest.mark.parametrize("path", [A, B])


def granted(api: World) -> str:
    body = body_of(api.post(GRANT, {"filename": "clip.mp4", "fileSize": 5}))
    path: str = body["bucketPath"]
    return path


def uploaded(api: World) -> dict[str, object]:
    path = granted(api)
    api.upload(path)
    return {"gcsPath": path, "videoQuality": "high", "allowPublicAccess": False}


@FAMILIES
def test_process_makes_a_video_of_the_uploaded_bytes(api: World, path: str) -> None:
    video_id = body_of(api.post(path, uploaded(api)))["videoID"]

    details = body_of(api.get(f"/v1/videos/{video_id}"))
    assert details["status"]["transcoding"] is True
    assert details["name"] == "clip"
    assert details["videoQuality"] == "high"
    assert details["allowPublicAccess"] is False
    assert details["duration"] == "0:00"
    assert details["encodings"] == []
    assert details["progress"] == 0


@FAMILIES
def test_process_answers_nothing_but_the_id(api: World, path: str) -> None:
    assert set(body_of(api.post(path, uploaded(api)))) == {"videoID"}


@FAMILIES
def test_a_second_process_is_a_conflict(api: World, path: str) -> None:
    request = uploaded(api)
    body_of(api.post(path, request))

    problem_of(api.post(path, request), 409, "processing_in_progress")


@FAMILIES
def test_bytes_that_are_not_there_cannot_be_processed(api: World, path: str) -> None:
    request = {
        "gcsPath": granted(api),
        "videoQuality": "high",
        "allowPublicAccess": True,
    }

    problem_of(api.post(path, request), 400, "invalid_gcs_path")


@pytest.mark.parametrize(
    "path", ["unknown", "uploads/org_a/env/x", "../plugins/acme.py", "/", "%00", "é"]
)
def test_an_unknown_path_cannot_be_processed(api: World, path: str) -> None:
    request = {"gcsPath": path, "videoQuality": "high", "allowPublicAccess": True}

    problem_of(api.post(A, request), 400, "invalid_gcs_path")


def test_another_environments_upload_cannot_be_processed(api: World) -> None:
    request = uploaded(api)
    key = api.make_key(env="dev")

    problem_of(api.post(B, request, key=key), 400, "invalid_gcs_path")


@FAMILIES
def test_a_failed_video_is_tried_again_with_the_new_settings(
    api: World, path: str
) -> None:
    request = uploaded(api)
    video_id = body_of(api.post(path, request))["videoID"]
    api.fail(video_id)

    again = api.post(path, request | {"videoQuality": "ultra"})

    assert body_of(again)["videoID"] == video_id
    details = body_of(api.get(f"/v1/videos/{video_id}"))
    assert details["status"]["transcoding"] is True
    assert details["videoQuality"] == "ultra"


def test_a_file_whose_video_is_in_the_bin_cannot_be_processed(api: World) -> None:
    request = uploaded(api)
    video_id = body_of(api.post(A, request))["videoID"]
    api.fail(video_id)
    body_of(api.delete(f"/v1/videos/{video_id}?keepHours=1"))

    problem = problem_of(api.post(A, request), 400, "invalid_gcs_path")

    assert "The video of this upload was deleted." in str(problem)


@pytest.mark.parametrize(
    ("changes", "answer", "where"),
    [
        ({"gcsPath": None}, (400, "invalid_gcs_path"), ["body.gcsPath"]),
        ({"gcsPath": 7}, (422, "invalid_gcs_path"), ["body.gcsPath"]),
        ({"videoQuality": "best"}, (400, "invalid_quality_preset"), None),
        ({"allowPublicAccess": "yes"}, (422, "invalid_parameters"), None),
        ({"compressionRatio": "slow"}, (400, "invalid_parameters"), None),
        (
            {"audioCodec": 1, "videoQuality": None, "maxFrameRate": 0},
            (400, "invalid_quality_preset"),
            ["body.videoQuality", "body.maxFrameRate", "body.audioCodec"],
        ),
    ],
)
@FAMILIES
def test_process_refuses(
    api: World,
    path: str,
    changes: dict[str, object],
    answer: tuple[int, str],
    where: list[str] | None,
) -> None:
    request = {"gcsPath": "x", "videoQuality": "high", "allowPublicAccess": True}

    document = problem_of(api.post(path, request | changes), *answer)

    if where is not None:
        assert locations(document) == where


@pytest.mark.parametrize(
    ("field", "lacking"),
    [
        *(("pixelFormat", one) for one in PixelFormat if one.value != "autoDetect"),
        *(("compressionRatio", one) for one in Speed),
        *(("audioCodec", one) for one in AudioCodec),
    ],
)
def test_each_value_is_taken_unless_the_encoder_lacks_it(
    api: World, field: str, lacking: PixelFormat | Speed | AudioCodec
) -> None:
    asked = {field: lacking.value}
    able = api.transcoder.able

    body_of(api.post(B, uploaded(api) | asked))
    api.transcoder.able = attrs.evolve(
        able,
        pixel_formats=able.pixel_formats - {lacking},
        speeds=able.speeds - {lacking},
        audio_codecs=able.audio_codecs - {lacking},
    )
    document = problem_of(api.post(B, uploaded(api) | asked), 422, "invalid_parameters")

    assert locations(document) == [f"body.{field}"]


@FAMILIES
def test_process_refuses_what_the_encoder_lacks(api: World, path: str) -> None:
    api.transcoder.lacks_audio(AudioCodec.AAC_HE_V2)
    request = uploaded(api) | {"audioCodec": "aac-he-v2"}

    document = problem_of(api.post(path, request), 422, "invalid_parameters")

    assert "scratch 1.0" in document["detail"]
    assert locations(document) == ["body.audioCodec"]
