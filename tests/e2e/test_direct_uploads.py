"""
Uploads that go straight to the object store, past the service.
"""

import base64
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import psutil
import pytest
from playwright.sync_api import Page

from tests.e2e.clips import ffmpeg_complaints, make_clip
from tests.e2e.sites import Site
from tests.live import LiveService, live_service, request, until
from tests.object_store import environ_of_swift, new_swift_bucket, swift_client

GIB: Final = 1024**3
FREE_BOX_HEADER: Final = 8
"""Bytes of the header of a box that players skip (ISO/IEC 14496-12, 8.1.2)."""

SEND: Final = """async ({grant, clip, padding}) => {
    const header = new Uint8Array(8);
    new DataView(header.buffer).setUint32(0, padding + 8);
    header.set([0x66, 0x72, 0x65, 0x65], 4);  // "free"
    const film = Uint8Array.from(atob(clip), letter => letter.charCodeAt(0));
    const zeros = new Blob(Array(16).fill(new Uint8Array(1024 * 1024)));
    const rest = [];
    for (let left = padding; left > 0; left -= zeros.size) {
        rest.push(zeros.slice(0, Math.min(left, zeros.size)));
    }
    const file = new Blob([film, header, ...rest]);
    const jobs = [];
    let at = 0;
    for (const part of grant.parts ?? []) {
        jobs.push([part.signedURL, file.slice(at, at += part.size), {}]);
    }
    if (!jobs.length) {
        jobs.push([grant.signedURL, file, {"Content-Type": "video/mp4"}]);
    }
    const statuses = [];
    const work = async () => {
        for (let job; (job = jobs.shift());) {
            const [url, body, headers] = job;
            statuses.push((await fetch(url, {method: "PUT", body, headers})).status);
        }
    };
    await Promise.all([work(), work(), work(), work()]);
    return statuses;
}"""


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


def sent_by_page(
    page: Page, clip: Path, grant: Mapping[str, Any], *, size_bytes: int
) -> list[int]:
    """
    Let a page of somebody's own send a film that is padded to a size.

    Returns:
        The store's answers.
    """
    film = clip.read_bytes()
    statuses: list[int] = page.evaluate(
        SEND,
        {
            "grant": grant,
            "clip": base64.b64encode(film).decode(),
            "padding": size_bytes - len(film) - FREE_BOX_HEADER,
        },
    )
    return statuses


def read_bytes(service: LiveService) -> int:
    """
    Return what the processes that take uploads and requests have read so far.
    """
    processes = psutil.Process(service.supervisor.pid).children(recursive=True)
    told = [
        one.io_counters().read_chars
        for one in processes
        if any(role in " ".join(one.cmdline()) for role in ("upload", "api"))
    ]
    assert told
    return sum(told)


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
    wanted = {
        "fileName": "film.mp4",
        "contentType": "video/mp4",
        "fileSize": size_bytes,
        "parts": True,
    }
    grant = direct.call("POST", "/v1/videos/upload-url", wanted).body
    page.goto(site.url)
    before = read_bytes(direct)

    statuses = sent_by_page(page, small, grant, size_bytes=size_bytes)

    assert statuses == [200] * max(1, size_bytes // (64 * 1024**2))
    assert read_bytes(direct) - before < 1024**2 // 4
    path = f"/v1/videos/{grant['videoID']}/upload-complete"
    done = direct.call("POST", path)
    assert done.status == 200, done.data
    assert direct.finished(grant["videoID"])["status"]["ready"]
