"""Update the quota use of organizations in the transactions that change their videos."""

from collections import Counter

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from hvcore.persistence.statements import insert_into
from hvcore.persistence.tables import organization_months, organization_storage

Month = tuple[str, int]
"""An organization and a month; see domain.access.quotas.month_number."""


class QuotaUseChanges:
    """Collect changes of the quota use in a transaction; write them right before its commit."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._stored: Counter[str] = Counter()
        self._encoded_ms: Counter[Month] = Counter()
        self._caption_ms: Counter[Month] = Counter()

    def store(self, org_id: str, more_bytes: int) -> None:
        """Add to the stored bytes of an organization; a negative number subtracts."""
        self._stored[org_id] += more_bytes

    def encode(self, org_id: str, month: int, source_ms: int) -> None:
        """Add the length of an encoded source, in milliseconds, to the organization's encoding time of a month."""
        self._encoded_ms[org_id, month] += source_ms

    def hear(self, org_id: str, month: int, sound_ms: int) -> None:
        """Add the length of a heard sound, in milliseconds, to the organization's captions of a month."""
        self._caption_ms[org_id, month] += sound_ms

    def flush(self) -> None:
        """
        Write the collected changes of quota use; their rows stay locked until the commit.

        The rows are written in one order, so that two transactions never deadlock.
        """
        for org_id in sorted(self._stored):
            if self._stored[org_id]:
                self._add_stored(org_id, self._stored[org_id])
        for org_id, month in sorted({*self._encoded_ms, *self._caption_ms}):
            add_to_month(
                self._connection,
                org_id,
                month,
                encoded_ms=self._encoded_ms[org_id, month],
                caption_ms=self._caption_ms[org_id, month],
            )
        self._stored.clear()
        self._encoded_ms.clear()
        self._caption_ms.clear()

    def _add_stored(self, org_id: str, more_bytes: int) -> None:
        statement = insert_into(self._connection, organization_storage).values(
            org_id=org_id, stored_bytes=more_bytes
        )
        more = organization_storage.c.stored_bytes + statement.excluded.stored_bytes
        self._connection.execute(
            statement.on_conflict_do_update(
                index_elements=[organization_storage.c.org_id],
                set_={"stored_bytes": more},
            )
        )


def add_to_month(  # noqa: PLR0913 - the counts of a row
    connection: Connection,
    org_id: str,
    month: int,
    *,
    encoded_ms: int = 0,
    delivered_bytes: int = 0,
    caption_ms: int = 0,
) -> None:
    """Add encoded and heard time (in milliseconds) and delivered bytes to an organization's quota use in a month."""
    table = organization_months
    statement = insert_into(connection, table).values(
        org_id=org_id,
        month=month,
        encoded_ms=encoded_ms,
        delivered_bytes=delivered_bytes,
        caption_ms=caption_ms,
    )
    new = statement.excluded
    sums: dict[str, sa.ColumnElement[int]] = {
        "encoded_ms": table.c.encoded_ms + new.encoded_ms,
        "delivered_bytes": table.c.delivered_bytes + new.delivered_bytes,
        "caption_ms": table.c.caption_ms + new.caption_ms,
    }
    connection.execute(
        statement.on_conflict_do_update(
            index_elements=list(table.primary_key), set_=sums
        )
    )
