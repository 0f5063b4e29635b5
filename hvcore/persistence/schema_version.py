"""
Read the version of a database's schema, and tell whether this version of hvcore can use it.

Two chains of migrations make a schema. An expand only adds, so that older versions go on
beside newer ones; a contract takes away what only older versions need.
"""

import re
from collections.abc import Sequence
from typing import Final

import attrs
import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from hvcore.errors import ConfigError, NotMigratedError
from hvcore.persistence.engine import reading
from hvcore.persistence.naming import prefix_of

NEWEST_EXPAND: Final = "0038"
"""A constant, so that asking does not load Alembic."""
NEWEST_CONTRACT: Final = "contract_0001"
"""Likewise; empty while there is none."""

OWN_VERSIONS: Final = tuple(filter(None, (NEWEST_EXPAND, NEWEST_CONTRACT)))
SCHEMA: Final = "+".join(OWN_VERSIONS)
"""What this version's tables are called in copies and backups."""

VERSION_TABLE: Final = "alembic_version"
"""Before a prefix; another program's is another table."""
COPYING: Final = "copying:"
"""What the version of a database begins with while another one is copied into it."""

UNFINISHED: Final = (
    "The database is an unfinished copy of another one. Finish it: run hv migrate --to "
    "there, or hv restore here, once more. Or take an empty database."
)
BEHIND: Final = (
    "The database is not at this version. Run: hv migrate (hv up does so by itself). If "
    "it is not the service's database, set HV_DATA to the service's data folder."
)
CONTRACTED: Final = (
    "A newer version of hvcore has contracted the database (hv migrate --contract), so "
    "that this one cannot use it any more. Install the newer version, or restore a "
    "backup with this one."
)
FOREIGN: Final = (
    "The database's alembic_version is none of hvcore's. If it is another program's, "
    "keep the tables apart with a schema (HV_DATABASE__SCHEMA)."
)

_EXPAND: Final = re.compile(r"[0-9]{4}")
_CONTRACT: Final = re.compile(r"contract_[0-9]{4}")


@attrs.frozen
class SchemaVersion:
    """
    The version of a database's schema.

    Attributes:
        expand: The number of the last migration that added something; empty if there are no tables.
        contract: The name of the last migration that took something away; empty if none has.
        others: Recorded texts that are not hvcore's migrations: another program's, or marks of an
            unfinished copy.
    """

    expand: str = ""
    contract: str = ""
    others: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Return whether the database has recorded no migration."""
        return self == SchemaVersion()

    @property
    def is_newer(self) -> bool:
        """Return whether a newer version of hvcore has migrated the database."""
        return self.expand > NEWEST_EXPAND or self.contract > NEWEST_CONTRACT

    @property
    def awaits_contract(self) -> bool:
        """Return whether the database still has what only older versions need."""
        return not self.is_empty and self.contract < NEWEST_CONTRACT

    def why_unusable(self) -> str:
        """Return the reason for which this version cannot use the tables; empty if it can."""
        if any(one.startswith(COPYING) for one in self.others):
            return UNFINISHED
        if self.others:
            return FOREIGN
        if self.contract > NEWEST_CONTRACT:
            return CONTRACTED
        return BEHIND if self.expand < NEWEST_EXPAND else ""


def schema_version(engine: Engine) -> SchemaVersion:
    """
    Return the version of the database's schema; takes a millisecond.

    Raises:
        UnavailableError: The database does not answer.
    """
    with reading(engine) as connection:
        return read_version(connection)


def refuse_unusable(version: SchemaVersion) -> None:
    """
    Raise the error for tables that this version cannot use, in words for a program that embeds hvcore.

    Raises:
        NotMigratedError: The tables do not exist, or are of an older version.
        ConfigError: This version cannot use the tables for another reason, which is the error's
            message.
    """
    why = version.why_unusable()
    if why == BEHIND:
        raise NotMigratedError
    if why:
        raise ConfigError(why)


def refuse_other_schema(connection: Connection) -> None:
    """
    Raise ConfigError if a database has other tables or columns than this version knows.

    Raises:
        ConfigError: The database has other tables or columns. This version may be able to
            use it, but does not know all of it.
    """
    there = read_version(connection)
    if there.is_newer:
        raise ConfigError(
            "A newer version of hvcore has migrated the database, and this one does not "
            "know all of its columns. Run this command with that version."
        )
    if there.awaits_contract:
        raise ConfigError(
            "The database still has what only an older version needs. Stop the last "
            "process of that version, and run: hv migrate --contract"
        )


def read_version(connection: Connection) -> SchemaVersion:
    """Return the schema version of the database, on an open connection."""
    said = versions(connection)
    expands = [one for one in said if _EXPAND.fullmatch(one)]
    contracts = [one for one in said if _CONTRACT.fullmatch(one)]
    return SchemaVersion(
        max(expands, default=""),
        max(contracts, default=""),
        tuple(one for one in said if one not in {*expands, *contracts}),
    )


def is_current(engine: Engine) -> bool:
    """
    Return whether this version can use the database; takes a millisecond.

    Raises:
        UnavailableError: The database does not answer.
    """
    return not schema_version(engine).why_unusable()


def versions(connection: Connection) -> list[str]:
    """Return the names of the migrations that the database records; empty if it has no tables."""
    version = _version_table(connection)
    if not sa.inspect(connection).has_table(version.name):
        return []
    return list(connection.execute(sa.select(version.c.version_num)).scalars())


def set_versions(connection: Connection, wanted: Sequence[str]) -> None:
    """Replace the names of migrations that a database records."""
    table = _version_table(connection)
    connection.execute(sa.delete(table))
    if wanted:
        connection.execute(sa.insert(table), [{"version_num": one} for one in wanted])


def make_version_table(connection: Connection) -> None:
    """Make the table of migration versions as Alembic does, if there is none."""
    name = prefix_of(connection.dialect) + VERSION_TABLE
    version = sa.Column("version_num", sa.String(32), nullable=False)
    key = sa.PrimaryKeyConstraint("version_num", name=f"{name}_pkc")
    sa.Table(name, sa.MetaData(), version, key).create(connection, checkfirst=True)


def _version_table(connection: Connection) -> sa.TableClause:
    name = prefix_of(connection.dialect) + VERSION_TABLE
    return sa.table(name, sa.column("version_num", sa.Text))
