"""
The tables of a database as they are there: the core's, and those of plugins.

They are looked up and not declared, because plugins make theirs by themselves.
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
from hvcore.persistence.tables import metadata, videos

CORE: Final = frozenset(metadata.tables)
_DERIVED: Final = "video_search"
"""SQLite's index of names, which triggers fill."""


@attrs.frozen(kw_only=True)
class FoundTable:
    """
    A table.

    Attributes:
        name: Without the prefix that it may have.
        table: As the database has it, without indexes and constraints.
        kinds: What each column holds, in the order of their names.
        key: The columns of the primary key; all if it has none.
    """

    name: str
    table: sa.Table
    kinds: Mapping[str, ColumnKind]
    key: Sequence[str]


def real_name(name: str, dialect: Dialect) -> str:
    """Return a table's real name in this database."""
    is_core = name in CORE or name == VERSION_TABLE
    return prefix_of(dialect) + name if is_core else name


def table_names(connection: Connection) -> Mapping[str, str]:
    """
    Return the tables to copy: the name of each, and its name in this database.

    What is referred to comes before what refers to it.
    """
    dialect = connection.dialect
    found: dict[str, str] = {}
    core = {real_name(name, dialect): name for name in (*CORE, VERSION_TABLE)}
    derived = prefix_of(dialect) + _DERIVED
    for name, _ in sa.inspect(connection).get_sorted_table_and_fkc_names():
        if name is not None and not name.startswith(derived):
            found[core.get(name, name)] = name
    found.pop(VERSION_TABLE, None)
    return found


def find_tables(connection: Connection) -> Mapping[str, FoundTable]:
    """
    Return the tables by their names, a table before those that refer to it.

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
    """Return the ids of videos that were deleted since a moment."""
    asked = sa.select(videos.c.id).where(videos.c.deleted_at >= moment)
    return list(connection.execute(asked.order_by(videos.c.id)).scalars())


def there_of(connection: Connection, video_ids: Iterable[str]) -> Sequence[str]:
    """Return the ids of some videos that exist and are not deleted."""
    found: list[str] = []
    # One by one: a statement takes only so many values.
    for video_id in video_ids:
        asked = sa.select(videos.c.id).where(
            videos.c.id == video_id, videos.c.deleted_at.is_(None)
        )
        found += connection.execute(asked).scalars()
    return found
