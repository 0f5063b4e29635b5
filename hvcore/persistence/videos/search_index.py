"""
Make and use the index by which videos are found by parts of their names.

The index is not declared with the tables, because a database may lack what it needs:
FTS5 on SQLite, the extensions pg_trgm and btree_gin on PostgreSQL. Searches then look at
every name. On SQLite triggers keep the index in step with the table ``videos``; a
migration that makes that table again must make the index again, too.
"""

import logging
from typing import Any, Final

from sqlalchemy.engine import Connection, CursorResult, Engine
from sqlalchemy.exc import DBAPIError

from hvcore.domain.videos.states import LISTED_STATES
from hvcore.errors import UnavailableError
from hvcore.persistence.engine import MIGRATION_TIMEOUT_MS, reading, writing
from hvcore.persistence.naming import in_names

_log = logging.getLogger(__name__)

MIN_CHARS: Final = 3
"""What is shorter has no trigram."""
ENV_SHIFT: Final = 36
"""Numbers of an environment's names are together: 2^36 of each."""

_LISTED: Final = ", ".join(f"'{state.value}'" for state in LISTED_STATES)

_SQLITE_TABLES: Final = (
    # The names themselves are in videos. They are folded: case counts.
    """
    CREATE VIRTUAL TABLE {video_search} USING fts5(
      name, content='', columnsize=0, tokenize='trigram case_sensitive 1')
    """,
    """
    CREATE TABLE {video_search_envs} (
      no INTEGER PRIMARY KEY, org_id TEXT NOT NULL, env_id TEXT NOT NULL,
      last INTEGER NOT NULL, UNIQUE (org_id, env_id))
    """,
    # Not the rowid of videos, which VACUUM may change.
    """
    CREATE TABLE {video_search_rows} (
      no INTEGER PRIMARY KEY, video_id TEXT NOT NULL UNIQUE)
    """,
)
_ENTER: Final = f"""
INSERT INTO {{video_search_envs}} (org_id, env_id, last)
SELECT NEW.org_id, NEW.env_id, 0 WHERE NOT EXISTS (
  SELECT 1 FROM {{video_search_envs}} WHERE org_id = NEW.org_id AND env_id = NEW.env_id);
UPDATE {{video_search_envs}} SET last = last + 1
WHERE org_id = NEW.org_id AND env_id = NEW.env_id;
INSERT INTO {{video_search_rows}} (no, video_id)
SELECT (no << {ENV_SHIFT}) + last, NEW.id FROM {{video_search_envs}}
WHERE org_id = NEW.org_id AND env_id = NEW.env_id;
INSERT INTO {{video_search}} (rowid, name)
SELECT no, NEW.name_folded FROM {{video_search_rows}} WHERE video_id = NEW.id;
"""  # noqa: S608 - a number of ours
# FTS5 must be told what it forgets: it has no names.
_LEAVE: Final = """
INSERT INTO {video_search} ({video_search}, rowid, name)
SELECT 'delete', no, OLD.name_folded FROM {video_search_rows} WHERE video_id = OLD.id;
DELETE FROM {video_search_rows} WHERE video_id = OLD.id;
"""
_WAS, _IS = f"OLD.state IN ({_LISTED})", f"NEW.state IN ({_LISTED})"
_RENAMED: Final = "OLD.name_folded <> NEW.name_folded"
_SQLITE_TRIGGERS: Final = {
    "video_search_insert": f"AFTER INSERT ON {{videos}} WHEN {_IS} BEGIN {_ENTER} END",
    "video_search_delete": f"AFTER DELETE ON {{videos}} WHEN {_WAS} BEGIN {_LEAVE} END",
    # In this order: SQLite promises none among triggers, and these exclude each other.
    "video_search_enter": f"AFTER UPDATE OF state ON {{videos}} WHEN NOT {_WAS} AND {_IS} "
    f"BEGIN {_ENTER} END",
    "video_search_leave": f"AFTER UPDATE OF state ON {{videos}} WHEN {_WAS} AND NOT {_IS} "
    f"BEGIN {_LEAVE} END",
    "video_search_rename": "AFTER UPDATE OF name_folded ON {videos} "
    f"WHEN {_WAS} AND {_IS} AND {_RENAMED} BEGIN {_LEAVE} {_ENTER} END",
}
_SQLITE_FILL: Final = (
    f"""
    INSERT INTO {{video_search_envs}} (org_id, env_id, last)
    SELECT org_id, env_id, count(*) FROM {{videos}} WHERE state IN ({_LISTED})
    GROUP BY org_id, env_id
    """,  # noqa: S608 - words of ours
    f"""
    INSERT INTO {{video_search_rows}} (no, video_id)
    SELECT (e.no << {ENV_SHIFT}) + row_number() OVER (
      PARTITION BY v.org_id, v.env_id ORDER BY v.created_at, v.id), v.id
    FROM {{videos}} AS v JOIN {{video_search_envs}} AS e
    ON e.org_id = v.org_id AND e.env_id = v.env_id WHERE v.state IN ({_LISTED})
    """,  # noqa: S608 - a number and words of ours
    # Row by row, in the order of numbers: a million names need no memory.
    """
    INSERT INTO {video_search} (rowid, name) SELECT r.no, v.name_folded
    FROM {video_search_rows} AS r CROSS JOIN {videos} AS v WHERE v.id = r.video_id
    ORDER BY r.no
    """,
)
_SQLITE: Final = (
    *_SQLITE_TABLES,
    *_SQLITE_FILL,
    *(f"CREATE TRIGGER {{{name}}} {text}" for name, text in _SQLITE_TRIGGERS.items()),
)
_POSTGRESQL: Final = (
    "CREATE EXTENSION IF NOT EXISTS pg_trgm",
    # For the environment beside the name in one index.
    "CREATE EXTENSION IF NOT EXISTS btree_gin",
    # By its whole name: another program may have put the extension elsewhere.
    """
    DO $$ BEGIN EXECUTE (
      SELECT 'CREATE INDEX ix_videos_search ON videos USING gin (env_id, name_folded '
        || quote_ident(nspname) || '.gin_trgm_ops)'
      FROM pg_namespace JOIN pg_extension ON pg_namespace.oid = extnamespace
      WHERE extname = 'pg_trgm');
    END $$
    """,
)
_IS_ON_POSTGRESQL: Final = """
SELECT count(*) FROM pg_index
WHERE indisvalid AND indexrelid = to_regclass('ix_videos_search')
"""
_NUMBER_OF_ENVIRONMENT: Final = (
    "SELECT no FROM {video_search_envs} WHERE org_id = :org_id AND env_id = :env_id"
)
_FOUND: Final = f"""
{{video_search}} MATCH :match
AND s.rowid > (({_NUMBER_OF_ENVIRONMENT}) << {ENV_SHIFT})
AND s.rowid < ((({_NUMBER_OF_ENVIRONMENT}) + 1) << {ENV_SHIFT})
"""
# Of one side of CROSS JOIN after the other: SQLite keeps that order.
MATCHES: Final = f"""
SELECT r.video_id AS id FROM {{video_search}} AS s CROSS JOIN {{video_search_rows}} AS r
WHERE {_FOUND} AND r.no = s.rowid
"""  # noqa: S608 - words and numbers of ours
"""SQLite's ids of an environment's videos with a text in the name."""
COUNT_MATCHES: Final = {
    False: f"SELECT 1 AS one FROM {{video_search}} AS s WHERE {_FOUND} LIMIT :cap",  # noqa: S608 - as above
    True: f"""
    SELECT 1 AS one FROM {{video_search}} AS s
    CROSS JOIN {{video_search_rows}} AS r CROSS JOIN {{videos}} AS v
    WHERE {_FOUND} AND r.no = s.rowid AND v.id = r.video_id AND v.state = :state
    LIMIT :cap
    """,  # noqa: S608 - as above
}
"""A row for each of them, ``cap`` at most; by whether they are of one state."""


def has_search_index(connection: Connection) -> bool:
    """Return whether the database has the search index of video names."""
    if connection.dialect.name == "postgresql":
        return bool(connection.exec_driver_sql(_IS_ON_POSTGRESQL).scalar_one())
    # A table that was made again has lost its triggers.
    names = ", ".join(f"'{{{name}}}'" for name in ("video_search", *_SQLITE_TRIGGERS))
    found = _run(
        connection,
        f"SELECT count(*) FROM sqlite_master WHERE name IN ({names})",  # noqa: S608 - ours
    )
    return int(found.scalar_one()) == 1 + len(_SQLITE_TRIGGERS)


def make_search_index(connection: Connection) -> bool:
    """
    Make the search index of video names within an open transaction, if it does not exist.

    Returns:
        Whether the index exists now. If the database refuses to make it, the rest of
        the transaction is not affected.
    """
    if has_search_index(connection):
        return True
    try:
        with connection.begin_nested():
            # Of an attempt before, or without its triggers.
            drop_search_index(connection)
            is_sqlite = connection.dialect.name == "sqlite"
            for statement in _SQLITE if is_sqlite else _POSTGRESQL:
                _run(connection, statement)
    # Of an extension that is not there, the driver says that something is broken.
    except (DBAPIError, UnavailableError) as exc:
        cause = exc.__cause__ or exc
        _log.warning("names have no index", extra={"hv_why": str(cause).strip()})
        return False
    return True


def drop_search_index(connection: Connection) -> None:
    """Remove the search index of video names, such as before a bulk load."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql("DROP INDEX IF EXISTS ix_videos_search")
        return
    for name in _SQLITE_TRIGGERS:
        _run(connection, f"DROP TRIGGER IF EXISTS {{{name}}}")
    for name in ("video_search", "video_search_envs", "video_search_rows"):
        _run(connection, f"DROP TABLE IF EXISTS {{{name}}}")


def repair_search_index(engine: Engine) -> bool:
    """
    Make the search index of video names if it does not exist; return whether it exists now.

    Raises:
        UnavailableError: The database does not answer.
    """
    if is_searchable(engine):
        return True
    with writing(engine, timeout_ms=MIGRATION_TIMEOUT_MS) as connection:
        if connection.dialect.name == "postgresql":
            connection.exec_driver_sql("SET LOCAL statement_timeout = 0")
        is_made = make_search_index(connection)
        connection.commit()
    return is_made


def is_searchable(engine: Engine) -> bool:
    """
    Return whether the database has the search index of video names.

    Raises:
        UnavailableError: The database does not answer.
    """
    with reading(engine) as connection:
        return has_search_index(connection)


def match_value(search: str, *, is_sqlite: bool) -> str:
    """Return a folded search text as a pattern for the search index (FTS5 phrase or LIKE)."""
    if is_sqlite:
        # A phrase of trigrams that follow each other is the text itself.
        return '"' + search.replace('"', '""') + '"'
    for special in "\\%_":
        search = search.replace(special, f"\\{special}")
    return f"%{search}%"


def _run(connection: Connection, statement: str) -> CursorResult[Any]:
    return connection.exec_driver_sql(in_names(connection, statement))
