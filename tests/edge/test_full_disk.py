"""Segments of an object store through an nginx on a full disk."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import attrs
import pytest
from falcon.testing import Result

from hvcore.services.health import HealthStatus
from hvcore_edge.script_settings import CACHE_MIN_FREE_BYTES
from hvcore_web.health import EDGE_DISK_HEADER
from tests.conftest import SettableClock
from tests.edge.edge_site import EdgeSite, WorkerBehindEdge, edge_site
from tests.support.http.delivery_worker import PUBLIC_PATH
from tests.support.live import free_ports, request, until
from tests.support.media_samples import ROOT, index, segments, video_track

pytestmark = pytest.mark.services

SIZE: Final = "1g"
"""Above what the cache leaves free; only what is in use takes memory."""
SEGMENTS: Final = 24
SEGMENT_BYTES: Final = 300_000
"""As of real ones, which nginx cannot hold in the buffers of an answer."""
TOLD_WITHIN_S: Final = 5.0
"""The edge looks at its disk ten times a second, when it is asked for something."""
NEEDS: Final = (
    "This test mounts a small file system. That needs root with CAP_SYS_ADMIN (in a "
    "container: --privileged)."
)


@attrs.frozen
class Disk:
    """A file system of its own, which can be full."""

    folder: Path

    def leave(self, free_bytes: int) -> None:
        """Have no more room; a file as large as the disk would be in memory."""
        size_bytes = shutil.disk_usage(self.folder).used + free_bytes
        _run("mount", "-o", f"remount,size={size_bytes}", str(self.folder))

    def fill(self) -> None:
        """Leave no byte free."""
        self.leave(0)
        with suppress(OSError), (self.folder / "more").open("wb", 0) as file:
            while True:
                file.write(bytes(4096))

    def empty(self) -> None:
        """End ``fill``."""
        _run("mount", "-o", f"remount,size={SIZE}", str(self.folder))

    def cached(self) -> int:
        """Count the cached segments."""
        return sum(one.is_file() for one in (self.folder / "cache").rglob("*"))


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    folder = tmp_path / "edge"
    folder.mkdir()
    _run("mount", "-t", "tmpfs", "-o", f"size={SIZE}", "edge", str(folder))
    try:
        yield Disk(folder)
    finally:
        _run("umount", "-l", str(folder))


@pytest.fixture
def api_listen() -> str:
    return f"127.0.0.1:{free_ports()}"


@pytest.fixture
def site(disk: Disk, api_listen: str) -> Iterator[EdgeSite]:
    folder = disk.folder.parent
    with edge_site(folder, is_local=False, api_listen=api_listen) as made:
        yield made


@pytest.fixture
def worker(site: EdgeSite, clock: SettableClock) -> WorkerBehindEdge:
    made = site.worker(clock, is_public=True)
    media = index(video_track(of=segments([SEGMENT_BYTES] * SEGMENTS)))
    made.storage.objects |= {
        f"{ROOT}/a1/video/720p/{number}.m4s": content_of(number)
        for number in range(SEGMENTS)
    }
    made.change(load_media=lambda: media)
    return made


def test_segments_pass_through_a_full_disk_whole(
    worker: WorkerBehindEdge, disk: Disk
) -> None:
    first, *others = range(SEGMENTS)
    asked = asked_for_media(worker)
    for _ in range(2):
        assert get(worker, first).content == content_of(first)
    assert (len(asked), disk.cached()) == (1, 1)
    worker.served()

    disk.fill()
    until(lambda: not_ok(worker), within_s=TOLD_WITHIN_S, what="a full disk")
    answers = {number: get(worker, number) for number in others}
    part = get(worker, first, Range="bytes=1000-1999")

    assert {one.status_code for one in answers.values()} == {200}
    assert all(answers[one].content == content_of(one) for one in others)
    assert {one.headers["Access-Control-Allow-Origin"] for one in answers.values()} == {
        "*"
    }
    assert {one.headers["Cache-Control"] for one in answers.values()} == {
        "public, max-age=31536000, immutable"
    }
    assert (part.status_code, part.content) == (206, content_of(first)[1000:2000])
    # By this path, on which the edge counts, and not by the service's own.
    assert len(asked) == 1 + len(others) + 1
    assert len(worker.served()) == len(others)
    assert disk.cached() <= 1

    disk.empty()
    until(lambda: not not_ok(worker), within_s=TOLD_WITHIN_S, what="an empty disk")
    before = len(asked)
    for _ in range(2):
        assert get(worker, others[0]).content == content_of(others[0])
    assert len(asked) == before + 1


def test_the_cache_makes_room_for_what_else_is_on_its_disk(
    worker: WorkerBehindEdge, disk: Disk
) -> None:
    for number in range(4):
        get(worker, number)
    assert disk.cached() == 4

    disk.leave(CACHE_MIN_FREE_BYTES // 2)
    # It is looked at every 10 s, and when nginx begins.
    worker.site.edge.reload()

    until(lambda: disk.cached() == 0, within_s=12, what="an empty cache")
    assert health(worker)[0] == "ok"


def test_an_edge_with_a_full_disk_is_degraded_and_stays_ready(
    worker: WorkerBehindEdge, disk: Disk, api_listen: str
) -> None:
    assert health(worker) == ("ok", {"disk": "ok", "edge": "ok"})

    disk.fill()
    until(lambda: not_ok(worker), within_s=TOLD_WITHIN_S, what="a full disk")

    status, checks = health(worker)
    assert (status, checks["disk"]) == ("degraded", "ok")
    assert "HV_EDGE__FOLDER" in checks["edge"]
    api = request("GET", f"http://{api_listen}/health")
    assert (api.status, api.body["checks"]) == (200, checks)
    assert worker.get("/health/ready").status_code == 200


def test_nobody_in_front_tells_of_the_disk_of_an_edge(worker: WorkerBehindEdge) -> None:
    told = worker.get("/health", headers={EDGE_DISK_HEADER: "full"})

    assert told.json["body"]["checks"]["edge"] == "ok"


def test_a_service_that_is_down_is_not_degraded_by_its_edge(
    worker: WorkerBehindEdge, disk: Disk
) -> None:
    worker.delivery_health.status = HealthStatus.DOWN
    disk.fill()
    until(lambda: not_ok(worker), within_s=TOLD_WITHIN_S, what="a full disk")

    assert health(worker)[0] == "down"


def content_of(number: int) -> bytes:
    return (b"segment %d " % number * SEGMENT_BYTES)[:SEGMENT_BYTES]


def asked_for_media(worker: WorkerBehindEdge) -> list[str]:
    """Have the bytes that the edge asks the service for noted, from now on."""
    whole, asked = worker.site.app, list[str]()

    def noting(environ: dict[str, Any], start_response: Any) -> Any:  # noqa: ANN401 - WSGI's own
        if environ["PATH_INFO"].startswith("/v1/edge/media/"):
            asked.append(environ["PATH_INFO"])
        return whole(environ, start_response)

    worker.site.app = noting
    return asked


def get(worker: WorkerBehindEdge, number: int, **headers: str) -> Result:
    return worker.get(f"{PUBLIC_PATH}/video/720p/{number}.m4s", headers=headers)


def health(worker: WorkerBehindEdge) -> tuple[str, dict[str, str]]:
    body = worker.get("/health").json["body"]
    return body["status"], body["checks"]


def not_ok(worker: WorkerBehindEdge) -> bool:
    return health(worker)[1]["edge"] != "ok"


def _run(*words: str) -> None:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(words)}: {done.stderr.strip()}. {NEEDS}")
