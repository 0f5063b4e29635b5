"""
Two workers encode one video, and what they publish is one stream.
"""

import json
from pathlib import Path

from tests.live import LiveService, live_service
from tests.plugins.transcoder_ffmpeg.counted import counted_clip, numbers

SECONDS = 50


def workers_of(service: LiveService, video_id: str) -> dict[str, int]:
    listed = service.hv(
        "tasks", "--kind", "transcode.part", "--video", video_id, "--json"
    )
    assert listed.returncode == 0, listed.stderr
    taken: dict[str, int] = {}
    for task in json.loads(listed.stdout)["tasks"]:
        taken[task["worker"]] = taken.get(task["worker"], 0) + 1
    return taken


def test_two_workers_make_one_conformant_video(tmp_path: Path) -> None:
    clip = tmp_path / "clip.mp4"
    sound = ["-f", "lavfi", "-i", f"sine=frequency=440:duration={SECONDS}"]
    counted_clip(clip, frames=SECONDS * 30, more_inputs=sound, more=["-c:a", "aac"])

    with live_service(tmp_path, "--workers", "2") as service:
        details = service.made(clip)

        assert details["status"]["ready"], details
        taken = workers_of(service, details["id"])
        assert len(taken) == 2
        assert sum(taken.values()) == 3
        checked = service.hv("conform", details["id"], "--json")
        assert json.loads(checked.stdout)["conformant"] is True, checked.stdout
        shown = numbers(service.public_url(details["id"]))
        assert shown == list(range(SECONDS * 30))
