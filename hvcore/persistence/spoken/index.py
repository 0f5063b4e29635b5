"""
Describe and ask the index by which videos are found by what is said in them.

A text is one entry with its different words, and the sign of its environment is one of
them: so the index intersects lists of texts, and knows nothing of places. It is not
declared with the tables, as the index of names is not: triggers fill it on SQLite, and a
migration that makes ``spoken_texts`` again must make it again, too. Without FTS5 every
text of the service is looked at.
"""

from collections.abc import Sequence
from hashlib import blake2b, sha256
from typing import Final

import sqlalchemy as sa

from hvcore.domain.access.tenants import Environment
from hvcore.persistence.tables import spoken_texts
from hvcore.persistence.text_index import TextIndex

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
AS_VECTOR: Final = "array_to_tsvector(array_remove(string_to_array(words, ' '), ''))"
"""PostgreSQL's form of the words; no parser of its own cuts them."""
_POSTGRESQL: Final = (
    f"CREATE INDEX ix_videos_search_spoken ON spoken_texts USING gin (({AS_VECTOR}))",
)


SPOKEN_INDEX: Final = TextIndex(
    sqlite=_SQLITE,
    tables=("video_search_spoken", "video_search_spoken_removed"),
    triggers=tuple(
        f"video_search_spoken_{kind}" for kind in ("insert", "delete", "update")
    ),
    postgresql=_POSTGRESQL,
    postgresql_name="ix_videos_search_spoken",
    missing="what is said has no index",
)
"""The search index of what is said in videos."""


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


def match_value(env: Environment, words: Sequence[str], *, is_sqlite: bool) -> str:
    """Return the query of the index for texts of an environment that have all of some words."""
    wanted = (sign_of(env.org_id, env.id), *map(word_sign, words))
    if is_sqlite:
        # Nothing within quotes is an operator of FTS5.
        return " ".join('"' + word.replace('"', '""') + '"' for word in wanted)
    quoted = (word.replace("\\", "\\\\").replace("'", "''") for word in wanted)
    return " & ".join(f"'{word}'" for word in quoted)


def has_words(words: Sequence[str], *, is_sqlite: bool) -> sa.ColumnElement[bool]:
    """Return the SQL condition that a text has all of some words; it needs no index."""
    find = sa.func.instr if is_sqlite else sa.func.strpos
    surrounded = sa.literal(" ") + spoken_texts.c.words + sa.literal(" ")
    return sa.and_(*(find(surrounded, f" {word_sign(word)} ") > 0 for word in words))


def of_sign(env: Environment) -> sa.ColumnElement[bool]:
    """Return SQLite's condition that a text is of an environment, whose sign is its first word; it needs no index."""
    sign = sign_of(env.org_id, env.id)
    return sa.func.substr(spoken_texts.c.words, 1, len(sign)) == sign
