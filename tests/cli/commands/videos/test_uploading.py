"""
``hv upload`` finds a way for the bytes.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from hvcore_cli.commands.videos.api_access import client_at
from hvcore_cli.commands.videos.uploading import UploadWanted, send, wait_until_ready
from hvcore_cli.invocation import CliError
from tests.plugins.client.conftest import open_service
from tests.plugins.client.misbehaving import Told, answering, refusal
from tests.support.http.fixtures import Template, _template
from tests.support.network.swallowing_proxy import swallowing_proxy

__all__ = ["_template"]

NOBODY = "http://127.0.0.1:9"
DONE = Told(body={"body": {"videoID": "vid_2"}})


@pytest.fixture
def wanted(tmp_path: Path) -> UploadWanted:
    path = tmp_path / "clip.webm"
    path.write_bytes(b"not really a video")
    return UploadWanted(path=path, name="Sea", quality="high", is_public=True)


def test_help_does_not_wait_for_the_client() -> None:
    command = [
        sys.executable,
        "-X",
        "importtime",
        "-m",
        "hvcore_cli",
        "upload",
        "--help",
    ]

    loaded = subprocess.run(command, capture_output=True, text=True, check=True).stderr

    assert "hvcore_cli" in loaded
    assert "httpx" not in loaded
    assert "hvcore_client" not in loaded


def test_where_the_upload_address_is_out_of_reach_the_store_gets_the_file(
    wanted: UploadWanted,
) -> None:
    made = {"uploadURL": f"{NOBODY}/uploads/x?signature=SECRET", "expiresAt": 1}
    made |= {"bucketPath": "a", "assetId": "vid_1", "videoID": "vid_1"}
    moment = "2026-01-02T03:04:05.678Z"
    deleted = {"status": "deleted", "deletedAt": moment, "message": ""}
    with answering([DONE]) as server, client_at(server.url, "key") as client:
        grant = {"signedURL": f"{server.url}/bucket/b?signature=x", "expiresAt": 1}
        grant |= {"bucketPath": "b", "assetId": "vid_2", "videoID": "vid_2"}
        server.answers[:0] = [
            Told(status=201, body={"body": made}),
            Told(body={"body": deleted}),
            Told(body={"body": {**grant, "direct": True}}),
            Told(),
        ]

        assert send(client, wanted) == "vid_2"

    _, delete, grant_asked, put, told = server.seen
    assert (delete.method, delete.target) == ("DELETE", "/v1/videos/vid_1")
    assert b'"videoName": "Sea"' in grant_asked.body
    assert (put.body, put.headers["content-type"]) == (
        *(b"not really a video", "video/webm"),
    )
    assert told.target == "/v1/videos/vid_2/upload-complete"


@pytest.mark.parametrize("name", ["HTTP_PROXY", "ALL_PROXY"])
def test_a_far_service_is_called_by_the_proxy_of_the_environment(
    wanted: UploadWanted, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    far = "http://videos.example.com"
    with answering([refusal(403, "forbidden")]) as server:
        monkeypatch.setenv(name, server.url)

        with (
            pytest.raises(CliError, match="403 forbidden"),
            client_at(far, "key", is_far=True) as client,
        ):
            send(client, wanted)

    assert [seen.target for seen in server.seen] == [f"{far}/v1/uploads"]


@pytest.mark.parametrize("is_far", [True, False])
def test_a_service_of_this_machine_is_called_without_a_proxy(
    wanted: UploadWanted, monkeypatch: pytest.MonkeyPatch, *, is_far: bool
) -> None:
    monkeypatch.setenv("HTTP_PROXY", NOBODY)
    with (
        answering([refusal(403, "forbidden")]) as server,
        pytest.raises(CliError, match="403 forbidden"),
        client_at(server.url, "key", is_far=is_far) as client,
    ):
        send(client, wanted)


def test_a_proxy_that_cannot_be_used_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "ftp://proxy.example.com")

    with (
        pytest.raises(CliError, match=r"A proxy of the environment .* cannot be used"),
        client_at("https://videos.example.com", "key", is_far=True),
    ):
        pass


def test_what_the_service_refuses_is_an_error_of_the_command(
    wanted: UploadWanted,
) -> None:
    refused = refusal(403, "forbidden")
    with (
        answering([refused]) as server,
        pytest.raises(CliError, match=r"/v1/uploads: 403 forbidden: No\."),
        client_at(server.url, "key") as client,
    ):
        send(client, wanted)


@pytest.mark.parametrize(("url", "key"), [("127.0.0.1:1", "key"), (NOBODY, "a key")])
def test_what_cannot_be_called_is_said(url: str, key: str) -> None:
    with pytest.raises(CliError, match=r"api_url|API key"), client_at(url, key):
        pass


def test_a_service_that_went_away_is_an_error_of_the_command() -> None:
    waits: list[float] = []

    def wait_in_vain() -> None:
        with client_at(NOBODY, "key") as client:
            client._sleep = waits.append
            wait_until_ready(client, "vid_1")

    with pytest.raises(CliError, match="cannot be reached"):
        wait_in_vain()

    assert len(waits) == 2


def test_an_upload_gives_its_id_whichever_answers_are_lost(
    wanted: UploadWanted,
    _template: Template,  # noqa: PT019 - it is used
    tmp_path: Path,
) -> None:
    (folder := tmp_path / "service").mkdir()
    with (
        swallowing_proxy() as proxy,
        open_service(_template, folder, proxy) as service,
        client_at(service.url, service.key) as client,
    ):
        client._sleep = [].append

        video_id = send(client, wanted)

        proxy.is_swallowing = False
        assert client.get_video(video_id).status.transcoding
        # One that was begun and left is deleted.
        assert [video.id for video in client.list_videos().videos] == [video_id]
    assert {method for method, *_ in proxy.lost} >= {"POST", "HEAD", "DELETE", "PUT"}
