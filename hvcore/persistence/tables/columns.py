"""
Declare the column types and the metadata that all tables share.

Points in time are whole microseconds since 1970, so that both databases order and
compare them alike; texts are ordered by code point.
"""

from datetime import UTC, datetime, timedelta
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy import BigInteger
from sqlalchemy.engine import Dialect

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class UtcDateTime(sa.types.TypeDecorator[datetime]):
    """Column type for an aware datetime in UTC, stored as microseconds since 1970."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(
        self, value: datetime | None, _dialect: Dialect
    ) -> int | None:
        """Turn a datetime into microseconds since 1970."""
        return None if value is None else (value - EPOCH) // _MICROSECOND

    def process_result_value(
        self, value: int | None, _dialect: Dialect
    ) -> datetime | None:
        """Turn microseconds since 1970 into a datetime."""
        return None if value is None else EPOCH + timedelta(microseconds=value)


# "C" orders by UTF-8 bytes, which is by code point, as SQLite does by default.
Text: Final = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")

# What each text column holds: its ``info``. Numbers, truths and moments tell nobody's
# name. A column that nobody has classed fails a test.
HOLDS: Final = "holds"
ID: Final[dict[Any, Any]] = {HOLDS: "id"}
"""Identifiers, paths of identifiers, and hashes that open nothing."""
KIND: Final[dict[Any, Any]] = {HOLDS: "kind"}
"""One of few words of the service: states, formats, reasons, routes."""
SETTING: Final[dict[Any, Any]] = {HOLDS: "setting"}
"""How something is to be done, such as encodings and the domains of pages."""
PERSONAL: Final[dict[Any, Any]] = {HOLDS: "personal"}
"""Told by the owner or the file of a video; goes when the video's files go."""
ACCOUNT: Final[dict[Any, Any]] = {HOLDS: "account"}
"""Of organizations, their people, keys and endpoints; goes when these go."""
SECRET: Final[dict[Any, Any]] = {HOLDS: "secret"}
"""What opens something, or from which that can be told; never shown."""


class StorableText(sa.types.TypeDecorator[str]):
    """
    Column type for text that may quote an exception of a plugin, a driver or a foreign server.

    PostgreSQL stores no NUL, and neither database stores halves of surrogate pairs. Such a
    character is stored as U+FFFD: a task whose error could not be written would never end.
    """

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, _dialect: Dialect) -> str | None:
        """Replace the characters that no database stores by U+FFFD."""
        if value is None or (value.isascii() and "\0" not in value):
            return value
        storable = value.encode("utf-16-le", "surrogatepass").decode(
            "utf-16-le", "replace"
        )
        return storable.replace("\0", "\ufffd")


metadata: Final = sa.MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(referred_table_name)s",
    }
)


def environment_key() -> sa.ForeignKeyConstraint:
    """Return a foreign key that ties ``org_id`` and ``env_id`` to an environment."""
    return sa.ForeignKeyConstraint(
        ["org_id", "env_id"], ["environments.org_id", "environments.id"]
    )
