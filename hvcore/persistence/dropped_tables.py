"""
Remove the tables of an installation, and list the storage paths of its files.

Another program may have tables in the same database, also some of the same names in another
schema; no function here touches these.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import DBAPIError

from hvcore.domain.ids import EnvId, OrgId, VideoId
from hvcore.domain.media_paths import media_prefix
from hvcore.domain.uploads.grants import uploads_prefix
from hvcore.errors import ConfigError, UnavailableError
from hvcore.persistence.engine import (
    MIGRATION_TIMEOUT_MS,
    reading,
    schema_of,
    writing,
)
from hvcore.persistence.migrate import SCHEMA_MARK
from hvcore.persistence.naming import prefix_of
from hvcore.persistence.schema_version import (
    BEHIND,
    VERSION_TABLE,
    read_version,
    schema_version,
)
from hvcore.persistence.spoken.forgetting import drop_forgetting
from hvcore.persistence.spoken.index import SPOKEN_INDEX
from hvcore.persistence.tables import environments, metadata, videos
from hvcore.persistence.videos.search_index import NAME_INDEX

_EXTENSIONS: Final = ("pg_trgm", "btree_gin")
"""Which the index of names needs; made in our schema if nobody has made them before."""
_IS_OURS: Final = sa.text(
    "SELECT obj_description(oid, 'pg_namespace') = :mark FROM pg_namespace "
    "WHERE nspname = :schema"
)
_EXTENSIONS_HERE: Final = sa.text(
    "SELECT extname FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace "
    "WHERE nspname = :schema"
)

_REFERRING: Final = sa.text(
    'SELECT there.name, keys."table" FROM sqlite_master AS there, '
    "pragma_foreign_key_list(there.name) AS keys WHERE there.type = 'table' "
    "ORDER BY there.name"
)
_NEEDED: Final = (
    "Something of another program refers to these tables; remove it first: "
)


def tables_place(engine: Engine) -> str:
    """
    Return the name of the schema that has the service's tables, or of the database if they have no schema of their own.

    Raises:
        UnavailableError: The database does not answer.
    """
    name = schema_of(engine) or (engine.url.database or "").rpartition("/")[2]
    if name:
        return name
    # The URL leaves it to the server or the environment.
    with reading(engine) as connection:
        return str(connection.execute(sa.select(sa.func.current_database())).scalar())


def refuse_unknown_tables(engine: Engine) -> None:
    """
    Raise ConfigError if the database's tables are not exactly those of this version; no tables are fine.

    The recorded version alone proves nothing: another program may number its migrations alike.

    Raises:
        ConfigError: The tables are of another version, of an unfinished copy, or of another
            program.
        UnavailableError: The database does not answer.
    """
    with reading(engine) as connection:
        there = read_version(connection)
        if there.is_empty:
            return
        why = there.why_unusable()
        if why == BEHIND:
            raise ConfigError(
                "The tables are of an older version of hvcore, or another program's. If "
                "they are hvcore's, run hv.migrate() with this version first."
            )
        if why:
            raise ConfigError(why)
        if there.is_newer:
            raise ConfigError(
                "A newer version of hvcore has expanded the database; uninstall it with "
                "that version."
            )
        _refuse_missing(connection)


def _refuse_missing(connection: Connection) -> None:
    prefix = prefix_of(connection.dialect)
    has_table = sa.inspect(connection).has_table
    names = sorted(prefix + name for name in metadata.tables)
    missing = [name for name in names if not has_table(name)]
    if missing:
        raise ConfigError(
            f"The tables are not all of hvcore's: {', '.join(missing[:3])} is not there. "
            "If alembic_version is another program's, there is nothing to uninstall."
        )


def object_prefixes(engine: Engine) -> Sequence[str]:
    """
    Return the storage path prefixes of all videos and of each environment's uploads; empty if there are no tables.

    Raises:
        UnavailableError: The database does not answer.
    """
    if schema_version(engine).is_empty:
        return []
    with reading(engine) as connection:
        of_videos = connection.execute(sa.select(videos.c.id)).scalars()
        found = [media_prefix(VideoId(one)) for one in of_videos]
        # An organization's name is not ours alone: a host's own folder may have it.
        of_environments = connection.execute(
            sa.select(environments.c.org_id, environments.c.id)
        )
        uploads = [
            uploads_prefix(OrgId(org_id), EnvId(env_id))
            for org_id, env_id in of_environments
        ]
        return [*found, *uploads]


def drop_tables(engine: Engine) -> None:
    """
    Remove the service's own tables.

    Raises:
        ConfigError: A table of another program refers to a table of the service.
        UnavailableError: The database does not answer.
    """
    with _droppable(engine) as connection:
        connection.commit()


def refuse_needed_tables(engine: Engine) -> None:
    """
    Raise ConfigError if a table of another program refers to a table of the service.

    Raises:
        ConfigError: Another program's table refers to a table of the service; the message quotes
            the database's.
        UnavailableError: The database does not answer.
    """
    with _droppable(engine) as connection:
        connection.rollback()


@contextmanager
def _droppable(engine: Engine) -> Iterator[Connection]:
    """Open a transaction in which the tables are gone, if there were any."""
    is_empty = schema_version(engine).is_empty
    with writing(engine, timeout_ms=MIGRATION_TIMEOUT_MS) as connection:
        if not is_empty:
            _drop_all(connection)
        yield connection


def _drop_all(connection: Connection) -> None:
    prefix = prefix_of(connection.dialect)
    tables = [table.name for table in reversed(metadata.sorted_tables)]
    names = [prefix + name for name in (*tables, VERSION_TABLE)]
    on_server = connection.dialect.name == "postgresql"
    if not on_server:
        _refuse_referring(connection, names)
    NAME_INDEX.drop(connection)
    SPOKEN_INDEX.drop(connection)
    quote = connection.dialect.identifier_preparer.quote
    real = [quote(name) for name in names]
    # Tables that refer to one another go in one statement, where there is one.
    for part in [", ".join(real)] if on_server else real:
        _drop(connection, f"DROP TABLE IF EXISTS {part}")
    drop_forgetting(connection)


def _refuse_referring(connection: Connection, names: Sequence[str]) -> None:
    """
    Refuse to drop tables of SQLite to which a table of another program refers.

    There a drop deletes all rows first, and with them those of other tables, as their
    foreign keys say (ON DELETE CASCADE); a deferred key complains at the commit only.

    Source: SQLite, "Foreign Key Support", section 5.
    """
    # Names of SQLite have no case.
    ours = {name.lower() for name in names}
    for name, target in connection.execute(_REFERRING):
        if target.lower() in ours and name.lower() not in ours:
            raise ConfigError(f"{_NEEDED}table {name} refers to {target}")


def _drop(connection: Connection, statement: str) -> None:
    try:
        connection.exec_driver_sql(statement)
    except (DBAPIError, UnavailableError) as exc:
        cause = exc.__cause__ if isinstance(exc, UnavailableError) else exc
        origin = getattr(cause, "orig", cause)
        # dependent_objects_still_exist
        if getattr(origin, "sqlstate", "") != "2BP01":
            raise
        detail = getattr(getattr(origin, "diag", None), "message_detail", "") or origin
        raise ConfigError(f"{_NEEDED}{detail}") from exc


def drop_schema(engine: Engine) -> None:
    """
    Remove the database schema that was made for the service's tables, unless other objects are in it.

    Raises:
        UnavailableError: The database does not answer.
    """
    schema = schema_of(engine)
    if not schema or engine.dialect.name != "postgresql":
        return
    with writing(engine, timeout_ms=MIGRATION_TIMEOUT_MS) as connection:
        _drop_own_schema(connection, schema)
        connection.commit()


def _drop_own_schema(connection: Connection, schema: str) -> None:
    asked = {"mark": SCHEMA_MARK, "schema": schema}
    if not connection.execute(_IS_OURS, asked).scalar():
        return
    here = connection.execute(_EXTENSIONS_HERE, {"schema": schema}).scalars().all()
    drops = [f"DROP EXTENSION {name}" for name in _EXTENSIONS if name in here]
    # All or none: the schema that stays has its extensions.
    try:
        with connection.begin_nested():
            for statement in (*drops, f"DROP SCHEMA {schema}"):
                connection.exec_driver_sql(statement)
    except (DBAPIError, UnavailableError):
        # In use by others, or not ours to drop.
        return
