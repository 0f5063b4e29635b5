"""
Reads past SQLAlchemy, for the lookups that almost every request makes.

SQLAlchemy still writes the statements. What it costs to run one is what this
leaves out: 5 us instead of 27 on SQLite, and on PostgreSQL the question
whether the connection is alive, a round trip of its own.
"""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any

import attrs
import orjson
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from hvcore.files.changes_file import ChangesFile
from hvcore.persistence.engine import refuse_other_process
from hvcore.persistence.fast_reads.answer_cache import AnswerCache
from hvcore.persistence.fast_reads.postgresql import PostgresqlReader
from hvcore.persistence.fast_reads.readers import Query, Reader, Row
from hvcore.persistence.fast_reads.sqlite import SqliteReader
from hvcore.persistence.shared_statements import KEPT, write_statement

__all__ = ["FastReads", "Query", "Row"]


class FastReads:
    """
    Asks the database; each question stands for itself. Thread-safe.

    Values go in and come out as the database has them: moments are numbers,
    and SQLite's truth is 0 or 1.

    Args:
        changes: Shows when cached answers of a server are no longer valid; None if
            they are not.
    """

    def __init__(self, engine: Engine, changes: ChangesFile | None = None) -> None:
        self._engine = engine
        self.is_sqlite = engine.dialect.name == "sqlite"
        cache = AnswerCache(changes) if changes and not self.is_sqlite else None
        self._reader: Reader = (
            SqliteReader(engine) if self.is_sqlite else PostgresqlReader(engine, cache)
        )
        # Within moments.
        self.waits_for_nobody = self.is_sqlite or cache is not None

    def prepare(self, statement: sa.SelectBase, *, is_remembered: bool = True) -> Query:
        """Make a question; all of its values must be named parameters."""
        text, names = write_statement(statement, self._engine.dialect)
        return Query(text, names, is_remembered=is_remembered)

    def prepare_page(self, statement: sa.Select[Any]) -> Query:
        """
        Make a question whose answer has many rows, in an order.

        SQLite's driver hands the interpreter to another thread and back for
        each row, which busy threads pay dearly for; so all come as one, a list for
        each column. They keep the order of the inner statement: nothing sorts them
        again.
        """
        if not self.is_sqlite:
            # What changes lists is not told by the changes of AnswerCache.
            return self.prepare(statement, is_remembered=False)
        return attrs.evolve(self.prepare(_packed(statement)), is_packed=True)

    def first(self, question: Query, values: Mapping[str, object]) -> Row | None:
        """
        Return the first row, if there is one.

        Raises:
            UnavailableError: The database does not answer.
        """
        rows = self.all(question, values)
        return rows[0] if rows else None

    def all(self, question: Query, values: Mapping[str, object]) -> list[Row]:
        """
        Return all rows.

        Raises:
            UnavailableError: The database does not answer.
        """
        refuse_other_process(self._engine)
        rows = self._reader.ask(question, values)
        if not question.is_packed:
            return rows
        return list(zip(*map(orjson.loads, rows[0]), strict=True))

    def moment(self) -> AbstractContextManager[None]:
        """
        Within the block, answer this thread as of this call, or later.

        What was asked for in an earlier block is not read again if nothing was
        committed in between, which SQLite tells (``PRAGMA data_version``). So
        questions that arrived before the block share one read.

        If answers are cached, nothing waits for a server: answers are at most 0.9 s
        old and newer than the last change on this machine, or there is a
        CacheMissError.

        Raises:
            UnavailableError: The database does not answer.
        """
        refuse_other_process(self._engine)
        return self._reader.moment()

    @property
    def version(self) -> object:
        """
        The version of all answers of this thread's moment; None outside of one.

        Two moments with equal versions have equal answers.
        """
        return self._reader.version


@lru_cache(maxsize=KEPT)
def _packed(statement: sa.Select[Any]) -> sa.Select[Any]:
    rows = statement.subquery("page")
    return sa.select(*(sa.func.json_group_array(column) for column in rows.c))
