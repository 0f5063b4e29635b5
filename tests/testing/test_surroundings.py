"""The time zone and the locale in which kits run."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

SHOW: Final = """
import locale
from pathlib import Path
from hvcore.testing.surroundings import far_away

with far_away(Path.cwd() / "locales"):
    print(locale.localeconv()["decimal_point"])
"""
COMPILER: Final = """#!/bin/sh
echo run >> "{counted}"
exec {program} "$@"
"""


def shown(folder: Path, temporary: Path, path: str) -> str:
    """Return the decimal point that a kit in a process of its own has."""
    folder.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", SHOW],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
        env={"PATH": path, "TMPDIR": str(temporary)},
    )
    return done.stdout.strip()


@pytest.fixture
def temporary(tmp_path: Path) -> Path:
    folder = tmp_path / "tmp"
    folder.mkdir()
    return folder


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A PATH with a compiler of locales that counts its runs."""
    program = shutil.which("localedef")
    if program is None:
        pytest.skip("this machine makes no locales")
    folder = tmp_path / "bin"
    folder.mkdir()
    text = COMPILER.format(counted=tmp_path / "counted", program=program)
    (folder / "localedef").write_text(text)
    (folder / "localedef").chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


def test_the_locale_of_kits_is_made_once_for_all_processes(
    tmp_path: Path, temporary: Path, path: str
) -> None:
    found = {shown(tmp_path / name, temporary, path) for name in ("one", "two")}

    assert found == {","}
    assert (tmp_path / "counted").read_text() == "run\n"


def test_a_locale_that_has_lost_files_is_made_again(
    tmp_path: Path, temporary: Path, path: str
) -> None:
    """As by a program that removes old files of the temporary folder."""
    assert shown(tmp_path / "one", temporary, path) == ","
    [numbers] = temporary.rglob("LC_NUMERIC")
    numbers.unlink()

    assert shown(tmp_path / "two", temporary, path) == ","


def test_no_locale_is_taken_from_a_folder_that_others_may_write(
    tmp_path: Path, temporary: Path, path: str
) -> None:
    assert shown(tmp_path / "one", temporary, path) == ","
    [kept] = temporary.iterdir()
    kept.chmod(0o777)

    assert shown(tmp_path / "two", temporary, path) == ","

    assert (tmp_path / "two" / "locales").is_dir()
