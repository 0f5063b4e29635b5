"""The page on captions leads from a clone to captions in five commands."""

import os
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

from tests.e2e.speech.spoken_clips import with_pictures
from tests.plugins.transcriber_whisper.models import base
from tests.plugins.transcriber_whisper.spoken_sounds import speak
from tests.support.doc_blocks import code_under
from tests.support.live import free_ports, until

ROOT: Final = Path(__file__).parents[3]
SAID: Final = "The captions are ready in the morning."
MODEL: Final = "hv-data/state/whisper/base"

pytestmark = [pytest.mark.services, pytest.mark.long, pytest.mark.timeout(1200)]


def test_five_commands_lead_from_a_clone_to_captions(tmp_path: Path) -> None:
    """Only the model is not fetched: it is put where the second command would put it."""
    folder = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", ROOT, folder], check=True)
    setup, fetch, up, *others = code_under(
        "how-to/captions.md", "From nothing to captions"
    ).splitlines()
    assert len(others) == 2
    with_pictures(speak(SAID, tmp_path / "a.wav"), folder / "spoken.mp4")

    typed(folder, setup)
    assert fetch.endswith(f" --local-dir {MODEL}")
    assert "--local-dir" in typed(folder, f"{fetch.split()[0]} download --help")
    (folder / MODEL).mkdir(parents=True)
    base(folder / MODEL)
    with running(folder, f"{up} --port {free_ports()}"):
        told = typed(folder, others[0])
        video_id = re.search(r"vid_\w+", told)
        assert video_id, told
        until(
            lambda: "ready" in typed(folder, others[1], VIDEO_ID=video_id[0]),
            within_s=300,
            what="the captions",
        )
        read = typed(
            folder, './hv captions transcript "$VIDEO_ID" en', VIDEO_ID=video_id[0]
        )

    # A voice of a machine: one word or another is heard as its like.
    assert "ready in the morning" in read


def typed(folder: Path, line: str, **environ: str) -> str:
    done = subprocess.run(
        ["bash", "-c", line],
        cwd=folder,
        env=clean_environ() | environ,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@contextmanager
def running(folder: Path, line: str) -> Iterator[None]:
    """Run a command beside others until the block ends."""
    with (folder / "up.log").open("wb") as log:
        process = subprocess.Popen(
            ["bash", "-c", f"exec env {line}"],
            cwd=folder,
            env=clean_environ(),
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    try:
        until(
            lambda: "hv is ready" in (folder / "up.log").read_text(),
            within_s=120,
            what="the service",
        )
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=30)


def clean_environ() -> dict[str, str]:
    """Return the variables of a reader: those of the checkout that is tested say nothing."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith("HV_")
    }
    return {name: kept[name] for name in kept if name != "VIRTUAL_ENV"}
