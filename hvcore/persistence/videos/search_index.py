"""
Describe the index by which videos are found by parts of their names.

The index is not declared with the tables, because a database may lack what it needs:
FTS5 on SQLite, the extensions pg_trgm and btree_gin on PostgreSQL. Searches then look at
every name. On SQLite triggers keep the index in step with the table ``videos``; a
migration that makes that table again must make the index again, too.
"""

from typing import Final

from hvcore.domain.videos.states import LISTED_STATES
from hvcore.persistence.text_index import TextIndex

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


NAME_INDEX: Final = TextIndex(
    sqlite=_SQLITE,
    tables=("video_search", "video_search_envs", "video_search_rows"),
    triggers=tuple(_SQLITE_TRIGGERS),
    postgresql=_POSTGRESQL,
    postgresql_name="ix_videos_search",
    missing="names have no index",
)
"""The search index of video names."""


def match_value(search: str, *, is_sqlite: bool) -> str:
    """Return a folded search text as a pattern for the search index (FTS5 phrase or LIKE)."""
    if is_sqlite:
        # A phrase of trigrams that follow each other is the text itself.
        return '"' + search.replace('"', '""') + '"'
    for special in "\\%_":
        search = search.replace(special, f"\\{special}")
    return f"%{search}%"
