"""
Look up the tables that a database has: those of the core, and those of plugins.

The tables are looked up and not declared, because plugins make their own.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final

import attrs
import sqlalchemy as sa
from sqlalchemy.engine import Connection, Dialect

from hvcore.persistence.copying.values import ColumnKind, kind_of
from hvcore.persistence.naming import prefix_of
from hvcore.persistence.schema_version import VERSION_TABLE
from hvcore.persistence.tables import metadata, spoken_texts, videos

CORE: Final = frozenset(metadata.tables)
_DERIVED: Final = "video_search"
"""SQLite's indexes of names and of what is said, which triggers fill."""
_READ_ANEW: Final = frozenset({spoken_texts.name})
"""Tables that the sweep fills from the files: a row may be larger than all else of its video."""


@attrs.frozen(kw_only=True)
class FoundTable:
    """
    A table that was found in the database.

    Attributes:
        name: The table's name without the prefix that tables may have.
        table: The table as the database describes it, without indexes and constraints.
        kinds: The kind of value of each column by the column's name, in the order of the names.
        key: The names of the columns of the primary key; all columns if there is no primary key.
    """

    name: str
    table: sa.Table
    kinds: Mapping[str, ColumnKind]
    key: Sequence[str]


def real_name(name: str, dialect: Dialect) -> str:
    """Return the name that a table has in this database: the given name behind the database's prefix, if it has one."""
    is_core = name in CORE or name == VERSION_TABLE
    return prefix_of(dialect) + name if is_core else name


def table_names(connection: Connection) -> Mapping[str, str]:
    """
    Return the tables to copy: the name that each table has in this database, by its name without the prefix.

    A table comes before the tables that refer to it.
    """
    dialect = connection.dialect
    found: dict[str, str] = {}
    core = {real_name(name, dialect): name for name in (*CORE, VERSION_TABLE)}
    derived = prefix_of(dialect) + _DERIVED
    for name, _ in sa.inspect(connection).get_sorted_table_and_fkc_names():
        if name is None or name.startswith(derived):
            continue
        called = core.get(name, name)
        if called not in _READ_ANEW:
            found[called] = name
    found.pop(VERSION_TABLE, None)
    return found


def find_tables(connection: Connection) -> Mapping[str, FoundTable]:
    """
    Return the tables of the database by name, each before those that refer to it.

    Raises:
        ConfigError: A plugin's table has a column that cannot be copied.
    """
    names = table_names(connection)
    inspector = sa.inspect(connection)
    real = list(names.values())
    columns = inspector.get_multi_columns(filter_names=real)
    keys = inspector.get_multi_pk_constraint(filter_names=real)
    found: dict[str, FoundTable] = {}
    for name, called in names.items():
        types = {one["name"]: one["type"] for one in columns[None, called]}
        kinds = {
            column: kind_of(types[column], where=f"{called}.{column}")
            for column in sorted(types)
        }
        listed = [sa.Column(column, types[column]) for column in kinds]
        found[name] = FoundTable(
            name=name,
            table=sa.Table(called, sa.MetaData(), *listed),
            kinds=kinds,
            key=keys[None, called]["constrained_columns"] or list(kinds),
        )
    return found


def deleted_since(connection: Connection, moment: datetime) -> Sequence[str]:
    """Return the ids of the videos that were deleted at the given moment or later."""
    asked = sa.select(videos.c.id).where(videos.c.deleted_at >= moment)
    return list(connection.execute(asked.order_by(videos.c.id)).scalars())


def there_of(connection: Connection, video_ids: Iterable[str]) -> Sequence[str]:
    """Return the given video ids without those whose videos do not exist or are deleted."""
    found: list[str] = []
    # One by one: a statement takes only so many values.
    for video_id in video_ids:
        asked = sa.select(videos.c.id).where(
            videos.c.id == video_id, videos.c.deleted_at.is_(None)
        )
        found += connection.execute(asked).scalars()
    return found
