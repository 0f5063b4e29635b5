"""
Whatever is killed, whenever: the video gets ready and nothing is left over.
"""

import http.client
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.e2e.clips import ffmpeg_complaints, make_clip
from tests.support.live import (
    LiveService,
    files_below,
    is_left,
    live_service,
    request,
    until,
    words_of,
)

GONE_WITHIN_S = 2.0


@pytest.fixture
def own(tmp_path: Path) -> Iterator[LiveService]:
    with live_service(tmp_path) as running:
        yield running


@pytest.fixture(scope="module")
def repaired(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveService]:
    """
    A service that has to live on after each of several deaths.
    """
    with live_service(tmp_path_factory.mktemp("repaired")) as running:
        yield running


@pytest.fixture(scope="module")
def long_clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_clip(
        tmp_path_factory.mktemp("long") / "long.mp4", seconds=20, size="640x360"
    )


def tree(service: LiveService) -> list[psutil.Process]:
    root = psutil.Process(service.supervisor.pid)
    return [root, *root.children(recursive=True)]


def words(process: psutil.Process) -> list[str]:
    try:
        return words_of(process)
    except psutil.Error:
        return []


def running(service: LiveService, *wanted: str) -> psutil.Process | None:
    found = [p for p in tree(service) if set(wanted) <= set(words(p))]
    # Of several encode workers, the one that encodes.
    return max(found, key=descendants, default=None)


def descendants(process: psutil.Process) -> int:
    try:
        return len(process.children(recursive=True))
    except psutil.NoSuchProcess:
        return 0


def encoding(service: LiveService, video_id: str) -> bool:
    return bool(service.details(video_id).get("progress"))


def assert_gone(processes: list[psutil.Process]) -> None:
    _, alive = psutil.wait_procs(processes, timeout=GONE_WITHIN_S)

    assert [process for process in alive if is_left(process)] == []


def start_encoding(service: LiveService, clip: Path) -> str:
    answer = service.process(service.uploaded(clip), compressionRatio="veryfast")
    video_id = str(answer.body["videoID"])
    until(lambda: encoding(service, video_id), within_s=60, what="encoding")
    return video_id


def assert_plays(service: LiveService, video_id: str) -> None:
    details = service.finished(video_id, within_s=150)
    assert details["status"]["ready"], details
    assert ffmpeg_complaints(service.public_url(video_id)) == ""
    storage = service.data / "storage"

    def attempts() -> int:
        own = storage / "media" / video_id
        files = (path.relative_to(storage) for path in files_below(own))
        return len({path.parts[3] for path in files if path.suffix == ".m4s"})

    # They go right after the video is ready.
    until(lambda: attempts() == 1, within_s=10, what="the end of lost attempts' files")


@pytest.mark.long
def test_killing_the_whole_service_leaves_no_process_and_loses_no_video(
    own: LiveService, long_clip: Path
) -> None:
    video_id = start_encoding(own, long_clip)
    before = tree(own)
    assert any("ffmpeg" in " ".join(words(process)) for process in before)

    own.supervisor.send_signal(signal.SIGKILL)

    assert_gone(before)
    own.start()
    assert_plays(own, video_id)


@pytest.mark.parametrize(
    "wanted",
    [
        pytest.param(("worker", "encode"), id="encode worker"),
        # Random kills reach these, too (tests/torture).
        pytest.param(("worker", "light"), id="light worker", marks=pytest.mark.long),
        pytest.param(("sweep",), id="sweep", marks=pytest.mark.long),
        pytest.param(("api",), id="api", marks=pytest.mark.long),
        pytest.param(("delivery",), id="delivery", marks=pytest.mark.long),
    ],
)
def test_killing_one_process_loses_no_video(
    repaired: LiveService, long_clip: Path, wanted: tuple[str, ...]
) -> None:
    video_id = start_encoding(repaired, long_clip)
    victim = running(repaired, *wanted)
    assert victim is not None
    family = [victim, *victim.children(recursive=True)]

    victim.kill()

    assert_gone(family)
    until(lambda: running(repaired, *wanted), within_s=15, what="the restart")
    repaired.wait_ready()
    assert_plays(repaired, video_id)


@pytest.mark.long
def test_killing_the_queue_loses_no_video(
    repaired: LiveService, long_clip: Path
) -> None:
    video_id = start_encoding(repaired, long_clip)
    # Its Valkey counts the limits, too: no upload is granted without it.
    path = repaired.uploaded(long_clip)
    (queue,) = [
        process
        for process in tree(repaired)
        if any(name in process.name() for name in ("redis-server", "valkey-server"))
    ]

    queue.kill()
    second = repaired.process(path).body["videoID"]

    assert repaired.finished(video_id, within_s=150)["status"]["ready"]
    assert repaired.finished(second, within_s=150)["status"]["ready"]


@pytest.mark.long
def test_killing_everything_during_an_upload_leaves_nothing_half_written(
    own: LiveService, long_clip: Path
) -> None:
    grant = own.call(
        "POST",
        "/v1/api/org_local/environments/live/videos/upload-url",
        {"filename": "a.mp4", "fileSize": long_clip.stat().st_size},
    ).body
    data = long_clip.read_bytes()
    address = grant["signedURL"].removeprefix(own.worker)
    connection = http.client.HTTPConnection("127.0.0.1", own.port + 1, timeout=30)
    connection.putrequest("PUT", address)
    connection.putheader("Content-Type", "video/mp4")
    connection.putheader("Content-Length", str(len(data)))
    connection.endheaders(data[: len(data) // 2])

    own.supervisor.send_signal(signal.SIGKILL)
    own.start()
    connection.close()

    assert own.process_path_is_refused(grant["bucketPath"])
    sent = request(
        "PUT", grant["signedURL"], data=data, headers={"Content-Type": "video/mp4"}
    )
    assert sent.status == 200
    video_id = own.process(grant["bucketPath"]).body["videoID"]
    assert_plays(own, video_id)


def test_deleting_a_running_video_ends_its_encoder_within_two_seconds(
    repaired: LiveService, long_clip: Path
) -> None:
    video_id = start_encoding(repaired, long_clip)
    worker = running(repaired, "worker", "encode")
    assert worker is not None
    encoders = worker.children(recursive=True)
    assert encoders

    answer = repaired.call("DELETE", f"/v1/videos/{video_id}")

    assert answer.status == 200
    assert_gone(encoders)


@pytest.mark.long
def test_a_stop_hands_the_job_back_and_exits_0(
    own: LiveService, long_clip: Path
) -> None:
    video_id = start_encoding(own, long_clip)
    before = tree(own)
    started = time.monotonic()

    assert own.stop() == 0

    assert time.monotonic() - started < 12
    assert_gone(before)
    own.start()
    assert_plays(own, video_id)
