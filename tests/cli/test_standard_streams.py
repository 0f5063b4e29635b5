"""
What is given as standard output may be closed, full, or of an old encoding.
"""

import base64
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.plugins.client.misbehaving import Told, answering

HV: Final = (sys.executable, "-m", "hvcore_cli")
NOWHERE: Final = {"HV_API_URL": "http://127.0.0.1:9", "HV_API_KEY": "key"}


def hv(
    command: str, folder: Path, **environ: str
) -> subprocess.CompletedProcess[bytes]:
    """
    Run a command in a shell, with ``$HV`` for ``hv``.
    """
    return subprocess.run(  # noqa: S602 - of ours
        command.replace("$HV", " ".join(HV)),
        shell=True,
        executable="/bin/bash",
        cwd=folder,
        env={**os.environ, **environ},
        capture_output=True,
        check=False,
    )


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(
    ("given", "said"),
    [(">/dev/full", "no space left on device"), (">&-", "it is closed")],
)
def test_an_output_that_cannot_be_written_is_said_in_a_sentence(
    tmp_path: Path, given: str, said: str, unbuffered: str
) -> None:
    found = hv(f"$HV --version {given}", tmp_path, PYTHONUNBUFFERED=unbuffered)

    assert found.returncode == 1
    assert found.stderr.decode() == (
        f"Error: Standard output cannot be written: {said}.\n"
    )


def test_a_reader_that_goes_is_told_nothing(tmp_path: Path) -> None:
    found = hv(
        "$HV openapi | head -c 1; exit ${PIPESTATUS[0]}", tmp_path, PYTHONUNBUFFERED=""
    )

    assert (found.returncode, found.stderr) == (1, b"")


def test_closed_streams_are_in_the_way_of_no_file(tmp_path: Path) -> None:
    found = hv(
        "$HV orgs create acme <&- >&- 2>&-; $HV migrate && $HV orgs create acme"
        " >/dev/null <&- 2>&-",
        tmp_path,
    )

    assert found.returncode == 0


def test_what_an_encoding_lacks_is_printed_as_an_escape() -> None:
    code = (
        "from hvcore_cli.standard_streams import prepare_streams; prepare_streams();"
        "from hvcore_cli.output import print_json, put, show;"
        "name = '\\u65e5 \\U0001f469 \\xe9t\\xe9';"
        "put(name); print_json({'name': name})"
    )
    found = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONIOENCODING": "latin-1"},
        capture_output=True,
        check=True,
    )

    line, _, document = found.stdout.decode("latin-1").partition("\n")
    assert line == "\\u65e5 \\U0001f469 \xe9t\xe9"
    assert json.loads(document) == {"name": "\u65e5 \U0001f469 \xe9t\xe9"}


@pytest.mark.parametrize(
    ("environ", "name", "told"),
    [
        ({}, b"\xe9t\xe9.mp4", "\ufffdt\ufffd.mp4"),
        # Of an ASCII locale no byte of the name is text, but it is UTF-8.
        (
            {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
            "\u00e9t\u00e9.mp4".encode(),
            "\u00e9t\u00e9.mp4",
        ),
    ],
)
def test_a_file_whose_name_is_no_text_is_uploaded_all_the_same(
    tmp_path: Path, environ: dict[str, str], name: bytes, told: str
) -> None:
    path = os.fsencode(tmp_path) + b"/" + name
    Path(os.fsdecode(path)).write_bytes(b"a video")
    with answering([Told(status=403, body={"status": {}})]) as server:
        found = subprocess.run(
            [*HV, "upload", path],
            cwd=tmp_path,
            env={**os.environ, **NOWHERE, **environ, "HV_API_URL": server.url},
            capture_output=True,
            check=False,
        )

    assert b"bug in hv" not in found.stderr
    assert b"403" in found.stderr
    named = f"fileName {base64.b64encode(told.encode()).decode()}"
    assert named in server.seen[0].headers["upload-metadata"].split(",")


def test_an_argument_that_is_no_text_is_said_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "clip.mp4").write_bytes(b"a video")
    command = [*HV, "upload", "--name", b"\xe9t\xe9", "clip.mp4"]

    found = subprocess.run(
        command,
        cwd=tmp_path,
        env={**os.environ, **NOWHERE},
        capture_output=True,
        check=False,
    )

    assert found.returncode == 1
    assert "\\udce9t\\udce9 has bytes that are no text" in found.stderr.decode()
    assert b"bug in hv" not in found.stderr
