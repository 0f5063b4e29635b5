"""
Uploads that go straight to the object store, past the service.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.e2e.clips import ffmpeg_complaints, make_clip
from tests.e2e.sites import Site
from tests.e2e.uploads.direct_pages import GIB, sent_past_the_service
from tests.support.live import LiveService, live_service, request, until
from tests.support.stores.object_store import (
    environ_of_swift,
    new_swift_bucket,
    swift_client,
)


@pytest.fixture(scope="module")
def bucket(swift: str) -> str:
    return new_swift_bucket(swift)


@pytest.fixture(scope="module")
def direct(
    tmp_path_factory: pytest.TempPathFactory, swift: str, bucket: str
) -> Iterator[LiveService]:
    """
    A service whose own upload address leads nowhere.
    """
    with live_service(
        tmp_path_factory.mktemp("direct"),
        **environ_of_swift(swift, bucket),
        HV_UPLOADS__DIRECT="auto",
        HV_PUBLIC__UPLOAD_URL="http://127.0.0.1:9",
    ) as service:
        yield service


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("clips")
    return make_clip(folder / "small.mp4", seconds=2, size="640x360")


def begun(service: LiveService, video_id: str) -> bool:
    status = service.details(video_id)["status"]
    return bool(status["transcoding"] or status["ready"])


def test_what_was_sent_to_the_store_plays_and_goes(
    direct: LiveService, small: Path, swift: str, bucket: str
) -> None:
    video = direct.made(small, allowPublicAccess=True)

    assert video["status"]["ready"], video
    assert ffmpeg_complaints(direct.public_url(video["id"])) == ""
    assert direct.call("DELETE", f"/v1/videos/{video['id']}").status == 200

    def left() -> bool:
        found = swift_client(swift).list_objects_v2(Bucket=bucket)
        return any(video["id"] in entry["Key"] for entry in found.get("Contents", []))

    until(lambda: not left(), within_s=30, what="the purge")


@pytest.mark.long
def test_the_command_uploads_there_too(direct: LiveService, small: Path) -> None:
    done = direct.hv("upload", str(small), "--public", "--json")

    assert done.returncode == 0, done.stderr
    video_id = json.loads(done.stdout)["videoID"]
    until(lambda: begun(direct, video_id), within_s=60, what="its processing")


def test_processing_starts_though_nobody_says_so(
    direct: LiveService, small: Path
) -> None:
    wanted = {
        "fileName": "small.mp4",
        "fileSize": small.stat().st_size,
        "contentType": "video/mp4",
    }
    grant = direct.call("POST", "/v1/videos/upload-url", wanted).body
    assert grant["direct"] is True

    refused = request(
        "PUT",
        grant["signedURL"],
        data=small.read_bytes(),
        headers={"Content-Type": "video/webm"},
    )
    early = direct.call("POST", f"/v1/videos/{grant['videoID']}/upload-complete")
    sent = request(
        "PUT",
        grant["signedURL"],
        data=small.read_bytes(),
        headers={"Content-Type": "video/mp4"},
    )

    assert (refused.status, sent.status) == (403, 200)
    assert (early.status, early.json["code"]) == (400, "invalid_gcs_path")
    until(lambda: begun(direct, grant["videoID"]), within_s=60, what="its processing")
    late = direct.call("POST", f"/v1/videos/{grant['videoID']}/upload-complete")
    assert late.body == {"videoID": grant["videoID"]}


@pytest.mark.parametrize(
    "size_bytes",
    [
        1024**2,
        pytest.param(GIB, marks=[pytest.mark.long, pytest.mark.timeout(600)]),
    ],
    ids=["1 MiB", "1 GiB"],
)
def test_a_page_sends_a_film_past_the_service(
    direct: LiveService, site: Site, page: Page, small: Path, size_bytes: int
) -> None:
    page.goto(site.url)
    video_id = sent_past_the_service(
        page, direct, small, size_bytes=size_bytes, stored=200
    )

    assert direct.finished(video_id)["status"]["ready"]
