"""
Forked processes of the kits' tests.
"""

import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest

from hvcore.testing import children
from hvcore.testing.children import in_child


@pytest.fixture
def locked_at_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """
    Have SQLite hang in the first process that uses it, as after a fork amid a call of it.
    """
    begun, connect = tmp_path / "begun", sqlite3.connect

    def hang_once(*args: Any, **options: Any) -> sqlite3.Connection:  # noqa: ANN401
        try:
            begun.mkdir()
        except FileExistsError:
            return connect(*args, **options)
        threading.Event().wait()
        raise AssertionError

    monkeypatch.setattr(sqlite3, "connect", hang_once)
    monkeypatch.setattr(children, "_USES_SQLITE_WITHIN_S", 0.5)
    return begun


def test_a_child_in_which_sqlite_stays_locked_is_forked_anew(
    locked_at_first: Path,
) -> None:
    worked = in_child(lambda: "worked", timeout_s=30.0)

    assert (worked, locked_at_first.exists()) == ("worked", True)


def test_an_error_of_a_child_is_raised_in_its_parent() -> None:
    def fail() -> str:
        raise ValueError("no lemons")

    with pytest.raises(AssertionError, match="ValueError: no lemons"):
        in_child(fail)
