"""Store the upload grants."""

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from hvcore.domain.access.tenants import Environment
from hvcore.domain.tasks.kinds import UPLOAD_TAKE
from hvcore.domain.tasks.task import ENDED
from hvcore.domain.uploads.grants import GrantState, UploadGrant
from hvcore.persistence.access.quota_use import QuotaUseChanges
from hvcore.persistence.rows import grant_from_row, grant_to_row
from hvcore.persistence.statements import insert_new, is_storable
from hvcore.persistence.tables import grants, tasks


class SqlGrantRepository:
    """Store upload grants; see ports.repositories.grants.GrantRepository."""

    def __init__(self, connection: Connection, use: QuotaUseChanges) -> None:
        self._connection = connection
        self._use = use

    def find(self, grant_id: str, *, for_update: bool = False) -> UploadGrant | None:
        return self._one(grants.c.id, grant_id, for_update=for_update)

    def find_path(self, path: str, *, for_update: bool = False) -> UploadGrant | None:
        return self._one(grants.c.path, path, for_update=for_update)

    def add(self, grant: UploadGrant) -> None:
        insert_new(self._connection, grants, grant_to_row(grant))
        self._use.store(grant.org_id, grant.quota_bytes)

    def save(self, grant: UploadGrant) -> None:
        self._use.store(grant.org_id, grant.quota_bytes - self._quota_bytes(grant.id))
        self._connection.execute(
            sa.update(grants).where(grants.c.id == grant.id).values(grant_to_row(grant))
        )

    def arriving(
        self, env: Environment, now: datetime, limit: int
    ) -> Sequence[UploadGrant]:
        statement = (
            sa.select(grants)
            .where(
                grants.c.state == GrantState.GRANTED.value,
                grants.c.expires_at > now,
                grants.c.org_id == env.org_id,
                grants.c.env_id == env.id,
                grants.c.tus_metadata.is_not(None),
                grants.c.video_id.is_not(None),
            )
            .order_by(grants.c.created_at.desc(), grants.c.id)
            .limit(limit)
        )
        return list(map(grant_from_row, self._connection.execute(statement).mappings()))

    def unused(self, before: datetime, limit: int) -> Sequence[UploadGrant]:
        open_states = [
            GrantState.GRANTED.value,
            GrantState.UPLOADED.value,
            GrantState.DIRECT.value,
        ]
        return self._over(before, limit, grants.c.state.in_(open_states))

    def never_sent(self, before: datetime, limit: int) -> Sequence[UploadGrant]:
        return self._over(
            before,
            limit,
            grants.c.state == GrantState.DIRECT.value,
            grants.c.starts_processing,
        )

    def _over(
        self, before: datetime, limit: int, *conditions: sa.ColumnElement[bool]
    ) -> Sequence[UploadGrant]:
        statement = (
            sa.select(grants)
            .where(grants.c.expires_at < before, *conditions, ~is_looked_for())
            .order_by(grants.c.expires_at)
            # Whoever holds the row is using the upload right now.
            .with_for_update(skip_locked=True)
        )
        return self._all(statement, limit)

    def _quota_bytes(self, grant_id: str) -> int:
        statement = sa.select(grants).where(grants.c.id == grant_id).with_for_update()
        row = self._connection.execute(statement).mappings().one()
        return grant_from_row(row).quota_bytes

    def _one(
        self, column: sa.Column[str], value: str, *, for_update: bool
    ) -> UploadGrant | None:
        if not is_storable(value):
            return None
        statement = sa.select(grants).where(column == value)
        if for_update:
            statement = statement.with_for_update()
        row = self._connection.execute(statement).mappings().one_or_none()
        return None if row is None else grant_from_row(row)

    def _all(
        self, statement: sa.Select[tuple[object, ...]], limit: int
    ) -> Sequence[UploadGrant]:
        rows = self._connection.execute(statement.limit(limit)).mappings()
        return [grant_from_row(row) for row in rows]


def is_looked_for() -> sa.ColumnElement[bool]:
    """
    Return the SQL condition that a task still has to look for the uploaded bytes of a grant.

    After an outage the task looks once more, however much later that is.
    """
    return (
        sa.exists()
        .where(
            tasks.c.subject == grants.c.id,
            tasks.c.kind == UPLOAD_TAKE,
            tasks.c.state.not_in([state.value for state in ENDED]),
        )
        .correlate(grants)
    )
