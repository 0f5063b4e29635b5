"""A model that tells languages apart does so for videos whose language nobody has named."""

from pathlib import Path

import pytest

from tests.e2e.speech.spoken_clips import ended_jobs, listening_service, with_pictures
from tests.plugins.transcriber_whisper.models import base
from tests.plugins.transcriber_whisper.spoken_sounds import speak
from tests.plugins.transcriber_whisper.test_silence import TEXTS

pytestmark = [pytest.mark.long, pytest.mark.timeout(1800)]


def test_english_german_and_spanish_are_told_apart(tmp_path: Path) -> None:
    (folder := tmp_path / "model").mkdir()
    found = {}
    with listening_service(tmp_path, str(base(folder))) as service:
        for voice, text in TEXTS.items():
            sound = speak(text, tmp_path / f"{voice}.wav", language=voice)
            clip = with_pictures(sound, tmp_path / f"{voice}.mp4")
            video_id = service.made(clip, generateCaptions=True)["id"]
            (job,) = ended_jobs(service, video_id, within_s=600)
            found[voice] = (job["state"], job["language"], job["languageAssumed"])

    assert found == {
        "de": ("ready", "de", False),
        "es": ("ready", "es", False),
        "en-us": ("ready", "en", False),
    }
