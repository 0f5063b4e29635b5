"""
The input of a flusher from the process that starts it, and its messages.
"""

import io
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from hvcore.errors import ConfigError
from hvcore.services.counting.flusher import Flusher
from hvcore.settings import Settings
from hvcore_reference import flushing
from hvcore_reference.flushing import flush_until, packed, read_settings

READ: Final = """
import sys
from hvcore_reference.flushing import read_settings
settings = read_settings(sys.stdin.buffer)
(name,) = settings.plugin_modules
print(__import__(name).__name__)
"""


def test_a_flusher_finds_the_plugins_that_its_parent_finds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "acme_counts.py").touch()
    settings = Settings(data_dir=tmp_path, plugin_modules=("acme_counts",))
    # Where this project is, but not the current folder.
    known = os.pathsep.join(place for place in sys.path if place)
    monkeypatch.setenv("PYTHONPATH", known)
    monkeypatch.chdir(tmp_path)
    # As of who is started with python -m, or -c.
    monkeypatch.syspath_prepend("")

    flusher = subprocess.run(
        # As the supervisor's words: -P leaves the current folder out.
        [sys.executable, "-P", "-c", READ],
        input=packed(settings),
        capture_output=True,
        check=False,
    )

    assert (flusher.stdout, flusher.stderr) == (b"acme_counts\n", b"")


def test_settings_of_another_version_are_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings_bytes = packed(Settings(data_dir=tmp_path))
    monkeypatch.setattr(flushing, "__version__", "7.0.0")

    with pytest.raises(ConfigError, match="start what serves again"):
        read_settings(io.BytesIO(settings_bytes))


def test_a_parent_that_is_gone_tells_nothing() -> None:
    with pytest.raises(EOFError):
        read_settings(io.BytesIO())


def test_a_flusher_failure_that_repeats_is_logged_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    # Tests are not to be slower from here on.
    monkeypatch.setattr(os, "nice", lambda _: 0)
    folder, rounds = tmp_path / "spool", iter(range(6))

    def stopped(_: float) -> bool:
        number = next(rounds)
        # In the way in the rounds 1, 2 and 4, 5.
        if number in {0, 3}:
            shutil.rmtree(folder, ignore_errors=True)
            folder.touch()
        elif number == 2:
            folder.unlink()
            folder.mkdir()
        return number == 5

    flush_until(stopped, Flusher(folder=folder, sinks={}))

    assert caplog.text.count("counts are not flushed; trying again") == 2
