"""Store organizations, environments and API key records."""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from hvcore.domain.access.keys import ApiKey
from hvcore.domain.access.tenants import Environment, Organization
from hvcore.domain.ids import KeyId, OrgId
from hvcore.persistence.rows import (
    environment_from_row,
    environment_to_row,
    key_from_row,
    key_to_row,
    organization_from_row,
    words_or_null,
)
from hvcore.persistence.statements import insert_new, is_storable
from hvcore.persistence.tables import api_keys, environments, organizations
from hvcore.ports.repositories.access.tenants import CaptionedEnvironments


class SqlTenantRepository:
    """Store organizations and environments; see ports.repositories.access.tenants.TenantRepository."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def organization(self, org_id: str) -> Organization | None:
        if not is_storable(org_id):
            return None
        statement = sa.select(organizations).where(organizations.c.id == org_id)
        row = self._connection.execute(statement).mappings().one_or_none()
        return None if row is None else organization_from_row(row)

    def organizations(self) -> Sequence[Organization]:
        statement = sa.select(organizations).order_by(
            organizations.c.created_at, organizations.c.id
        )
        rows = self._connection.execute(statement).mappings()
        return [organization_from_row(row) for row in rows]

    def add_organization(self, organization: Organization) -> None:
        row = {"id": organization.id, "created_at": organization.created_at}
        insert_new(self._connection, organizations, row)

    def environment(self, org_id: str, ref: str) -> Environment | None:
        if not (is_storable(org_id) and is_storable(ref)):
            return None
        columns = environments.c
        statement = (
            sa.select(environments)
            .where(
                columns.org_id == org_id, sa.or_(columns.id == ref, columns.name == ref)
            )
            # If one's id is another's name, the id wins.
            .order_by(sa.case((columns.id == ref, 0), else_=1))
            .limit(1)
        )
        row = self._connection.execute(statement).mappings().one_or_none()
        return None if row is None else environment_from_row(row)

    def environments(self, org_id: str) -> Sequence[Environment]:
        if not is_storable(org_id):
            return []
        statement = (
            sa.select(environments)
            .where(environments.c.org_id == org_id)
            .order_by(environments.c.created_at, environments.c.id)
        )
        rows = self._connection.execute(statement).mappings()
        return [environment_from_row(row) for row in rows]

    def add_environment(self, environment: Environment) -> None:
        insert_new(self._connection, environments, environment_to_row(environment))

    def lock_environments(self, org_id: str) -> Sequence[Environment]:
        if not is_storable(org_id):
            return []
        statement = (
            sa.select(environments)
            .where(environments.c.org_id == org_id)
            .order_by(environments.c.created_at, environments.c.id)
            .with_for_update()
        )
        rows = self._connection.execute(statement).mappings()
        return [environment_from_row(row) for row in rows]

    def set_title(self, environment: Environment, title: str) -> None:
        self._connection.execute(
            sa.update(environments)
            .where(
                environments.c.org_id == environment.org_id,
                environments.c.id == environment.id,
            )
            .values(title=title)
        )

    def set_caption_languages(
        self, environment: Environment, languages: Sequence[str] | None
    ) -> None:
        self._connection.execute(
            sa.update(environments)
            .where(
                environments.c.org_id == environment.org_id,
                environments.c.id == environment.id,
            )
            .values(caption_languages=words_or_null(languages))
        )

    def captioned_environments(self) -> Sequence[CaptionedEnvironments]:
        columns = environments.c
        example = sa.func.min(columns.org_id + "/" + columns.name)
        rows = self._connection.execute(
            sa.select(columns.caption_languages, sa.func.count(), example)
            # None is "", and those of the deployment are NULL.
            .where(columns.caption_languages > "")
            .group_by(columns.caption_languages)
            .order_by(columns.caption_languages)
        )
        return [
            CaptionedEnvironments(
                languages=tuple(languages.split()), count=count, example=example
            )
            for languages, count, example in rows
        ]


class SqlKeyRepository:
    """Store API key records; see ports.repositories.access.keys.KeyRepository."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def find(self, key_id: KeyId, *, for_update: bool = False) -> ApiKey | None:
        if not is_storable(key_id):
            return None
        statement = sa.select(api_keys).where(api_keys.c.id == key_id)
        if for_update:
            statement = statement.with_for_update()
        row = self._connection.execute(statement).mappings().one_or_none()
        return None if row is None else key_from_row(row)

    def of_organization(self, org_id: OrgId | None) -> Sequence[ApiKey]:
        statement = (
            sa.select(api_keys)
            # SQLAlchemy writes IS NULL for None.
            .where(api_keys.c.org_id == org_id)
            .order_by(api_keys.c.created_at, api_keys.c.id)
        )
        rows = self._connection.execute(statement).mappings()
        return [key_from_row(row) for row in rows]

    def add(self, key: ApiKey) -> None:
        insert_new(self._connection, api_keys, key_to_row(key))

    def save(self, key: ApiKey) -> None:
        """Store a changed API key record, but not the time of its last use: the key book does that."""
        row = key_to_row(key)
        del row["last_used_at"]
        self._connection.execute(
            sa.update(api_keys).where(api_keys.c.id == key.id).values(row)
        )
