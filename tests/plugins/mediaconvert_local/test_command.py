"""
The command says what is wrong before it serves, without a traceback.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.plugins.mediaconvert_local.local_server import CONTRIB, PROGRAM, local_server

ENVIRON = {**os.environ, "PYTHONPATH": str(CONTRIB)}
pytestmark = pytest.mark.services


def said(*options: str | Path) -> str:
    done = subprocess.run(
        [*PROGRAM, "--port", "0", *options],
        env=ENVIRON,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode != 0
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    return done.stderr


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--access-key", "secretword"), "a key must be written as ID:SECRET"),
        (("--events-header", "secretword"), "must be written as 'Name: value'"),
        (("--s3-endpoint", "ftp://x"), "must begin with http:// or https://"),
        (("--state", "/proc/none/x.db"), "Choose another one with --state"),
        (("--ffmpeg", "/none/ffmpeg"), "does not exist"),
    ],
)
def test_what_cannot_be_used_is_named(options: tuple[str, str], words: str) -> None:
    found = said(*options)

    assert words in " ".join(found.split())
    assert "secretword" not in found


def test_two_servers_do_not_share_a_state(s3_endpoint: str, tmp_path: Path) -> None:
    state = tmp_path / "jobs.sqlite3"

    with local_server(s3_endpoint, "--state", state) as first:
        # It listens before the process that serves has opened its state.
        first.client().list_jobs(MaxResults=1)
        found = said("--state", state)

    assert "Is another server using it?" in found


def test_without_its_packages_it_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['falcon'] = None\n"
        "from hvcore_mediaconvert_local.main import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=ENVIRON,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 1
    assert "pip install hvcore-mediaconvert-local" in done.stderr
