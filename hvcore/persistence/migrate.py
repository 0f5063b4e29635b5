"""
Bring a database to the present schema.
"""

from pathlib import Path
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.schema import CreateSchema

from hvcore.errors import ConfigError
from hvcore.persistence.engine import (
    MIGRATION_TIMEOUT_MS,
    reading,
    schema_of,
    writing,
)
from hvcore.persistence.naming import prefix_of
from hvcore.persistence.tables import metadata

HEAD: Final = "0015"
"""The newest migration. A constant, so that asking does not load Alembic."""

# Any number that nothing else of the database uses.
_LOCK_NUMBER: Final = 0x6876_636F_7265
VERSION_TABLE: Final = "alembic_version"
"""Before a prefix; another program's is another table."""
COPYING: Final = "copying:"
"""What the version of a database begins with while another one is copied into it."""
UNFINISHED: Final = (
    "The database is an unfinished copy of another one. Finish it: run hv migrate --to "
    "there, or hv restore here, once more. Or take an empty database."
)
_APART: Final = "keep the tables apart with a schema (HV_DATABASE__SCHEMA)"


def is_current(engine: Engine) -> bool:
    """
    Return whether the database has the present schema; a millisecond.

    Raises:
        UnavailableError: The database does not answer.
    """
    with reading(engine) as connection:
        return _is_current(connection)


def migrate(engine: Engine) -> None:
    """
    Bring the database to the present schema, in one transaction.

    Several processes may try at once; one does it, the others wait.

    Raises:
        UnavailableError: The database does not answer.
        ConfigError: It is of a newer version, another program's, or an unfinished copy.
    """
    if is_current(engine):
        return
    # Longer than usual: a large table may be rewritten meanwhile.
    with writing(engine, timeout_ms=MIGRATION_TIMEOUT_MS) as connection:
        if connection.dialect.name == "postgresql":
            connection.exec_driver_sql("SET LOCAL statement_timeout = 0")
            # SQLite has its one write lock already.
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_LOCK_NUMBER})")
            _make_schema(connection)
        if not _is_current(connection):
            if any(one.startswith(COPYING) for one in versions(connection)):
                raise ConfigError(UNFINISHED)
            _refuse_others_tables(connection)
            _upgrade(connection)
        connection.commit()


def versions(connection: Connection) -> list[str]:
    """
    Return what the database says of its version; nothing if it has no tables.
    """
    version = _version_table(connection)
    if not sa.inspect(connection).has_table(version.name):
        return []
    return list(connection.execute(sa.select(version.c.version_num)).scalars())


def set_version(connection: Connection, version: str) -> None:
    """
    Write another version into a database that has one.
    """
    table = _version_table(connection)
    connection.execute(sa.update(table).values(version_num=version))


def _version_table(connection: Connection) -> sa.TableClause:
    name = prefix_of(connection.dialect) + VERSION_TABLE
    return sa.table(name, sa.column("version_num", sa.Text))


def _is_current(connection: Connection) -> bool:
    return versions(connection) == [HEAD]


def _make_schema(connection: Connection) -> None:
    schema = schema_of(connection.engine)
    # Asked first: to make one needs a right that its user may lack.
    asked = sa.text("SELECT 1 FROM pg_namespace WHERE nspname = :name")
    if schema and connection.execute(asked, {"name": schema}).first() is None:
        connection.execute(CreateSchema(schema))


def _refuse_others_tables(connection: Connection) -> None:
    prefix = prefix_of(connection.dialect)
    there = set(sa.inspect(connection).get_table_names())
    if prefix + VERSION_TABLE in there:
        return
    taken = sorted(there & {prefix + name for name in metadata.tables})
    if taken:
        raise ConfigError(
            "The database has tables of another program with names of ours "
            f"({', '.join(taken)}); {_APART}."
        )


def _upgrade(connection: Connection) -> None:
    # Loaded here: it takes longer than everything else of a start.
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415
    from alembic.util.exc import CommandError  # noqa: PLC0415

    config = Config()
    config.set_main_option(
        "script_location", str(Path(__file__).parent / "migrations").replace("%", "%%")
    )
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, "head")
    except CommandError as exc:
        raise ConfigError(
            "The database is of a newer version of hvcore than this one; install "
            "that version, or restore a backup. If its alembic_version is another "
            f"program's, {_APART}."
        ) from exc
