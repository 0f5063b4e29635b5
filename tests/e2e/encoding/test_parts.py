"""
Several workers encode one video, and what they publish is one stream.
"""

import json
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from hvcore.domain.tasks.task import Lane
from hvcore_cli.data_folder import DataFolder
from hvcore_cli.processes.queue_server import queue_socket
from hvcore_queue_rq.backend import RqQueue
from hvcore_queue_rq.options import RqOptions
from tests.plugins.transcoder_ffmpeg.counted import counted_clip, numbers
from tests.support.hv_processes import HV
from tests.support.live import LiveService, live_service, until

SECONDS = 50
LONG_S = 400


def workers_of(service: LiveService, video_id: str) -> dict[str, int]:
    listed = service.hv(
        "tasks", "--kind", "transcode.part", "--video", video_id, "--json"
    )
    assert listed.returncode == 0, listed.stderr
    taken: dict[str, int] = {}
    for task in json.loads(listed.stdout)["tasks"]:
        taken[task["worker"]] = taken.get(task["worker"], 0) + 1
    return taken


def encoders_of(service: LiveService) -> int:
    """
    Count the workers that the queue knows of: a job is cut for as many.
    """
    url = f"unix://{queue_socket(DataFolder(service.data))}"
    with closing(RqQueue(url=url, prefix=RqOptions(url=url).prefix)) as queue:
        return queue.workers(Lane.ENCODE)


@contextmanager
def joined_worker(service: LiveService) -> Iterator[None]:
    """
    Run one more worker, started by hand, until the block ends.
    """
    queue = queue_socket(DataFolder(service.data))
    worker = subprocess.Popen(
        [*HV, "worker", "--lane", "encode"],
        env={**service.environ, "HV_QUEUE__OPTIONS__URL": f"unix://{queue}"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield
    finally:
        worker.terminate()
        worker.wait(timeout=20)


@pytest.mark.long
def test_two_workers_make_one_conformant_video(tmp_path: Path) -> None:
    clip = tmp_path / "clip.mp4"
    sound = ["-f", "lavfi", "-i", f"sine=frequency=440:duration={SECONDS}"]
    counted_clip(clip, frames=SECONDS * 30, more_inputs=sound, more=["-c:a", "aac"])

    with live_service(tmp_path, "--workers", "2") as service:
        until(lambda: encoders_of(service) == 2, within_s=60, what="both workers")
        details = service.made(clip)

        assert details["status"]["ready"], details
        taken = workers_of(service, details["id"])
        assert len(taken) == 2
        assert sum(taken.values()) == 3
        checked = service.hv("conform", details["id"], "--json")
        assert json.loads(checked.stdout)["conformant"] is True, checked.stdout
        shown = numbers(service.public_url(details["id"]))
        assert shown == list(range(SECONDS * 30))


@pytest.mark.long
def test_a_worker_that_joins_later_takes_parts(tmp_path: Path) -> None:
    clip = tmp_path / "clip.mp4"
    larger = "scale=160:160:flags=neighbor"
    counted_clip(clip, frames=LONG_S * 30, filters=larger)

    with live_service(tmp_path, "--workers", "1") as service:
        path = service.uploaded(clip)
        # Large and slow enough that there is time to join.
        started = service.process(path, compressionRatio="ultraslow")
        video_id = started.body["videoID"]
        until(
            lambda: service.details(video_id).get("progress"),
            within_s=60,
            what="the first part",
        )
        with joined_worker(service):
            details = service.finished(video_id)

        assert details["status"]["ready"], details
        assert len(workers_of(service, video_id)) == 2
        assert numbers(service.public_url(video_id)) == list(range(LONG_S * 30))
