"""
The folder for what DuckDB has no memory for.
"""

import errno
import fcntl
from pathlib import Path

import pytest

from hvcore_analytics_duckdb.spill_folder import SpillFolder


def test_what_a_killed_process_left_goes_and_what_a_living_one_has_stays(
    tmp_path: Path,
) -> None:
    (tmp_path / "killed").mkdir()
    (tmp_path / "killed.lock").touch()
    living = SpillFolder(tmp_path)
    other = SpillFolder(tmp_path)

    assert not (tmp_path / "killed").exists()
    assert living.path.is_dir()
    assert other.path.is_dir()
    living.close()
    other.close()
    assert list(tmp_path.iterdir()) == []


def test_a_file_system_without_locks_has_a_folder_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries: list[int] = []

    def refuse(fd: int, _operation: int) -> None:
        tries.append(fd)
        assert len(tries) < 10, "it tries for ever"
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    own = SpillFolder(tmp_path)
    other = SpillFolder(tmp_path)

    assert own.path.is_dir()
    assert other.path.is_dir()
    own.close()
    other.close()
    assert list(tmp_path.iterdir()) == []
