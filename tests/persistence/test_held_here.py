"""
A thread that waits for SQLite's write lock finds its own connections, and disturbs no other thread.
"""

import gc
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from hvcore.errors import OwnTransactionError
from hvcore.persistence.host_connections.held_here import refuse_holder


class HostConnection(sqlite3.Connection):
    """
    A connection of a library.
    """


@pytest.mark.parametrize("finder", ["get_objects", "get_referrers"])
def test_tuples_are_made_while_connections_are_looked_for(
    finder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    Python fails whoever makes a tuple with a SystemError if anybody else refers to the tuple.

    What is looked at stays referred to, as it does while another thread has its turn.
    """
    path, usual, kept = tmp_path / "a.db", getattr(gc, finder), []

    def keep(*given: object) -> list[object]:
        kept.append(usual(*given))
        return list(kept[-1])

    def making() -> Iterator[int]:
        with closing(sqlite3.connect(path)) as waiting:
            monkeypatch.setattr(gc, finder, keep)
            refuse_holder(str(path), waiting, is_late=True)
            monkeypatch.undo()
        yield 1

    assert tuple(making()) == (1,)


@pytest.mark.parametrize("kind", [sqlite3.Connection, HostConnection])
def test_connections_that_nobody_has_noted_are_found_late(
    kind: type[sqlite3.Connection], tmp_path: Path
) -> None:
    path = tmp_path / "a.db"
    with (
        closing(sqlite3.connect(path, factory=kind, isolation_level=None)) as own,
        closing(sqlite3.connect(path)) as waiting,
    ):
        own.execute("CREATE TABLE t (a)")
        own.execute("BEGIN IMMEDIATE")
        own.execute("INSERT INTO t VALUES (1)")

        refuse_holder(str(path), waiting, is_late=False)
        with pytest.raises(OwnTransactionError):
            refuse_holder(str(path), waiting, is_late=True)
