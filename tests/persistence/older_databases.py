"""
Databases as older versions have left them.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from sqlalchemy.engine import Connection, Engine

import hvcore.persistence
from hvcore.persistence.engine import writing
from hvcore.persistence.tables import EPOCH


def migrate_to(engine: Engine, revision: str) -> None:
    """
    Migrate an empty database to a revision of long ago.
    """
    config = Config()
    folder = Path(hvcore.persistence.__path__[0]) / "migrations"
    config.set_main_option("script_location", str(folder))
    with writing(engine) as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
        connection.commit()


def insert_row(connection: Connection, name: str, row: Mapping[str, object]) -> None:
    """
    Insert a row, with the columns that there were then.
    """
    table = sa.Table(name, sa.MetaData(), autoload_with=connection)
    moments = {
        key: (value - EPOCH) // timedelta(microseconds=1)
        for key, value in row.items()
        if isinstance(value, datetime)
    }
    known = {key: row[key] for key in row if key in table.c}
    connection.execute(sa.insert(table).values({**known, **moments}))
