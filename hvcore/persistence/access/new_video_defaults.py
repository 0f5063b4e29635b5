"""Store each organization's default settings for new videos."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, RowMapping

from hvcore.domain.ids import OrgId
from hvcore.domain.processing.encoding import Preset
from hvcore.domain.videos.new_video_defaults import NewVideoDefaults
from hvcore.persistence.statements import insert_into, is_storable
from hvcore.persistence.tables import new_video_defaults as table


class SqlNewVideoDefaultsRepository:
    """Store each organization's default settings for new videos; see ports.repositories.access.new_video_defaults."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def find(self, org_id: str) -> NewVideoDefaults:
        if not is_storable(org_id):
            return NewVideoDefaults()
        return self._read(sa.select(table).where(table.c.org_id == org_id))

    def hold_to_change(self, org_id: OrgId) -> NewVideoDefaults:
        # A row that is not there cannot be locked; a first change makes it.
        statement = insert_into(self._connection, table)
        self._connection.execute(
            statement.values(
                org_id=org_id, **_to_row(NewVideoDefaults())
            ).on_conflict_do_nothing(index_elements=[table.c.org_id])
        )
        return self._read(
            sa.select(table).where(table.c.org_id == org_id).with_for_update()
        )

    def save(self, org_id: OrgId, defaults: NewVideoDefaults) -> None:
        self._connection.execute(
            sa.update(table).where(table.c.org_id == org_id).values(**_to_row(defaults))
        )

    def _read(self, statement: "sa.Select[Any]") -> NewVideoDefaults:
        row = self._connection.execute(statement).mappings().one_or_none()
        return NewVideoDefaults() if row is None else _from_row(row)


def _to_row(defaults: NewVideoDefaults) -> dict[str, object]:
    return {
        "is_public": defaults.is_public,
        "preset": defaults.preset.value,
        "domains": " ".join(defaults.domains),
    }


def _from_row(row: RowMapping) -> NewVideoDefaults:
    return NewVideoDefaults(
        is_public=row["is_public"],
        preset=Preset(row["preset"]),
        domains=tuple(row["domains"].split()),
    )
