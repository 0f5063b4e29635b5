"""
A page of somebody's own that sends files past the service, to the object store.
"""

import base64
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import psutil
from playwright.sync_api import Page

from hvcore.domain.uploads.direct import PART_BYTES
from tests.support.live import LiveService

GIB: Final = 1024**3
MOST_READ_BYTES: Final = 256 * 1024
"""Of requests and answers; a film is larger."""
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


def sent_past_the_service(
    page: Page, service: LiveService, clip: Path, *, size_bytes: int, stored: int
) -> str:
    """
    Let a page send a film to the store, of which the service reads nothing.

    Args:
        page: Of a site that the store lets send.
        stored: The store's status for a part that it has.

    Returns:
        The id of the video, which is about to be made.
    """
    wanted = {
        "fileName": "film.mp4",
        "contentType": "video/mp4",
        "fileSize": size_bytes,
        "parts": True,
    }
    grant = service.call("POST", "/v1/videos/upload-url", wanted).body
    before = read_bytes(service)

    statuses = sent_by_page(page, clip, grant, size_bytes=size_bytes)

    assert statuses == [stored] * max(1, size_bytes // PART_BYTES)
    assert read_bytes(service) - before < MOST_READ_BYTES
    video_id = str(grant["videoID"])
    done = service.call("POST", f"/v1/videos/{video_id}/upload-complete")
    assert done.status == 200, done.data
    return video_id


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
