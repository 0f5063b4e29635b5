"""
Limit the estimated cost of the jobs that are submitted to a cloud on a day.

Each remote job is recorded by its key before it is submitted, so that no crash and no
second worker spends more than the limit. The cost is an estimate; the cloud's bill may
differ.
"""

import logging
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

import attrs
import sqlalchemy as sa
from sqlalchemy import BigInteger, Column, Date, Table, Text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection

from hvcore.plugin_api import Database, JobDeclinedError

MILLIONTHS: Final = 1_000_000
"""Of the currency: what the tables count in."""
LIMIT_REACHED: Final = (
    "No more videos can be processed today: the daily limit of spending is reached. "
    "Try it again tomorrow."
)
ABOVE_LIMIT: Final = (
    "This video alone would cost more than may be spent in a day, so it is never "
    "processed. Choose fewer or smaller qualities, or ask whoever runs the service for "
    "a higher limit."
)
_KEPT: Final = timedelta(days=7)
_LOCK_NUMBER: Final = 0x6876_6D63

_log = logging.getLogger(__name__)


class SpendingTables:
    """
    The database tables of a ``SpendingBook``: the cost of each remote job, and of each day.

    Args:
        name: The prefix of the tables' names, such as ``hv_google``.
    """

    def __init__(self, name: str) -> None:
        self.metadata: Final = sa.MetaData()
        self.orders: Final = Table(
            f"{name}_orders",
            self.metadata,
            Column("key", Text, primary_key=True, info={"holds": "id"}),
            Column("day", Date, nullable=False, index=True),
            Column("millionths", BigInteger, nullable=False),
        )
        self.days: Final = Table(
            f"{name}_days",
            self.metadata,
            Column("day", Date, primary_key=True),
            Column("millionths", BigInteger, nullable=False),
        )


@attrs.define(kw_only=True)
class SpendingBook:
    """
    Records the estimated cost of remote jobs against a daily limit; thread-safe.

    Attributes:
        limit: The most that the jobs of a day may cost, in millionths of the currency's
            unit.
        service: The name of the cloud's service, for the log.
        currency: The currency of the limit, for the log.
    """

    database: Database
    tables: SpendingTables
    limit: int
    service: str
    currency: str
    _is_made: bool = attrs.field(default=False, init=False)

    def left(self, now: datetime) -> int:
        """
        Return the unspent rest of the limit for the day of a moment, in millionths of the currency.

        Raises:
            UnavailableError: The database does not answer.
        """
        self._make()
        days = self.tables.days
        asked = sa.select(days.c.millionths).where(days.c.day == _day(now))
        with self.database.reading() as connection:
            spent = connection.execute(asked).scalar()
        return max(0, self.limit - int(spent or 0))

    def objection(self, millionths: int, now: datetime) -> str:
        """
        Return the reason not to submit a job, for the video's owner; "" if it may be submitted.

        The method reserves nothing: other jobs may be submitted before this one.

        Args:
            millionths: The cost of the job, in millionths of the currency's unit.

        Raises:
            UnavailableError: The database does not answer.
        """
        if millionths <= self.limit and millionths <= self.left(now):
            return ""
        return self._told_objection(millionths)

    def charge(self, key: str, millionths: int, now: datetime) -> None:
        """
        Record the cost of a remote job before it is submitted, or refuse the job.

        Args:
            key: The key of the remote job; a key that is recorded already costs nothing
                again.
            millionths: The cost of the job, in millionths of the currency's unit.

        Raises:
            JobDeclinedError: The cost exceeds the unspent rest of the day's limit.
            UnavailableError: The database does not answer.
        """
        if not self.reserve(key, millionths, now):
            raise JobDeclinedError(self._told_objection(millionths))

    def reserve(self, key: str, millionths: int, now: datetime) -> bool:
        """
        Record the cost of a remote job; return False if it exceeds the unspent rest of the limit.

        Args:
            key: The key of the remote job; a key that is recorded already costs nothing
                again.
            millionths: The cost of the job, in millionths of the currency's unit.

        Raises:
            UnavailableError: The database does not answer.
        """
        self._make()
        day, orders, days = _day(now), self.tables.orders, self.tables.days
        with self.database.writing() as connection:
            if not _is_added(
                connection, orders, {"key": key, "day": day, "millionths": millionths}
            ):
                return True
            _is_added(connection, days, {"day": day, "millionths": 0})
            spent = connection.execute(
                sa.update(days)
                .where(days.c.day == day)
                .where(days.c.millionths + millionths <= self.limit)
                .values(millionths=days.c.millionths + millionths)
            )
            if spent.rowcount == 0:
                return False
            connection.execute(sa.delete(orders).where(orders.c.day < day - _KEPT))
            connection.execute(sa.delete(days).where(days.c.day < day - _KEPT))
            connection.commit()
        return True

    def release(self, key: str) -> None:
        """
        Take the cost of a remote job off its day, since the job was not submitted.

        Args:
            key: The key of the remote job; nothing is changed if none is recorded.

        Raises:
            UnavailableError: The database does not answer.
        """
        self._make()
        orders, days = self.tables.orders, self.tables.days
        with self.database.writing() as connection:
            released = connection.execute(
                sa.delete(orders)
                .where(orders.c.key == key)
                .returning(orders.c.day, orders.c.millionths)
            ).one_or_none()
            if released is None:
                return
            connection.execute(
                sa.update(days)
                .where(days.c.day == released.day)
                .values(millionths=days.c.millionths - released.millionths)
            )
            connection.commit()

    def _told_objection(self, millionths: int) -> str:
        _log.warning(
            "the daily limit of spending at a cloud is reached",
            extra={
                "hv_service": self.service,
                "hv_daily_limit": self.limit / MILLIONTHS,
                "hv_currency": self.currency,
            },
        )
        return ABOVE_LIMIT if millionths > self.limit else LIMIT_REACHED

    def _make(self) -> None:
        if self._is_made:
            return
        with self.database.writing() as connection:
            if connection.dialect.name == "postgresql":
                # SQLite has its one write lock already.
                connection.exec_driver_sql(
                    f"SELECT pg_advisory_xact_lock({_LOCK_NUMBER})"
                )
            self.tables.metadata.create_all(connection)
            connection.commit()
        self._is_made = True


def _is_added(connection: Connection, table: Table, row: dict[str, object]) -> bool:
    dialects: dict[str, Any] = {"postgresql": postgresql, "sqlite": sqlite}
    insert = dialects[connection.dialect.name].insert(table).values(**row)
    # Not rowcount: that of an insert is -1 on PostgreSQL, also if nothing was inserted.
    added = insert.on_conflict_do_nothing().returning(*table.primary_key)
    return connection.execute(added).first() is not None


def _day(now: datetime) -> date:
    return now.astimezone(UTC).date()
