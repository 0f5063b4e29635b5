"""Store the service's own signing keys, once an operator has rotated them."""

import base64
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, RowMapping

from hvcore.domain.access.service_keys import ServiceKey
from hvcore.persistence.statements import insert_new
from hvcore.persistence.tables import service_keys


class SqlServiceKeyRepository:
    """Store the service's own signing keys; see ports.repositories.access.service_keys."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def hold(self) -> None:
        # SQLite has its one write lock already. Readers go on: requests read the keys.
        if self._connection.dialect.name == "postgresql":
            self._connection.exec_driver_sql(
                "LOCK TABLE service_keys IN SHARE ROW EXCLUSIVE MODE"
            )

    def all(self, purpose: str) -> Sequence[ServiceKey]:
        statement = (
            sa.select(service_keys)
            .where(service_keys.c.purpose == purpose)
            .order_by(service_keys.c.created_at, service_keys.c.id)
        )
        rows = self._connection.execute(statement).mappings()
        return [service_key_from_row(row) for row in rows]

    def add(self, key: ServiceKey) -> None:
        insert_new(
            self._connection,
            service_keys,
            {
                "id": key.id,
                "purpose": key.purpose,
                "material": base64.b64encode(key.material).decode(),
                "created_at": key.created_at,
                "signs_from": key.signs_from,
                "believed_until": key.believed_until,
            },
        )

    def begin(self, key_id: str, at: datetime) -> None:
        statement = sa.update(service_keys).where(service_keys.c.id == key_id)
        self._connection.execute(statement.values(signs_from=at))

    def end(self, key_id: str, at: datetime) -> None:
        statement = sa.update(service_keys).where(service_keys.c.id == key_id)
        self._connection.execute(statement.values(believed_until=at))

    def erase_ended(self, now: datetime) -> int:
        statement = sa.update(service_keys).where(
            service_keys.c.believed_until <= now, service_keys.c.material != ""
        )
        return self._connection.execute(statement.values(material="")).rowcount


def service_key_from_row(row: Mapping[str, Any] | RowMapping) -> ServiceKey:
    """Read one of the service's own signing keys from its row."""
    return ServiceKey(
        id=row["id"],
        purpose=row["purpose"],
        material=base64.b64decode(row["material"]),
        created_at=row["created_at"],
        signs_from=row["signs_from"],
        believed_until=row["believed_until"],
    )
