"""
Migrate a database to the schema of this version.

Expands (migrations that only add) run while processes of older versions serve; contracts
(migrations that take away) run once those processes have ended.
"""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.schema import CreateSchema

from hvcore.errors import ConfigError, UnavailableError
from hvcore.persistence.engine import MIGRATION_TIMEOUT_MS, schema_of, writing
from hvcore.persistence.naming import prefix_of
from hvcore.persistence.schema_version import (
    BEHIND,
    COPYING,
    NEWEST_CONTRACT,
    NEWEST_EXPAND,
    VERSION_TABLE,
    SchemaVersion,
    make_version_table,
    read_version,
    schema_version,
    set_versions,
    versions,
)
from hvcore.persistence.tables import metadata
from hvcore.persistence.videos.composed_names import compose_names, have_been_composed
from hvcore.persistence.videos.length_fill import fill_lengths, have_been_filled

if TYPE_CHECKING:
    from alembic.config import Config

FOLDER: Final = Path(__file__).parent / "migrations"
# Any number that nothing else of the database uses.
_LOCK_NUMBER: Final = 0x6876_636F_7265
SCHEMA_MARK: Final = "made by hvcore"
"""The comment of a schema that did not exist before."""
TABLE_WAIT_MS: Final = 1_000
"""
PostgreSQL: for a table that somebody reads, such as a backup. All who ask for the table
meanwhile wait behind us, and a request gives up after 3.5 s.
"""
TRIES_AGAIN_FOR_S: Final = 600.0
"""A backup may read that long."""
_PAUSE_S: Final = 2.0
"""In which those go on who waited behind us."""
_NEWER: Final = (
    "A newer version of hvcore has expanded the database. Run hv migrate --contract "
    "with that version."
)


def migrate(engine: Engine, *, contracts: bool = False, mark: str = "") -> None:
    """
    Migrate the database to this version's schema; make all tables in an empty database.

    Several processes may call this at once: one migrates, the others wait. On PostgreSQL each
    migration is a transaction of its own, so that none holds the locks of another one; on
    SQLite, and in an empty database, all are one. Rows that older versions wrote are brought
    up to date in batches, again with each call.

    Args:
        contracts: Whether to run the contracts, too, which remove what only older
            versions need. No process of an older version may run any more.
        mark: The mark of an unfinished copy that the database has (see ``claim``), and
            keeps.

    Raises:
        UnavailableError: The database does not answer.
        ConfigError: A newer version has run its contracts on the database, or the
            database is another program's or an unfinished copy.
    """
    there = schema_version(engine)
    if there.why_unusable():
        _try_to_migrate(engine, contracts=False, mark=mark)
        there = schema_version(engine)
    if not mark:
        fill_lengths(engine, notes_end=there.awaits_contract)
    if there.awaits_contract:
        compose_names(engine)
        if contracts:
            _try_to_migrate(engine, contracts=True, mark=mark)


def is_broken_off(engine: Engine) -> bool:
    """
    Return whether a migration ended before all rows that older versions wrote were updated; takes a millisecond.

    Args:
        engine: The engine of a database that this version can use.

    Raises:
        UnavailableError: The database does not answer.
    """
    return schema_version(engine).awaits_contract and not (
        have_been_composed(engine) and have_been_filled(engine)
    )


def _try_to_migrate(engine: Engine, *, contracts: bool, mark: str) -> None:
    until = time.monotonic() + TRIES_AGAIN_FOR_S
    while True:
        try:
            is_done = _migrate_once(engine, contracts=contracts, mark=mark)
        except UnavailableError as error:
            if not _waits_for_table(error) or time.monotonic() > until:
                raise
            time.sleep(_PAUSE_S)
        else:
            if is_done:
                return
            until = time.monotonic() + TRIES_AGAIN_FOR_S


def claim(engine: Engine, mark: str) -> None:
    """
    Mark a database without tables as an unfinished copy.

    Raises:
        UnavailableError: The database does not answer.
    """
    with writing(engine) as connection:
        if connection.dialect.name == "postgresql":
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_LOCK_NUMBER})")
            _make_schema(connection)
        said = versions(connection)
        if not any(one.startswith(COPYING) for one in said):
            make_version_table(connection)
            set_versions(connection, [*said, mark])
        connection.commit()


def release(engine: Engine, mark: str) -> None:
    """
    Remove the mark that ``claim`` has written; a database without it is not changed.

    Raises:
        UnavailableError: The database does not answer.
    """
    with writing(engine) as connection:
        _without_mark(connection, mark)
        connection.commit()


def _migrate_once(engine: Engine, *, contracts: bool, mark: str) -> bool:
    """
    Run the next migrations in one transaction.

    Returns:
        False if there are further ones.
    """
    # Longer than usual: a large table may be rewritten meanwhile.
    with writing(engine, timeout_ms=MIGRATION_TIMEOUT_MS) as connection:
        if connection.dialect.name == "postgresql":
            connection.exec_driver_sql("SET LOCAL statement_timeout = 0")
            # SQLite has its one write lock already.
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_LOCK_NUMBER})")
            _make_schema(connection)
            connection.exec_driver_sql(f"SET LOCAL lock_timeout = {TABLE_WAIT_MS}")
        there = _without_mark(connection, mark)
        _refuse(there)
        if there.is_empty:
            _refuse_others_tables(connection)
        goal = max(there.expand, NEWEST_EXPAND)
        if there.expand < NEWEST_EXPAND:
            if there.expand and connection.dialect.name == "postgresql":
                # A lock that keeps readers out is held until the commit.
                goal = _following(there.expand)
            _upgrade(connection, goal)
        is_expanded = goal >= NEWEST_EXPAND
        # On a new database there is no older version to wait for.
        if (
            is_expanded
            and NEWEST_CONTRACT
            and (there.is_empty or (contracts and there.awaits_contract))
        ):
            if there.is_newer:
                raise ConfigError(_NEWER)
            _upgrade(connection, NEWEST_CONTRACT)
        if mark:
            set_versions(connection, [*versions(connection), mark])
        connection.commit()
    return is_expanded


def _waits_for_table(error: UnavailableError) -> bool:
    cause = error.__cause__
    state = getattr(getattr(cause, "orig", cause), "sqlstate", "")
    # Of psycopg: lock_not_available, deadlock_detected.
    return state in {"55P03", "40P01"}


def _without_mark(connection: Connection, mark: str) -> SchemaVersion:
    """Take the mark away, which Alembic would not know, until this transaction ends."""
    if mark:
        said = versions(connection)
        set_versions(connection, [one for one in said if one != mark])
    return read_version(connection)


def _refuse(there: SchemaVersion) -> None:
    why = there.why_unusable()
    # What is only behind is what we are here for.
    if why and why != BEHIND:
        raise ConfigError(why)


def _make_schema(connection: Connection) -> None:
    schema = schema_of(connection.engine)
    # Asked first: to make one needs a right that its user may lack.
    asked = sa.text("SELECT 1 FROM pg_namespace WHERE nspname = :name")
    if schema and connection.execute(asked, {"name": schema}).first() is None:
        connection.execute(CreateSchema(schema))
        # Whoever uninstalls it may not take another program's for ours.
        connection.exec_driver_sql(f"COMMENT ON SCHEMA {schema} IS '{SCHEMA_MARK}'")


def _refuse_others_tables(connection: Connection) -> None:
    prefix = prefix_of(connection.dialect)
    there = set(sa.inspect(connection).get_table_names())
    if prefix + VERSION_TABLE in there:
        return
    taken = sorted(there & {prefix + name for name in metadata.tables})
    if taken:
        raise ConfigError(
            "The database has tables of another program with names of ours "
            f"({', '.join(taken)}); keep the tables apart with a schema "
            "(HV_DATABASE__SCHEMA)."
        )


def _upgrade(connection: Connection, revision: str) -> None:
    # Loaded here: it takes longer than everything else of a start.
    from alembic import command  # noqa: PLC0415

    config = _config()
    config.attributes["connection"] = connection
    command.upgrade(config, revision)


def _following(revision: str) -> str:
    from alembic.script import ScriptDirectory  # noqa: PLC0415

    scripts = ScriptDirectory.from_config(_config())
    # The newest first, without the given one.
    further = scripts.iterate_revisions(NEWEST_EXPAND, revision)
    return [one.revision for one in further][-1]


def _config() -> "Config":
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    folder = str(FOLDER).replace("%", "%%")
    config.set_main_option("script_location", folder)
    config.set_main_option("path_separator", "newline")
    config.set_main_option(
        "version_locations", f"{folder}/versions\n{folder}/contracts"
    )
    return config
