"""Clips with speech, services that hear it, and the captions that they make."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from tests.support.live import LiveService, live_service, until

PICTURE: Final = "testsrc=s=160x90:r=1"
"""Few and small pictures: it is the sound that matters."""


def with_pictures(sound: Path, clip: Path) -> Path:
    """Make a clip of a WAV file, with moving pictures for as long as it lasts."""
    coding = "-c:v libx264 -preset ultrafast -pix_fmt yuv420p -c:a aac -b:a 96k"
    inputs = ["-f", "lavfi", "-i", PICTURE, "-i", str(sound)]
    command = ["ffmpeg", "-v", "error", "-nostdin", "-y", *inputs, *coding.split()]
    subprocess.run([*command, "-shortest", str(clip)], check=True)
    return clip


@contextmanager
def listening_service(
    folder: Path, model: str, *words: str, **settings: str
) -> Iterator[LiveService]:
    """Run a service with a Whisper model until the block ends."""
    settings = {
        "HV_TRANSCRIBER__BACKEND": "whisper",
        "HV_TRANSCRIBER__OPTIONS__MODEL": model,
        # The tests ask often how far captions are.
        "HV_LIMITS__API_PER_HOUR": "1000000",
        "HV_LIMITS__VIDEO_OPERATIONS_PER_HOUR": "1000000",
        **settings,
    }
    with live_service(folder, *words, **settings) as running:
        yield running


def made_in_time(service: LiveService, clip: Path, *, within_s: float) -> str:
    """Upload a clip and wait until it is ready; return the video's id."""
    answer = service.process(service.uploaded(clip))
    video_id = str(answer.body["videoID"])
    assert service.finished(video_id, within_s=within_s)["status"]["ready"]
    return video_id


def ended_jobs(
    service: LiveService, video_id: str, *, within_s: float
) -> list[dict[str, Any]]:
    """Wait until all caption jobs of a video have ended; return them."""

    def ended() -> list[dict[str, Any]]:
        jobs: list[dict[str, Any]] = service.call(
            "GET", f"/v1/videos/{video_id}/captions"
        ).body["jobs"]
        return [] if any(job["state"] in _UNENDED for job in jobs) else jobs

    return until(ended, within_s=within_s, what=f"the end of captions of {video_id}")


_UNENDED: Final = ("waiting", "running")
