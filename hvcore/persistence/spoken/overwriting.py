"""
Overwrite the words of removed texts in the index of what is said.

FTS5 notes a removal beside the words, and drops both when it merges the parts of the index,
which for large parts may be never. PostgreSQL cannot be told to: a key of a GIN index stays
until the index is made anew, without the texts that had it.
"""

from typing import Final

from sqlalchemy.engine import Connection

from hvcore.persistence.naming import in_names
from hvcore.persistence.spoken.index import SPOKEN_INDEX

PAGES_AT_ONCE: Final = 200
"""Of 4 kB: other writers wait for some hundredths of a second."""

_HAS_REMOVED: Final = "SELECT EXISTS (SELECT 1 FROM {video_search_spoken_removed})"
# Below zero: all parts into one, few as they may be.
_MERGE: Final = f"""
INSERT INTO {{video_search_spoken}} ({{video_search_spoken}}, rank)
VALUES ('merge', -{PAGES_AT_ONCE})
"""  # noqa: S608 - a number of ours
_TOTAL: Final = "SELECT total_changes()"


def has_removed_words(connection: Connection) -> bool:
    """Return whether words of removed texts may still be in the index, and can be overwritten."""
    if connection.dialect.name != "sqlite" or not SPOKEN_INDEX.exists(connection):
        return False
    found = connection.exec_driver_sql(in_names(connection, _HAS_REMOVED))
    return bool(found.scalar_one())


def overwrite_removed_words(connection: Connection) -> bool:
    """Merge some pages of the index; return whether words of removed texts may still be in it."""
    if not has_removed_words(connection):
        return False
    before = connection.exec_driver_sql(_TOTAL).scalar_one()
    connection.exec_driver_sql(in_names(connection, _MERGE))
    # The command itself is one change. Source: SQLite, "FTS5", section 6.9.
    if connection.exec_driver_sql(_TOTAL).scalar_one() - before >= 2:  # noqa: PLR2004 - as above
        return True
    statement = "DELETE FROM {video_search_spoken_removed}"
    connection.exec_driver_sql(in_names(connection, statement))
    return False
