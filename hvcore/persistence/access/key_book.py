"""Look up the API key of a request, as every API request does."""

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Engine

from hvcore.clock import Clock
from hvcore.domain.access.keys import ApiKey
from hvcore.errors import UnavailableError
from hvcore.persistence.engine import writing
from hvcore.persistence.fast_reads.reads import FastReads, Row
from hvcore.persistence.rows import key_from_row
from hvcore.persistence.statements import is_storable
from hvcore.persistence.tables import EPOCH, UtcDateTime, api_keys

KNOWN_FOR: Final = timedelta(seconds=1)
"""A revocation takes effect within five seconds on every process."""
MAX_KNOWN_KEYS: Final = 10_000
USE_NOTED_EVERY: Final = timedelta(minutes=1)
MAX_NOTED_KEYS: Final = 10_000
NOTE_TIMEOUT_MS: Final = 100
"""A request does not wait for a note; the next one brings another."""

_log = logging.getLogger(__name__)


class SqlKeyBook:
    """
    Find the records of API keys in the database by the hash of the key; see ports.context.KeyBook.

    Each key is read from the database once a second at most: on PostgreSQL a query is a round
    trip, and on SQLite it hands the interpreter to another thread and back.
    """

    def __init__(self, engine: Engine, clock: Clock) -> None:
        self._engine = engine
        self._clock = clock
        self._reads = FastReads(engine)
        self._question = self._reads.prepare(_BY_HASH)
        self._known: dict[str, tuple[datetime, ApiKey]] = {}
        self._noted: dict[str, datetime] = {}

    def find(self, sha256: str) -> ApiKey | None:
        if not is_storable(sha256):
            return None
        now = self._clock.now()
        known = self._known.get(sha256)
        # Both ways, or a clock that was set back would keep revoked keys.
        if known is not None and abs(now - known[0]) < KNOWN_FOR:
            return known[1]
        row = self._reads.first(self._question, {"sha256": sha256})
        key = None if row is None else _from_row(row)
        # A key that is not there may be made the next moment, and guesses
        # must not fill the memory.
        if key is not None:
            _make_room(self._known, MAX_KNOWN_KEYS)
            # Of the moment before the question, so that a second is a second.
            self._known[sha256] = (now, key)
        return key

    def note_use(self, key: ApiKey, at: datetime) -> None:
        seen = [m for m in (key.last_used_at, self._noted.get(key.id)) if m is not None]
        if any(at - moment < USE_NOTED_EVERY for moment in seen):
            return
        _make_room(self._noted, MAX_NOTED_KEYS)
        # Before the write, so that other threads do not write as well.
        self._noted[key.id] = at
        try:
            self._store_use(key, at)
        except UnavailableError:
            _log.info("the use of a key was not noted", extra={"hv_key_id": key.id})

    def _store_use(self, key: ApiKey, at: datetime) -> None:
        statement = (
            sa.update(api_keys)
            .where(
                api_keys.c.id == key.id,
                sa.or_(
                    api_keys.c.last_used_at.is_(None),
                    api_keys.c.last_used_at <= at - USE_NOTED_EVERY,
                ),
            )
            .values(last_used_at=at)
        )
        with writing(self._engine, timeout_ms=NOTE_TIMEOUT_MS) as connection:
            connection.execute(statement)
            connection.commit()


def _make_room(memory: dict[Any, Any], size: int) -> None:
    if len(memory) >= size:
        memory.clear()


def _moment(microseconds: int | None) -> datetime | None:
    return (
        None if microseconds is None else EPOCH + timedelta(microseconds=microseconds)
    )


def _converter(column: sa.Column[Any]) -> Callable[[Any], Any]:
    return _moment if isinstance(column.type, UtcDateTime) else lambda value: value


_COLUMNS: Final = [(column.name, _converter(column)) for column in api_keys.c]
_BY_HASH: Final = sa.select(
    *(
        sa.type_coerce(column, sa.BigInteger)
        if isinstance(column.type, UtcDateTime)
        else column
        for column in api_keys.c
    )
).where(api_keys.c.sha256 == sa.bindparam("sha256"))


def _from_row(row: Row) -> ApiKey:
    return key_from_row(
        {
            name: convert(value)
            for (name, convert), value in zip(_COLUMNS, row, strict=True)
        }
    )
