"""Count the sound that each organization has had sent to a server on a day."""

from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

import attrs
import sqlalchemy as sa
from sqlalchemy import BigInteger, Column, Date, Table, Text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection

from hvcore.plugin_api import Database, TranscriptionOrder

_METADATA: Final = sa.MetaData()
_DAYS: Final = Table(
    "hv_transcriber_http_organizations",
    _METADATA,
    Column("day", Date, primary_key=True),
    Column("org_id", Text, primary_key=True, info={"holds": "id"}),
    Column("sound_ms", BigInteger, nullable=False),
)
_KEPT: Final = timedelta(days=7)
_LOCK_NUMBER: Final = 0x6876_7468


@attrs.define(kw_only=True)
class OrganizationDays:
    """
    Counts the sound of organizations by day, against a limit that is the same for each; thread-safe.

    What is given back is taken off the day on which it was counted, as far as this process
    knows it: an order that it has not counted since the day before counts on.

    Attributes:
        limit_ms: The most sound of an organization on a day (UTC).
    """

    database: Database
    limit_ms: int
    _is_made: bool = attrs.field(default=False, init=False)
    _counted: dict[str, date] = attrs.field(factory=dict, init=False)

    def reserve(self, order: TranscriptionOrder, now: datetime) -> bool:
        """
        Count the sound of an order; return False if it exceeds the rest of the day's limit.

        Raises:
            UnavailableError: The database does not answer.
        """
        self._make()
        day, org_id, sound_ms = _day(now), order.org_id, order.sound.duration_ms
        with self.database.writing() as connection:
            _add(connection, {"day": day, "org_id": org_id, "sound_ms": 0})
            counted = connection.execute(
                _count(day, org_id, sound_ms).where(
                    _DAYS.c.sound_ms + sound_ms <= self.limit_ms
                )
            )
            if counted.rowcount == 0:
                return False
            connection.execute(sa.delete(_DAYS).where(_DAYS.c.day < day - _KEPT))
            connection.commit()
        yesterday = day - timedelta(days=1)
        for id_, counted_on in tuple(self._counted.items()):
            if counted_on < yesterday:
                self._counted.pop(id_, None)
        self._counted[order.id] = day
        return True

    def give_back(self, order: TranscriptionOrder) -> None:
        """
        Count the sound of an order no more: it was not sent after all.

        Raises:
            UnavailableError: The database does not answer.
        """
        day = self._counted.get(order.id)
        if day is None:
            return
        with self.database.writing() as connection:
            connection.execute(_count(day, order.org_id, -order.sound.duration_ms))
            connection.commit()
        self._counted.pop(order.id, None)

    def _make(self) -> None:
        if self._is_made:
            return
        with self.database.writing() as connection:
            if connection.dialect.name == "postgresql":
                # SQLite has its one write lock already.
                connection.exec_driver_sql(
                    f"SELECT pg_advisory_xact_lock({_LOCK_NUMBER})"
                )
            _METADATA.create_all(connection)
            connection.commit()
        self._is_made = True


def _count(day: date, org_id: str, sound_ms: int) -> sa.Update:
    return (
        sa.update(_DAYS)
        .where(_DAYS.c.day == day, _DAYS.c.org_id == org_id)
        .values(sound_ms=_DAYS.c.sound_ms + sound_ms)
    )


def _add(connection: Connection, row: dict[str, object]) -> None:
    dialects: dict[str, Any] = {"postgresql": postgresql, "sqlite": sqlite}
    insert = dialects[connection.dialect.name].insert(_DAYS).values(**row)
    connection.execute(insert.on_conflict_do_nothing())


def _day(now: datetime) -> date:
    return now.astimezone(UTC).date()
