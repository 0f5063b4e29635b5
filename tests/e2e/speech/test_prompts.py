"""Seventeen minutes of speech go through the whole service: errors, processor time and memory."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from tests.e2e.speech.process_figures import ListenerWatch, processor_s
from tests.e2e.speech.spoken_clips import (
    ended_jobs,
    listening_service,
    made_in_time,
    with_pictures,
)
from tests.plugins.transcriber_whisper import models
from tests.plugins.transcriber_whisper.prompts import PAUSE_S, prompts, recording
from tests.plugins.transcriber_whisper.word_errors import word_errors, words_of

pytestmark = [pytest.mark.long, pytest.mark.timeout(7200)]

MOST_ERRORS: Final = 0.06
MOST_PROCESSOR_S: Final = 0.25
"""For a second of sound."""
MOST_MEMORY_BYTES: Final = 600 * 10**6
PROMPTS: Final = 127


@pytest.mark.parametrize(
    "model", [lambda _: models.tiny_en(), models.base], ids=["tiny.en", "base"]
)
def test_prompts_are_written_down_with_few_errors_and_little_work(
    model: Callable[[Path], Path], tmp_path: Path
) -> None:
    """Windows cost no words: the recording is as long as four of them."""
    said = prompts()
    assert len(said) == PROMPTS
    sound = recording(said, tmp_path / "prompts.wav")
    clip = with_pictures(sound, tmp_path / "prompts.mp4")
    (folder := tmp_path / "model").mkdir()

    with listening_service(tmp_path, str(model(folder)), "--workers", "1") as service:
        video_id = made_in_time(service, clip, within_s=3000)
        path = f"/v1/videos/{video_id}"
        before_s = processor_s(service)
        with ListenerWatch(service) as watch:
            ordered = service.call(
                "POST", f"{path}/captions/generate", {"languages": ["en"]}
            )
            assert ordered.status == 200, ordered.data
            (job,) = ended_jobs(service, video_id, within_s=4000)
        took_s = processor_s(service) - before_s
        text = service.call("GET", f"{path}/transcript/en?format=text").data.decode()

    assert job["state"] == "ready", job
    words, heard = words_of(" ".join(one.text for one in said)), words_of(text)
    errors = word_errors(words, heard) / len(words)
    duration_s = sum(one.duration_s + PAUSE_S for one in said)
    per_s = took_s / duration_s
    print(  # noqa: T201 - figures of docs/measured/captions.md
        f"\n{len(said)} prompts, {duration_s:.0f} s, {len(words)} words: "
        f"{errors:.1%} wrong, {per_s:.3f} s of processor time a second, "
        f"{watch.most_bytes / 1e6:.0f} MB, confidence {job['confidence']}"
    )
    assert errors <= MOST_ERRORS
    assert per_s <= MOST_PROCESSOR_S
    assert watch.most_bytes <= MOST_MEMORY_BYTES
