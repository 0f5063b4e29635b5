"""
Make and use the index by which videos are found by what is said in them.

A text is one entry with its different words, and the sign of its environment is one of
them: so the index intersects lists of texts, and knows nothing of places. It is not
declared with the tables, as the index of names is not: triggers fill it on SQLite, and a
migration that makes ``spoken_texts`` again must make it again, too. Without FTS5 every
text of the service is looked at.
"""

import logging
from collections.abc import Sequence
from hashlib import blake2b, sha256
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection, CursorResult, Engine
from sqlalchemy.exc import DBAPIError

from hvcore.domain.access.tenants import Environment
from hvcore.errors import UnavailableError
from hvcore.persistence.engine import MIGRATION_TIMEOUT_MS, reading, writing
from hvcore.persistence.naming import in_names
from hvcore.persistence.tables import spoken_texts

_log = logging.getLogger(__name__)

_SIGN: Final = "="
"""Before the sign of an environment; no word has it."""

_FORGET: Final = """
INSERT INTO {video_search_spoken} ({video_search_spoken}, rowid, words)
VALUES ('delete', OLD.no, OLD.words);
INSERT INTO {video_search_spoken_removed} (no)
SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM {video_search_spoken_removed});
"""
# Their names begin as those of the index of names, which copies and comparisons pass over.
_SQLITE: Final = (
    # Words are parted by spaces and folded before: the tokenizer changes nothing.
    """
    CREATE VIRTUAL TABLE {video_search_spoken} USING fts5(
      words, content='', columnsize=0, detail=none, tokenize="ascii tokenchars '=_'")
    """,
    """
    INSERT INTO {video_search_spoken} (rowid, words) SELECT no, words FROM {spoken_texts}
    ORDER BY no
    """,
    """
    CREATE TRIGGER {video_search_spoken_insert} AFTER INSERT ON {spoken_texts} BEGIN
      INSERT INTO {video_search_spoken} (rowid, words) VALUES (NEW.no, NEW.words);
    END
    """,
    # Has a row if words of removed texts may still be in the index.
    "CREATE TABLE {video_search_spoken_removed} (no INTEGER PRIMARY KEY)",
    # FTS5 must be told what it forgets: it has no words.
    f"""
    CREATE TRIGGER {{video_search_spoken_delete}} AFTER DELETE ON {{spoken_texts}} BEGIN
      {_FORGET}
    END
    """,
    f"""
    CREATE TRIGGER {{video_search_spoken_update}} AFTER UPDATE OF no, words
    ON {{spoken_texts}} BEGIN
      {_FORGET}
      INSERT INTO {{video_search_spoken}} (rowid, words) VALUES (NEW.no, NEW.words);
    END
    """,  # noqa: S608 - statements of ours
)
_SQLITE_TRIGGERS: Final = tuple(
    f"video_search_spoken_{kind}" for kind in ("insert", "delete", "update")
)
_SQLITE_TABLES: Final = ("video_search_spoken", "video_search_spoken_removed")
AS_VECTOR: Final = "array_to_tsvector(array_remove(string_to_array(words, ' '), ''))"
"""PostgreSQL's form of the words; no parser of its own cuts them."""
_POSTGRESQL: Final = (
    f"CREATE INDEX ix_videos_search_spoken ON spoken_texts USING gin (({AS_VECTOR}))",
)


def sign_of(org_id: str, env_id: str) -> str:
    """Return the sign of an environment, which the words of each of its texts have among them."""
    return _SIGN + sha256(f"{org_id}\0{env_id}".encode()).hexdigest()[:16]


def word_sign(word: str) -> str:
    """
    Return the sign under which a word is stored and indexed.

    Not the word itself: FTS5 keeps what it was told to forget until it merges its pages,
    and nothing of an erased video may be read in the file of the database.
    """
    return blake2b(word.encode(), digest_size=6).hexdigest()


def repair_spoken_index(engine: Engine) -> bool:
    """
    Make the index of what is said if it does not exist; return whether it exists now.

    Raises:
        UnavailableError: The database does not answer.
    """
    if is_spoken_indexed(engine):
        return True
    with writing(engine, timeout_ms=MIGRATION_TIMEOUT_MS) as connection:
        if connection.dialect.name == "postgresql":
            connection.exec_driver_sql("SET LOCAL statement_timeout = 0")
        is_made = make_spoken_index(connection)
        connection.commit()
    return is_made


def is_spoken_indexed(engine: Engine) -> bool:
    """
    Return whether the database has the index of what is said.

    Raises:
        UnavailableError: The database does not answer.
    """
    with reading(engine) as connection:
        return has_spoken_index(connection)


def match_value(env: Environment, words: Sequence[str], *, is_sqlite: bool) -> str:
    """Return the query of the index for texts of an environment that have all of some words."""
    wanted = (sign_of(env.org_id, env.id), *map(word_sign, words))
    if is_sqlite:
        # Nothing within quotes is an operator of FTS5.
        return " ".join('"' + word.replace('"', '""') + '"' for word in wanted)
    quoted = (word.replace("\\", "\\\\").replace("'", "''") for word in wanted)
    return " & ".join(f"'{word}'" for word in quoted)


def has_spoken_index(connection: Connection) -> bool:
    """Return whether the database has the index of what is said."""
    if connection.dialect.name == "postgresql":
        asked = "SELECT to_regclass('ix_videos_search_spoken') IS NOT NULL"
        return bool(connection.exec_driver_sql(asked).scalar_one())
    names = (*_SQLITE_TABLES, *_SQLITE_TRIGGERS)
    listed = ", ".join(f"'{{{name}}}'" for name in names)
    found = _run(
        connection,
        f"SELECT count(*) FROM sqlite_master WHERE name IN ({listed})",  # noqa: S608 - ours
    )
    return int(found.scalar_one()) == len(names)


def make_spoken_index(connection: Connection) -> bool:
    """
    Make the index of what is said within an open transaction, if it does not exist.

    Returns:
        Whether the index exists now. If the database refuses to make it, the rest of
        the transaction is not affected.
    """
    if has_spoken_index(connection):
        return True
    try:
        with connection.begin_nested():
            drop_spoken_index(connection)
            is_sqlite = connection.dialect.name == "sqlite"
            for statement in _SQLITE if is_sqlite else _POSTGRESQL:
                _run(connection, statement)
    except (DBAPIError, UnavailableError) as exc:
        cause = exc.__cause__ or exc
        _log.warning("what is said has no index", extra={"hv_why": str(cause).strip()})
        return False
    return True


def drop_spoken_index(connection: Connection) -> None:
    """Remove the index of what is said, such as before a bulk load."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql("DROP INDEX IF EXISTS ix_videos_search_spoken")
        return
    for name in _SQLITE_TRIGGERS:
        _run(connection, f"DROP TRIGGER IF EXISTS {{{name}}}")
    for name in _SQLITE_TABLES:
        _run(connection, f"DROP TABLE IF EXISTS {{{name}}}")


def has_words(words: Sequence[str], *, is_sqlite: bool) -> sa.ColumnElement[bool]:
    """Return the SQL condition that a text has all of some words; it needs no index."""
    find = sa.func.instr if is_sqlite else sa.func.strpos
    surrounded = sa.literal(" ") + spoken_texts.c.words + sa.literal(" ")
    return sa.and_(*(find(surrounded, f" {word_sign(word)} ") > 0 for word in words))


def of_sign(env: Environment) -> sa.ColumnElement[bool]:
    """Return SQLite's condition that a text is of an environment, whose sign is its first word; it needs no index."""
    sign = sign_of(env.org_id, env.id)
    return sa.func.substr(spoken_texts.c.words, 1, len(sign)) == sign


def _run(connection: Connection, statement: str) -> CursorResult[Any]:
    return connection.exec_driver_sql(in_names(connection, statement))
