"""
Upload grants, in both families.
"""

from datetime import timedelta
from pathlib import Path

import pytest

from hvcore.domain.processing.encoding import AudioCodec
from hvcore.registry.plugin_files import files_in
from hvcore_storage_fsspec.local import LocalStorage
from tests.support.http.world import ENV, ORG, World, body_of, problem_of

A = f"/v1/api/{ORG}/environments/{ENV}/videos/upload-url"
B = "/v1/videos/upload-url"
FILE = {"filename": "clip.mp4", "fileSize": 5}


def test_family_a_grants_an_upload(api: World) -> None:
    body = body_of(api.post(A, FILE))

    assert set(body) == {"signedURL", "bucketPath", "expiresAt"}
    assert body["signedURL"].startswith("https://upload.test/")
    assert body["expiresAt"] == int((api.clock.now() + timedelta(hours=1)).timestamp())


def test_the_environments_id_serves_like_its_name(api: World) -> None:
    body_of(api.post(A.replace(ENV, api.env.id), FILE))


def test_the_file_name_is_no_part_of_the_storage_path(api: World) -> None:
    body = body_of(api.post(A, FILE | {"filename": "../../etc/passwd.mp4"}))

    assert "passwd" not in body["bucketPath"]
    assert ".." not in body["bucketPath"]


@pytest.mark.parametrize("name", ["acme.py", "../plugins/acme.py", "/plugins/acme.py"])
@pytest.mark.parametrize("root", [".", "plugins", "storage"])
def test_an_upload_becomes_no_plugin_of_the_data_folder(
    api: World, tmp_path: Path, root: str, name: str
) -> None:
    (tmp_path / "plugins").mkdir()
    storage = LocalStorage(tmp_path / root)
    path = body_of(api.post(A, FILE | {"filename": name}))["bucketPath"]
    sent = tmp_path / "sent"
    sent.write_text("raise SystemExit")

    storage.put_file(path, sent, content_type="video/mp4")

    assert [*files_in(tmp_path)] == []


def test_family_b_grants_an_upload_and_names_the_video_twice(api: World) -> None:
    body = body_of(api.post(B, {"fileName": "clip.mp4"}))

    assert set(body) == {
        "assetId",
        "videoID",
        "signedURL",
        "bucketPath",
        "expiresAt",
    }
    assert body["assetId"] == body["videoID"]
    assert body["assetId"].startswith("vid_")


def test_an_awaited_video_has_no_true_flag_and_is_in_no_list(api: World) -> None:
    video_id = body_of(api.post(B, {"fileName": "My clip.mp4"}))["assetId"]

    details = body_of(api.get(f"/v1/videos/{video_id}"))

    assert details["status"] == {
        "ready": False,
        "transcoding": False,
        "failed": False,
    }
    assert details["name"] == "My clip"
    assert body_of(api.get("/v1/videos"))["pagination"]["total"] == 0


def test_family_b_processes_once_the_bytes_are_there(api: World) -> None:
    body = body_of(api.post(B, {"fileName": "clip.mp4"}))

    api.upload(body["bucketPath"])

    details = body_of(api.get(f"/v1/videos/{body['assetId']}"))
    assert details["status"]["transcoding"] is True


def test_family_b_keeps_what_was_asked_for(api: World) -> None:
    wanted = {
        "allowPublicAccess": True,
        "videoQuality": "ultra",
        "maxEdgeLength": 1080,
        "maxFrameRate": 30,
        "pixelFormat": "yuv422p10b",
        "rateControlMode": "constantBitrate",
        "twoPassVBREncoding": True,
        "compressionRatio": "slower",
        "audioCodec": "ac3",
        "description": "Words",
    }
    sent = wanted | {"fileName": "clip.mp4", "videoName": "A name"}

    video_id = body_of(api.post(B, sent))["assetId"]

    details = body_of(api.get(f"/v1/videos/{video_id}/details"))
    assert wanted.items() <= details.items()
    assert details["name"] == "A name"


def test_family_b_refuses_a_codec_that_the_encoder_lacks(api: World) -> None:
    api.transcoder.lacks_audio(AudioCodec.AAC_HE)

    result = api.post(B, {"fileName": "a.mp4", "audioCodec": "aac-he"})

    document = problem_of(result, 422, "invalid_parameters")
    assert "scratch 1.0" in document["detail"]


@pytest.mark.parametrize("path", [A, B])
def test_an_empty_type_is_none(api: World, path: str) -> None:
    name = "filename" if path == A else "fileName"
    wanted = {name: "clip.mp4", "fileSize": 5, "contentType": ""}

    body_of(api.post(path, wanted))


@pytest.mark.parametrize(
    "given",
    ["video/mp4;\r\nX-Amz-Acl: public", "video/mp4; é", "video/mp4;" + "x" * 255],
)
def test_a_type_that_can_be_no_header_is_refused(api: World, given: str) -> None:
    problem_of(
        api.post(B, {"fileName": "clip.mp4", "contentType": given}),
        400,
        "unsupported_format",
    )
