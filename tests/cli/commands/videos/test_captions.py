"""
hv captions, without a running service.
"""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.commands.videos.test_certificates import DATA, VIDEO, stored_video
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


def test_ordered_captions_are_cancelled(spoken_video: Hv) -> None:
    spoken_video("captions", "generate", VIDEO)

    told = spoken_video("captions", "cancel", VIDEO, "--json")

    (job,) = json.loads(told.stdout)["jobs"]
    assert (job["state"], job["reason"]) == (
        "failed",
        "The captions were cancelled before they were made.",
    )


def fail_all(folder: Path, attempts: int = 0, losses: int = 0) -> None:
    """
    Have all caption jobs fail, and their tasks after these attempts and losses.
    """
    with closing(sqlite3.connect(folder / DATA / "hvcore.sqlite3")) as connection:
        connection.execute(
            "UPDATE tasks SET state = 'failed', attempts = ?, losses = ?",
            (attempts, losses),
        )
        connection.execute("UPDATE caption_jobs SET state = 'failed'")
        connection.commit()


@pytest.mark.parametrize("tasks", [{"attempts": 2}, {"losses": 21}])
def test_captions_that_failed_at_every_attempt_are_ordered_again(
    spoken_video: Hv, tmp_path: Path, tasks: dict[str, int]
) -> None:
    spoken_video("captions", "generate", VIDEO, "--language", "de", "--language", "en")
    fail_all(tmp_path, **tasks)

    elsewhere = spoken_video("captions", "retry", "--org", "org_other", "--json")
    retried = spoken_video("captions", "retry", "--json")
    again = spoken_video("captions", "retry", "--json")
    told = spoken_video("captions", "list", VIDEO, "--json")

    assert retried.status == 0, retried.stderr
    (one,) = json.loads(retried.stdout)["captions"]
    assert (one["videoID"], sorted(one["wishes"])) == (VIDEO, ["de", "en"])
    assert one["refusal"] == ""
    assert json.loads(again.stdout)["captions"] == []
    assert elsewhere.status != 0
    assert "org_other" in elsewhere.stderr
    assert {job["state"] for job in json.loads(told.stdout)["jobs"]} == {"waiting"}


def test_captions_that_failed_at_once_for_good_are_not_ordered_again(
    spoken_video: Hv, tmp_path: Path
) -> None:
    spoken_video("captions", "generate", VIDEO, "--language", "de")
    fail_all(tmp_path)

    told = spoken_video("captions", "retry", "--json")

    assert json.loads(told.stdout)["captions"] == []


def test_captions_that_are_refused_are_not_ordered_again(
    spoken_video: Hv, tmp_path: Path
) -> None:
    spoken_video("captions", "generate", VIDEO, "--language", "de")
    fail_all(tmp_path, attempts=2)
    with closing(sqlite3.connect(tmp_path / DATA / "hvcore.sqlite3")) as connection:
        connection.execute("UPDATE videos SET state = 'transcoding'")
        connection.commit()

    told = spoken_video("captions", "retry")

    assert told.status == 0, told.stderr
    assert "The video is not ready yet." in told.stdout


def test_a_wish_that_became_impossible_keeps_no_other_from_being_ordered_again(
    spoken_video: Hv, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spoken_video("captions", "generate", VIDEO, "--language", "de", "--language", "en")
    fail_all(tmp_path, attempts=2)
    monkeypatch.setenv("HV_TRANSCRIBER__OPTIONS__LANGUAGES", "en")

    told = spoken_video("captions", "retry", "--json")

    refusals = {
        one["wishes"][0]: one["refusal"] for one in json.loads(told.stdout)["captions"]
    }
    assert refusals["en"] == ""
    assert "and not de" in refusals["de"]


def test_captions_that_are_ordered_again_are_listed_though_the_transcriber_is_away(
    spoken_video: Hv, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spoken_video("captions", "generate", VIDEO, "--language", "de")
    fail_all(tmp_path, attempts=2)
    monkeypatch.setenv("HV_TRANSCRIBER__BACKEND", "whisper")
    monkeypatch.setenv("HV_TRANSCRIBER__OPTIONS__MODEL", "base")

    told = spoken_video("captions", "retry", "--json")

    assert told.status == 0, told.stderr
    (one,) = json.loads(told.stdout)["captions"]
    assert one["wishes"] == ["de"]
    assert "The transcriber is not available" in one["refusal"]


def test_an_environment_says_which_captions_its_new_videos_get(
    spoken_video: Hv, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HV_TRANSCRIBER__GENERATE", "es")
    env = spoken_video("envs", "list", "org_local", "--json")
    name = json.loads(env.stdout)["environments"][0]["envID"]

    def told(*options: str) -> str:
        done = spoken_video("envs", "captions", "org_local", name, *options)
        assert done.status == 0, done.stderr
        return str(done.stdout).strip()

    assert told() == "es"
    assert told("--language", "DE", "--language", "auto") == "de, auto"
    assert told() == "de, auto"
    assert told("--none") == "none"
    assert told("--inherit") == "es"
    both = spoken_video("envs", "captions", "org_local", name, "--none", "--inherit")
    assert both.status == 2


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
