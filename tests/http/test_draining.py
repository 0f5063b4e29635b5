"""
What a drain is told by the process that starts it.
"""

import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from hv_reference import draining
from hv_reference.draining import packed, read_settings
from hvcore.errors import ConfigError
from hvcore.settings import Settings

READ: Final = """
import sys
from hv_reference.draining import read_settings
settings = read_settings(sys.stdin.buffer)
(name,) = settings.plugin_modules
print(__import__(name).__name__)
"""


def test_a_drain_finds_the_plugins_that_its_parent_finds(
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

    drain = subprocess.run(
        # As the supervisor's words: -P leaves the current folder out.
        [sys.executable, "-P", "-c", READ],
        input=packed(settings),
        capture_output=True,
        check=False,
    )

    assert (drain.stdout, drain.stderr) == (b"acme_counts\n", b"")


def test_settings_of_another_version_are_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = packed(Settings(data_dir=tmp_path))
    monkeypatch.setattr(draining, "__version__", "7.0.0")

    with pytest.raises(ConfigError, match="start what serves again"):
        read_settings(io.BytesIO(told))


def test_a_parent_that_is_gone_tells_nothing() -> None:
    with pytest.raises(EOFError):
        read_settings(io.BytesIO())
