"""Store the keys with which organizations sign playback tokens of their own."""

import base64
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, RowMapping

from hvcore.domain.ids import OrgId, SigningKeyId
from hvcore.domain.playback.signing_keys import SigningAlgorithm, SigningKey
from hvcore.persistence.statements import insert_new, is_storable
from hvcore.persistence.tables import organizations, signing_keys


class SqlSigningKeyRepository:
    """Store organizations' signing keys; see ports.repositories.access.signing_keys."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def find(self, key_id: str) -> SigningKey | None:
        if not is_storable(key_id):
            return None
        statement = sa.select(signing_keys).where(signing_keys.c.id == key_id)
        row = self._connection.execute(statement).mappings().one_or_none()
        return None if row is None else signing_key_from_row(row)

    def of_organization(self, org_id: OrgId) -> Sequence[SigningKey]:
        statement = (
            sa.select(signing_keys)
            .where(signing_keys.c.org_id == org_id)
            .order_by(signing_keys.c.created_at, signing_keys.c.id)
        )
        rows = self._connection.execute(statement).mappings()
        return [signing_key_from_row(row) for row in rows]

    def add(self, key: SigningKey) -> None:
        insert_new(
            self._connection,
            signing_keys,
            {
                "id": key.id,
                "org_id": key.org_id,
                "name": key.name,
                "algorithm": key.algorithm.value,
                "material": base64.b64encode(key.material).decode(),
                "created_at": key.created_at,
                "revoked_at": key.revoked_at,
            },
        )

    def count_in_force(self, org_id: OrgId) -> int:
        # Two who make the last one at a time must not both succeed.
        self._connection.execute(
            sa.select(organizations.c.id)
            .where(organizations.c.id == org_id)
            .with_for_update()
        )
        statement = sa.select(sa.func.count()).where(
            signing_keys.c.org_id == org_id, signing_keys.c.revoked_at.is_(None)
        )
        return int(self._connection.execute(statement).scalar_one())

    def revoke(self, key_id: SigningKeyId, at: datetime) -> bool:
        statement = sa.update(signing_keys).where(
            signing_keys.c.id == key_id, signing_keys.c.revoked_at.is_(None)
        )
        return self._connection.execute(statement.values(revoked_at=at)).rowcount == 1


def signing_key_from_row(row: Mapping[str, Any] | RowMapping) -> SigningKey:
    """Read an organization's signing key from its row."""
    return SigningKey(
        id=SigningKeyId(row["id"]),
        org_id=OrgId(row["org_id"]),
        name=row["name"],
        algorithm=SigningAlgorithm(row["algorithm"]),
        material=base64.b64decode(row["material"]),
        created_at=row["created_at"],
        revoked_at=row["revoked_at"],
    )
