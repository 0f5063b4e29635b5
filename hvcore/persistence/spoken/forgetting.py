"""
Remove the spoken text of captions that are replaced or removed, whoever does so.

Processes of an older version, which run beside this one during an upgrade or instead of it
after a rollback, know no spoken texts: triggers remove them in the same transaction.
"""

from typing import Final

from sqlalchemy.engine import Connection

from hvcore.persistence.naming import in_names

_FORGET: Final = """
DELETE FROM {spoken_texts} WHERE video_id = OLD.video_id AND language = OLD.language;
"""
_CHANGES: Final = {
    "forget_spoken_of_removed": "AFTER DELETE ON {video_captions} %s",
    "forget_spoken_of_replaced": "AFTER UPDATE OF version ON {video_captions} %s "
    "WHEN (NEW.version <> OLD.version)",
}
_SQLITE: Final = tuple(
    f"CREATE TRIGGER {{{name}}} {change % ''} BEGIN {_FORGET} END"
    for name, change in _CHANGES.items()
)
_POSTGRESQL: Final = (
    f"""
    CREATE FUNCTION {{forget_spoken_text}}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      {_FORGET}
      RETURN NULL;
    END $$
    """,
    *(
        f"CREATE TRIGGER {{{name}}} {change % 'FOR EACH ROW'} "
        "EXECUTE FUNCTION {forget_spoken_text}()"
        for name, change in _CHANGES.items()
    ),
)


def make_forgetting(connection: Connection) -> None:
    """Make the triggers that remove spoken texts; a migration that makes ``video_captions`` again must make them, too."""
    is_sqlite = connection.dialect.name == "sqlite"
    for statement in _SQLITE if is_sqlite else _POSTGRESQL:
        connection.exec_driver_sql(in_names(connection, statement))


def drop_forgetting(connection: Connection) -> None:
    """Remove the function of the triggers, which stays behind when the tables are gone."""
    if connection.dialect.name == "postgresql":
        statement = "DROP FUNCTION IF EXISTS {forget_spoken_text}()"
        connection.exec_driver_sql(in_names(connection, statement))
