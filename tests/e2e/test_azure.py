"""
A service whose files lie in Azure, whose callers and players go there themselves.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin

import pytest

from tests.azure_store import blob_names, environ_of_azure, new_container
from tests.e2e.clips import ffmpeg_complaints, make_clip
from tests.live import LiveService, live_service, request, until


@pytest.fixture(scope="module")
def container(azure_store: str) -> str:
    return new_container(azure_store)


@pytest.fixture(scope="module")
def service(
    tmp_path_factory: pytest.TempPathFactory, azure_store: str, container: str
) -> Iterator[LiveService]:
    """
    A service whose own upload address leads nowhere.
    """
    with live_service(
        tmp_path_factory.mktemp("azure"),
        **environ_of_azure(azure_store, container),
        HV_UPLOADS__DIRECT="on",
        HV_PLAYBACK__REDIRECTS="true",
        HV_PUBLIC__UPLOAD_URL="http://127.0.0.1:9",
    ) as running:
        yield running


def first_of(playlist: str) -> str:
    """
    Return the first address that a playlist names.
    """
    lines = request("GET", playlist).data.decode().splitlines()
    return urljoin(playlist, next(line for line in lines if not line.startswith("#")))


def test_what_is_sent_to_azure_plays_from_there_and_goes(
    service: LiveService, azure_store: str, container: str, tmp_path: Path
) -> None:
    clip = make_clip(tmp_path / "small.mp4", seconds=2, size="640x360")

    done = service.hv("upload", str(clip), "--public", "--wait", "--json")

    assert done.returncode == 0, done.stderr
    video_id = json.loads(done.stdout)["videoID"]
    playlist = service.public_url(video_id)
    assert ffmpeg_complaints(playlist) == ""
    segment = request("GET", first_of(first_of(playlist)))
    assert segment.headers["Server"].startswith("Azurite")
    assert service.call("DELETE", f"/v1/videos/{video_id}").status == 200
    until(
        lambda: not blob_names(azure_store, container, ""),
        within_s=30,
        what="the purge",
    )
