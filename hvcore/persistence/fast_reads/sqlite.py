"""Run the queries of FastReads on SQLite, and see when anything was committed."""

import os
import sqlite3
import threading
import weakref
from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Final

from sqlalchemy import event
from sqlalchemy.engine import Engine

from hvcore.errors import UnavailableError
from hvcore.persistence.engine import BUSY_TIMEOUT_MS
from hvcore.persistence.fast_reads.readers import (
    NO_ANSWER,
    EndOfMoment,
    OwnedConnection,
    Query,
    Row,
)

MAX_REMEMBERED: Final = 1000
"""Answers of a thread while nothing changes; about 1 MB."""

_Answers = dict[tuple[str, tuple[object, ...]], list[Row]]


class SqliteReader:
    """Run queries on SQLite, with a connection for each thread: none waits for another."""

    def __init__(self, engine: Engine) -> None:
        self._path = str(engine.url.database)
        self._thread = threading.local()
        self._end = EndOfMoment(self.end_moment)
        self._open: weakref.WeakSet[_Owned] = weakref.WeakSet()
        event.listen(engine, "engine_disposed", lambda _: self._close())

    def ask(self, question: Query, values: Mapping[str, object]) -> list[Row]:
        wanted = tuple([values[name] for name in question.names])
        known = self._known()
        if known is None or not question.is_remembered:
            return self._read(question.text, wanted)
        rows = known.get((question.text, wanted))
        if rows is None:
            rows = self._read(question.text, wanted)
            if len(known) >= MAX_REMEMBERED:
                known.clear()
            known[question.text, wanted] = rows
        return rows

    def moment(self) -> AbstractContextManager[None]:
        """Answer this thread's queries within the block as of the block's beginning; see FastReads.moment."""
        # Of one connection, and of what others commit: this one writes nothing.
        ((number,),) = self._read("PRAGMA data_version", ())
        owned = self._owned()
        if number != owned.data_version:
            owned.answers.clear()
            # Equal to itself alone, and keeps no connection open.
            owned.version = object()
            owned.data_version = number
        self._thread.version = owned.version
        self._thread.answers = owned.answers
        return self._end

    @property
    def version(self) -> object:
        """A value that changes when the answers within this thread's ``moment`` may have changed; see FastReads.version."""
        return getattr(self._thread, "version", None)

    def end_moment(self) -> None:
        """End the moment of the calling thread: the thread's next queries read the newest state of the database."""
        self._thread.version = self._thread.answers = None

    def _known(self) -> _Answers | None:
        return getattr(self._thread, "answers", None)

    def _read(self, text: str, wanted: tuple[object, ...]) -> list[Row]:
        try:
            # All of them: an open cursor would hold back WAL checkpoints.
            rows: list[Row] = self._owned().driver.execute(text, wanted).fetchall()
        except sqlite3.OperationalError as exc:
            self._thread.owned = None
            raise UnavailableError(NO_ANSWER) from exc
        return rows

    def _owned(self) -> "_Owned":
        owned: _Owned | None = getattr(self._thread, "owned", None)
        if owned is None:
            connection = sqlite3.connect(
                self._path,
                # A reader in WAL mode waits for recovery after a crash only.
                timeout=BUSY_TIMEOUT_MS / 1000,
                isolation_level=None,
                # Used by one thread, closed by whichever comes last.
                check_same_thread=False,
            )
            connection.execute("PRAGMA query_only=ON")
            owned = self._thread.owned = _Owned(connection)
            self._open.add(owned)
        return owned

    def _close(self) -> None:
        # Those of threads that go on, too: they open another one.
        self._thread = threading.local()
        for owned in list(self._open):
            owned.driver.close()


class _Owned(OwnedConnection):
    """A thread's connection, and what it has answered since the last commit."""

    def __init__(self, driver: sqlite3.Connection) -> None:
        super().__init__(driver)
        # Of the answers, and the number by which SQLite knows that version.
        self.version: object = None
        self.data_version: int | None = None
        self.answers: _Answers = {}
        _open_connections[id(self)] = self


_open_connections: Final[weakref.WeakValueDictionary[int, _Owned]] = (
    weakref.WeakValueDictionary()
)
_kept_over_forks: Final[list[list[object]]] = []


def _keep_over_fork() -> None:
    """
    Keep the connections of all threads open in the child of the fork that follows.

    Python removes the other threads in the child, and what they own. To close a connection there
    waits for SQLite's own lock, which stays locked for ever if a thread held it during the fork.
    """
    # A list of references: other threads open and close connections meanwhile.
    _kept_over_forks.append([one() for one in _open_connections.valuerefs()])


os.register_at_fork(before=_keep_over_fork, after_in_parent=_kept_over_forks.pop)
