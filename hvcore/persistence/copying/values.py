"""
Write rows in a form that is the same for SQLite and PostgreSQL, and hash them.

A row is a list of JSON values, in the order of its columns' names. So SQLite's 0 and
PostgreSQL's false are one value, and rows of both can be compared.
"""

import json
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from enum import StrEnum
from hashlib import sha256
from typing import Any, Final, Self

import attrs
import sqlalchemy as sa

from hvcore.errors import ConfigError

Row = list[Any]
"""Of JSON's values."""

_MODULUS: Final = 1 << 256


class ColumnKind(StrEnum):
    """The kind of value that a column holds."""

    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    TEXT = "text"
    BINARY = "binary"
    DATE = "date"
    MOMENT = "moment"
    JSON = "json"


# In this order: a Float is a Numeric, which as such has no form of its own here.
_KINDS: Final[Sequence[tuple[type[sa.types.TypeEngine[Any]], ColumnKind]]] = (
    (sa.Boolean, ColumnKind.BOOLEAN),
    (sa.Integer, ColumnKind.INTEGER),
    (sa.Float, ColumnKind.NUMBER),
    (sa.LargeBinary, ColumnKind.BINARY),
    (sa.Date, ColumnKind.DATE),
    (sa.DateTime, ColumnKind.MOMENT),
    (sa.JSON, ColumnKind.JSON),
    (sa.String, ColumnKind.TEXT),
)


def kind_of(type_: sa.types.TypeEngine[Any], *, where: str) -> ColumnKind:
    """
    Return the kind of value that a column of a given SQLAlchemy type holds.

    Args:
        where: Table and column, for the error message.

    Raises:
        ConfigError: The type has no form that both databases share.
    """
    for class_, kind in _KINDS:
        if isinstance(type_, class_):
            return kind
    raise ConfigError(
        f"{where} has the type {type_}, which cannot be copied. Its plugin must use one "
        "of Boolean, Integer, Float, LargeBinary, Date, DateTime, JSON and Text."
    )


def to_canonical(kind: ColumnKind, value: Any, *, where: str) -> Any:  # noqa: ANN401 - of every type
    """
    Turn a value that the database returned into a JSON value, the same for SQLite and PostgreSQL.

    Args:
        where: Table and column, for the error message.

    Raises:
        ConfigError: The value is not of its column's kind, which SQLite allows.
    """
    if value is None:
        return None
    try:
        return _TO[kind](value)
    except (TypeError, ValueError, AttributeError) as exc:
        raise ConfigError(
            f"{where} holds a value that is no {kind.value}. Somebody has changed the "
            "database by hand: fix that row first."
        ) from exc


def from_canonical(
    kind: ColumnKind,
    value: Any,  # noqa: ANN401 - of JSON
    type_: sa.types.TypeEngine[Any],
) -> Any:  # noqa: ANN401 - of every type
    """Turn a JSON value into a value that a database column of this type takes."""
    if value is None:
        return None
    if kind is ColumnKind.BINARY:
        return b64decode(value)
    if kind is ColumnKind.DATE:
        return date.fromisoformat(value)
    if kind is ColumnKind.MOMENT:
        moment = datetime.fromisoformat(value)
        has_zone = getattr(type_, "timezone", False)
        return moment if has_zone else moment.replace(tzinfo=None)
    if kind is ColumnKind.JSON:
        return json.loads(value)
    return value


def encode(row: Row) -> bytes:
    """Write a row as one line of JSON, without the line end."""
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode()


@attrs.define
class Digest:
    """
    The digest of a table: the number of its rows, and one hash over all rows.

    The hash is the sum of the rows' hashes, so that the order of the rows does not matter:
    databases order texts differently.
    """

    rows: int = 0
    _sum: int = 0

    def add(self, line: bytes) -> None:
        """Add a row, given as the line that ``encode`` has written."""
        self.rows += 1
        self._sum = (self._sum + int.from_bytes(sha256(line).digest())) % _MODULUS

    @property
    def text(self) -> str:
        """The hash over all rows, in 64 hex digits."""
        return f"{self._sum:064x}"

    @classmethod
    def of(cls, rows: Iterable[Row]) -> Self:
        """Return the digest of the given rows."""
        made = cls()
        for row in rows:
            made.add(encode(row))
        return made


def _integer(value: object) -> int:
    if not isinstance(value, int):
        raise TypeError
    return int(value)


def _number(value: object) -> float:
    if not isinstance(value, int | float):
        raise TypeError
    return float(value)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _moment(value: datetime) -> str:
    # Without a zone it is SQLite's, which keeps none.
    aware = value if value.tzinfo is not None else value.replace(tzinfo=UTC)
    return aware.astimezone(UTC).isoformat()


_TO: Final[Mapping[ColumnKind, Any]] = {
    ColumnKind.INTEGER: _integer,
    ColumnKind.NUMBER: _number,
    ColumnKind.BOOLEAN: bool,
    ColumnKind.TEXT: _text,
    ColumnKind.BINARY: lambda value: b64encode(value).decode(),
    ColumnKind.DATE: lambda value: value.isoformat(),
    ColumnKind.MOMENT: _moment,
    ColumnKind.JSON: lambda value: json.dumps(value, sort_keys=True),
}
