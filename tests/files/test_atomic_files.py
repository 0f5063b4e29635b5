"""
Files that are written whole or not at all.
"""

import os
import threading
from pathlib import Path

import pytest

from hvcore.files.atomic_files import create_file, replace_file


def test_writers_with_the_same_process_id_do_not_meet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As two containers are that share a folder.
    monkeypatch.setattr(os, "getpid", lambda: 1)
    both = threading.Barrier(2)

    def write(letter: str) -> None:
        both.wait()
        for _ in range(50):
            replace_file(tmp_path / "file", letter * 1000)

    threads = [threading.Thread(target=write, args=(one,)) for one in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert (tmp_path / "file").read_text() in {"a" * 1000, "b" * 1000}
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


def test_of_several_that_create_a_file_one_wins(tmp_path: Path) -> None:
    create_file(tmp_path / "file", "first")

    with pytest.raises(FileExistsError):
        create_file(tmp_path / "file", "second")

    assert (tmp_path / "file").read_text() == "first"
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o600
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


def test_a_file_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "file" / "in").mkdir(parents=True)

    with pytest.raises(OSError, match="directory"):
        replace_file(tmp_path / "file", "text")

    assert [one.name for one in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644])
def test_a_replaced_file_may_be_read_by_those_it_is_meant_for(
    tmp_path: Path, mode: int
) -> None:
    replace_file(tmp_path / "file", "text", mode=mode)

    assert (tmp_path / "file").stat().st_mode & 0o777 == mode
