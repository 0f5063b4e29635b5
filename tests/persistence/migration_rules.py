"""
What a migration does, and what of that a process of an older version would notice.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.operations import ops
from alembic.operations.base import AbstractOperations
from alembic.script import ScriptDirectory
from sqlalchemy.engine import Engine

import hvcore.persistence
from hvcore.persistence.engine import writing

MIGRATIONS: Final = Path(hvcore.persistence.__path__[0]) / "migrations"

_GONE: Final = {
    ops.DropTableOp: "drops a table",
    ops.DropColumnOp: "drops a column",
    ops.RenameTableOp: "renames a table",
}
_NEW_RULES: Final = (
    *(ops.CreateUniqueConstraintOp, ops.CreateCheckConstraintOp),
    *(ops.CreateForeignKeyOp, ops.CreatePrimaryKeyOp),
)
_TAKES_AWAY: Final = re.compile(
    r"\b(DROP\s+(TABLE|COLUMN|VIEW)|RENAME|TRUNCATE|DELETE\s+FROM"
    r"|SET\s+NOT\s+NULL|ALTER\s+COLUMN|ADD\s+CONSTRAINT)\b",
    re.IGNORECASE,
)
_FUNCTION_BODY: Final = re.compile(r"(?<=CREATE FUNCTION )[^$]*\$\$.*\$\$", re.DOTALL)


def alembic_config(folder: Path = MIGRATIONS) -> Config:
    """
    Return what Alembic has to know of both chains of migrations.
    """
    config = Config()
    config.set_main_option("script_location", str(folder))
    config.set_main_option("path_separator", "newline")
    both = f"{folder}/versions\n{folder}/contracts"
    config.set_main_option("version_locations", both)
    return config


def chain(of: str, folder: Path = MIGRATIONS) -> list[str]:
    """
    Return the revisions of a folder, the oldest first.

    Args:
        of: ``versions`` or ``contracts``.
    """
    scripts = ScriptDirectory.from_config(alembic_config(folder))
    found = [
        one.revision
        for one in scripts.walk_revisions()
        if Path(one.path).parent.name == of
    ]
    return found[::-1]


def broken_rules(
    engine: Engine, revision: str, patch: pytest.MonkeyPatch, folder: Path = MIGRATIONS
) -> set[str]:
    """
    Run one migration on a database that has those before it; judge it as an expand.

    Args:
        engine: Of PostgreSQL, which changes tables where SQLite copies them.

    Returns:
        What an older version beside it would fail at, each in words.
    """
    found: set[str] = set()
    made: set[str] = set()
    with (
        patch.context() as own,
        writing(engine) as connection,
        _statements(engine, found),
    ):
        invoke = AbstractOperations.invoke

        def judging(operations: Any, operation: ops.MigrateOperation) -> Any:  # noqa: ANN401 - Alembic's
            if isinstance(operation, ops.CreateTableOp):
                made.add(operation.table_name)
            if isinstance(operation, ops.AddColumnOp):
                made.add(f"{operation.table_name}.{operation.column.name}")
            found.update(_judge(operation, made))
            return invoke(operations, operation)

        own.setattr(AbstractOperations, "invoke", judging)
        config = alembic_config(folder)
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
        connection.commit()
    return found


def _judge(operation: ops.MigrateOperation, made: set[str]) -> Iterator[str]:
    table = getattr(operation, "table_name", "")
    for kind, words in _GONE.items():
        if isinstance(operation, kind):
            yield f"{words}: {table}.{getattr(operation, 'column_name', '')}".rstrip(
                "."
            )
    if isinstance(operation, ops.AddColumnOp):
        column = operation.column
        if not column.nullable and column.server_default is None:
            yield f"adds a column that older versions do not fill: {table}.{column.name}"
    if isinstance(operation, ops.AlterColumnOp):
        yield from _judge_altered(operation)
    is_rule = isinstance(operation, _NEW_RULES) or (
        isinstance(operation, ops.CreateIndexOp) and operation.unique
    )
    table = getattr(operation, "source_table", table)
    # Of a column that is new, older versions write nothing that could break it.
    columns = {f"{table}.{name}" for name in getattr(operation, "columns", ())}
    if is_rule and table not in made and not columns & made:
        yield f"makes a rule that older versions do not know: {table}"


def _judge_altered(operation: ops.AlterColumnOp) -> Iterator[str]:
    place = f"{operation.table_name}.{operation.column_name}"
    if operation.modify_name:
        yield f"renames a column: {place}"
    if operation.modify_nullable is False:
        yield f"asks older versions to fill a column: {place}"
    if operation.modify_type is not None:
        yield f"changes a column's type: {place}"
    if operation.modify_server_default is None:
        yield f"takes a default away: {place}"


@contextmanager
def _statements(engine: Engine, found: set[str]) -> Iterator[None]:
    """
    Judge statements that the migration sends itself, past the operations.
    """

    def look(*args: Any) -> None:  # noqa: ANN401 - SQLAlchemy's
        statement = args[2]
        # Alembic's own notes of how far it has come are none of ours.
        if "alembic_version" in statement:
            return
        # The body of a function is made, and not run.
        if match := _TAKES_AWAY.search(_FUNCTION_BODY.sub("", statement)):
            found.add(f"runs {match.group(0).upper()}")

    sa.event.listen(engine, "before_cursor_execute", look)
    try:
        yield
    finally:
        sa.event.remove(engine, "before_cursor_execute", look)
