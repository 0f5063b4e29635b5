"""
Whole jobs, through a service as its users have it.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import urljoin

import attrs

from hvcore.plugin_api import Ladder, Preset, Speed
from tests.benchmarks.encoding.costs import Cost, cost_of
from tests.support.live import LiveService, live_service, request

PRESET: Final = Preset.HIGH
JOB_WITHIN_S: Final = 3600
_SELDOM_S: Final = 1.0
_OFTEN_S: Final = 0.05
_SHORT_S: Final = 6.0
_NEAR_THE_END_PERCENT: Final = 98


@attrs.frozen(kw_only=True)
class Job:
    """
    A job that ended well.

    Attributes:
        cost: From the request to ``ready``; of every process of the service.
    """

    video_id: str
    cost: Cost


@contextmanager
def service_with(folder: Path, *, workers: int) -> Iterator[LiveService]:
    """
    Run a service with so many encode workers until the block ends.
    """
    folder.mkdir()
    # More is sent in a minute than one key may send.
    with live_service(
        folder, "--workers", str(workers), HV_LIMITS__ENABLED="false"
    ) as service:
        yield service


def run_job(service: LiveService, clip: Path, *, seconds: float) -> Job:
    """
    Send a clip, then measure from the request to ``ready``.

    Args:
        seconds: Of the clip.
    """
    path = service.uploaded(clip)
    answers = []

    def work() -> None:
        # What is taken where a request says nothing.
        usual = {"compressionRatio": Speed.VERYFAST.value}
        answers.append(service.process(path, videoQuality=PRESET.value, **usual))
        is_tiny = seconds <= _SHORT_S
        _wait(service, answers[0].body["videoID"], is_tiny=is_tiny)

    cost = cost_of(work)
    return Job(video_id=answers[0].body["videoID"], cost=cost)


def _wait(service: LiveService, video_id: str, *, is_tiny: bool) -> None:
    """
    Ask often only towards the end: each question costs the service time.

    A tiny job's end is near from the beginning.
    """
    started = time.monotonic()
    while time.monotonic() < started + JOB_WITHIN_S:
        details = service.details(video_id)
        if details["status"]["ready"]:
            return
        if details["status"]["failed"]:
            raise SystemExit(f"The job failed: {details.get('failureReason')}")
        is_near = is_tiny or details.get("progress", 0) >= _NEAR_THE_END_PERCENT
        time.sleep(_OFTEN_S if is_near else _SELDOM_S)
    raise SystemExit(f"The job did not end within {JOB_WITHIN_S} s.")


def save_rungs(
    service: LiveService, job: Job, ladder: Ladder, folder: Path
) -> dict[str, Path]:
    """
    Download each rung as a player would, into one file of its own.
    """
    folder.mkdir()
    files = {}
    for rung in ladder.rungs:
        playlist = service.public_url(job.video_id, f"video-{rung.key}.m3u8")
        files[rung.key] = folder / f"{rung.key}.mp4"
        with files[rung.key].open("wb") as joined:
            for address in _addresses(_body(playlist).decode()):
                joined.write(_body(urljoin(playlist, address)))
    return files


def _addresses(playlist: str) -> Iterator[str]:
    for line in playlist.splitlines():
        if line.startswith("#EXT-X-MAP:"):
            yield line.split('URI="')[1].split('"')[0]
        elif line and not line.startswith("#"):
            yield line


def _body(url: str) -> bytes:
    answer = request("GET", url)
    if answer.status != 200:
        raise SystemExit(f"{url} answered {answer.status}.")
    return answer.data
