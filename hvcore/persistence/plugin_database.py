"""Give plugins access to the service's own database."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from sqlalchemy import Select, SelectBase
from sqlalchemy.engine import Connection, Engine

from hvcore.persistence.engine import reading, writing
from hvcore.persistence.fast_reads.reads import FastReads, Query, Row


class PluginDatabase:
    """Give a plugin connections to the service's database, and run the plugin's queries; see ports.context.Database."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._reads = FastReads(engine)
        # A plugin has a handful, which are there as long as it is.
        self._questions: dict[SelectBase, Query] = {}
        self._long: dict[Select[Any], Query] = {}

    def reading(self) -> AbstractContextManager[Connection]:
        return reading(self._engine)

    def writing(
        self, *, timeout_ms: int | None = None
    ) -> AbstractContextManager[Connection]:
        return writing(self._engine, timeout_ms=timeout_ms)

    def ask(self, statement: SelectBase, values: Mapping[str, object]) -> Sequence[Row]:
        """Run a query that requests wait for, and return its rows; see ports.context.Database."""
        question = self._questions.get(statement)
        if question is None:
            question = self._questions[statement] = self._reads.prepare(statement)
        return self._reads.all(question, values)

    def ask_for_many(
        self, statement: Select[Any], values: Mapping[str, object]
    ) -> Sequence[Row]:
        """Run a query whose answer has many rows, and return them; see ports.context.Database."""
        question = self._long.get(statement)
        if question is None:
            question = self._long[statement] = self._reads.prepare_page(statement)
        return self._reads.all(question, values)
