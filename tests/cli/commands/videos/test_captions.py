"""
hv captions, without a running service.
"""

import json

import pytest

from tests.cli.commands.videos.test_certificates import VIDEO, stored_video
from tests.cli.conftest import Hv

__all__ = ["stored_video"]


@pytest.fixture
def spoken_video(stored_video: Hv, monkeypatch: pytest.MonkeyPatch) -> Hv:
    """
    A service with a ready video and a transcriber.
    """
    monkeypatch.setenv("HV_EXTRA_PLUGINS", "hvcore.testing.memory_transcriber")
    monkeypatch.setenv("HV_TRANSCRIBER__BACKEND", "memory")
    return stored_video


def test_captions_are_ordered_and_listed(spoken_video: Hv) -> None:
    ordered = spoken_video("captions", "generate", VIDEO, "--language", "DE")
    listed = spoken_video("captions", "list", VIDEO, "--json")

    assert ordered.status == 0, ordered.stderr
    assert "waiting" in ordered.stdout
    told = json.loads(listed.stdout)
    assert told["captions"] == []
    assert [(job["wish"], job["state"]) for job in told["jobs"]] == [("de", "waiting")]


def test_captions_that_cannot_be_made_are_refused(
    stored_video: Hv, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = stored_video("captions", "generate", VIDEO)

    assert refused.status == 1
    assert "no transcriber is set up" in refused.stderr

    monkeypatch.setenv("HV_EXTRA_PLUGINS", "hvcore.testing.memory_transcriber")
    monkeypatch.setenv("HV_TRANSCRIBER__BACKEND", "memory")
    refused = stored_video("captions", "generate", VIDEO, "--language", "ja")

    assert refused.status == 1
    assert "and not ja" in refused.stderr


def test_a_transcript_that_is_not_there_is_not_found(stored_video: Hv) -> None:
    refused = stored_video("captions", "transcript", VIDEO, "en")

    assert refused.status == 1
    assert "no captions in this language" in refused.stderr
