"""Workers are killed while they write down what is said: a window is lost at most, and nothing is said twice."""

import random
import re
from pathlib import Path
from typing import Any, Final

import psutil
import pytest

from hvcore.testing.transcriber import frames_of, silence, write_sound
from tests.e2e.speech.process_figures import encode_workers, listeners
from tests.e2e.speech.spoken_clips import (
    ended_jobs,
    listening_service,
    made_in_time,
    with_pictures,
)
from tests.plugins.transcriber_whisper.models import TINY_EN, tiny_en
from tests.plugins.transcriber_whisper.spoken_sounds import speak
from tests.support.live import LiveService, files_below, until

pytestmark = [pytest.mark.long, pytest.mark.timeout(7200)]

WINDOWS: Final = 5
KILLS_OF_EACH: Final = 4
KILLS: Final = WINDOWS * KILLS_OF_EACH
WINDOW_MINUTES: Final = 5
MINUTES: Final = WINDOWS * WINDOW_MINUTES
SAID: Final = (
    "The meeting begins at the end of the month.",
    "A ship with red sails came into the harbour.",
    "Nobody knows who will open the door tomorrow.",
    "Please send the letter to the old school.",
    "It rained all day, and we stayed at home.",
)
"""For each minute of a window another one: a small model that hears the same sentence again and again makes loops of it."""
LONGEST_WAIT_S: Final = 2.0
_FENCE: Final = re.compile(r"-cap_[0-9A-Za-z]+a(\d+)\.vtt$")


def film(folder: Path) -> Path:
    """Make a film in which a sentence is said at the start of each minute."""
    minutes = []
    for number, words in enumerate(SAID):
        sentence = frames_of(speak(words, folder / f"{number}.wav"))
        minutes.append(sentence + silence(60_000)[len(sentence) :])
    window = b"".join(minutes)
    sound = write_sound(folder / "sound.wav", window * WINDOWS)
    return with_pictures(sound.path, folder / "film.mp4")


def test_20_kills_lose_a_window_each_at_most_and_double_nothing(tmp_path: Path) -> None:
    tiny_en()
    chance = random.Random(62)  # noqa: S311 - the same moments each time
    clip = film(tmp_path)
    settings = {"HV_SHARES__ENCODERS_RESERVED": "0"}
    with listening_service(tmp_path, TINY_EN, "--workers", "1", **settings) as service:
        video_id = made_in_time(service, clip, within_s=1800)
        order(service, video_id)
        undisturbed = captions_of(service, video_id)
        order(service, video_id)
        for _ in range(WINDOWS):
            before = progress(service, video_id)
            for _ in range(KILLS_OF_EACH):
                (listener,) = until(
                    lambda: listeners(service), within_s=600, what="a listener"
                )
                wait_for_end(listener, chance.uniform(0, LONGEST_WAIT_S))
                (worker,) = encode_workers(service)
                worker.kill()
                worker.wait(timeout=60)
            wait_for_progress(service, video_id, before)
        disturbed = captions_of(service, video_id)
        stored = [str(one) for one in files_below(service.data / "storage")]

    fences = [int(found[1]) for one in stored if (found := _FENCE.search(one))]
    (fence,) = fences
    # It grows when a lease begins, and when it is given back or lost.
    leases = (fence + 1) // 2
    print(  # noqa: T201 - figures of docs/measured/captions.md
        f"\n{KILLS} kills, {WINDOWS} windows, {leases} attempts at windows; "
        f"{len(disturbed)} cues, {len(undisturbed)} without kills"
    )
    assert disturbed == undisturbed
    # A sentence may be heard from a moment before its minute on.
    assert {round(cue["startSeconds"]) // 60 for cue in undisturbed} >= set(
        range(MINUTES)
    )
    assert leases <= WINDOWS + 1 + KILLS


def order(service: LiveService, video_id: str) -> None:
    path = f"/v1/videos/{video_id}/captions/generate"
    assert service.call("POST", path, {"languages": ["en"]}).status == 200


def captions_of(service: LiveService, video_id: str) -> list[Any]:
    """Return the cues of a video once its captions are ready."""
    (job,) = ended_jobs(service, video_id, within_s=1800)
    assert job["state"] == "ready", job
    path = f"/v1/videos/{video_id}/transcript/en?format=json"
    cues: list[Any] = service.call("GET", path).body["cues"]
    return cues


def progress(service: LiveService, video_id: str) -> float:
    jobs: list[dict[str, Any]] = service.call(
        "GET", f"/v1/videos/{video_id}/captions"
    ).body["jobs"]
    return float(jobs[0]["progress"])


def wait_for_progress(service: LiveService, video_id: str, before: float) -> None:
    until(
        lambda: progress(service, video_id) > before,
        within_s=1200,
        what="the window of a killed worker",
    )


def wait_for_end(process: psutil.Process, most_s: float) -> None:
    """Wait for a moment while a process works, or until it ends."""
    psutil.wait_procs([process], timeout=most_s)
