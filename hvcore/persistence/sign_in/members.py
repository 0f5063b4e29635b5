"""Store the members of organizations: the people who may sign in to the dashboard."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, RowMapping

from hvcore.domain.access.roles import Role
from hvcore.domain.ids import MemberId, OrgId
from hvcore.domain.sign_in.members import OrganizationMember, fold_email
from hvcore.persistence.statements import insert_new, is_storable
from hvcore.persistence.tables import organization_members, sign_in_links

_ROW = organization_members.c


class SqlMemberRepository:
    """Store the members of organizations; see ports.repositories.sign_in."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, member: OrganizationMember) -> None:
        insert_new(
            self._connection,
            organization_members,
            {
                "id": member.id,
                "org_id": member.org_id,
                "email": member.email,
                "email_folded": fold_email(member.email),
                "name": member.name,
                "role": member.role.value,
                "created_at": member.created_at,
            },
        )

    def find(
        self, org_id: str, member_id: str, *, for_update: bool = False
    ) -> OrganizationMember | None:
        if not (is_storable(org_id) and is_storable(member_id)):
            return None
        is_it = (_ROW.org_id == org_id, _ROW.id == member_id)
        return self._one(*is_it, for_update=for_update)

    def find_by_email(self, org_id: str, email: str) -> OrganizationMember | None:
        if not email or not (is_storable(org_id) and is_storable(email)):
            return None
        is_it = (_ROW.org_id == org_id, _ROW.email_folded == fold_email(email))
        return self._one(*is_it)

    def of_organization(self, org_id: str) -> Sequence[OrganizationMember]:
        if not is_storable(org_id):
            return []
        rows = self._connection.execute(_listed(_ROW.org_id == org_id)).mappings()
        return [_member(row) for row in rows]

    def page(
        self, org_id: str, *, offset: int, limit: int
    ) -> Sequence[OrganizationMember]:
        if not is_storable(org_id):
            return []
        statement = _listed(_ROW.org_id == org_id).limit(limit).offset(offset)
        return [_member(row) for row in self._connection.execute(statement).mappings()]

    def count(self, org_id: str) -> int:
        if not is_storable(org_id):
            return 0
        statement = (
            sa.select(sa.func.count())
            .select_from(organization_members)
            .where(_ROW.org_id == org_id)
        )
        return self._connection.execute(statement).scalar_one()

    def lock_admins(self, org_id: str) -> Sequence[OrganizationMember]:
        if not is_storable(org_id):
            return []
        statement = (
            sa.select(organization_members)
            .where(_ROW.org_id == org_id, _ROW.role == Role.ADMIN.value)
            .order_by(_ROW.id)
            .with_for_update()
        )
        return [_member(row) for row in self._connection.execute(statement).mappings()]

    def of_email(
        self, email: str, *, for_update: bool = False
    ) -> Sequence[OrganizationMember]:
        if not email or not is_storable(email):
            return []
        statement = _listed(_ROW.email_folded == fold_email(email))
        if for_update:
            statement = statement.with_for_update()
        return [_member(row) for row in self._connection.execute(statement).mappings()]

    def change_role(self, member: OrganizationMember, role: Role) -> None:
        self._connection.execute(
            sa.update(organization_members)
            .where(_ROW.id == member.id)
            .values(role=role.value)
        )

    def remove(self, member: OrganizationMember) -> None:
        self._connection.execute(
            sa.delete(sign_in_links).where(sign_in_links.c.member_id == member.id)
        )
        self._connection.execute(
            sa.delete(organization_members).where(_ROW.id == member.id)
        )

    def _one(
        self, *conditions: sa.ColumnElement[bool], for_update: bool = False
    ) -> OrganizationMember | None:
        statement = sa.select(organization_members).where(*conditions)
        if for_update:
            statement = statement.with_for_update()
        row = self._connection.execute(statement).mappings().one_or_none()
        return None if row is None else _member(row)


def _listed(condition: sa.ColumnElement[bool]) -> "sa.Select[Any]":
    return (
        sa.select(organization_members)
        .where(condition)
        .order_by(_ROW.created_at, _ROW.id)
    )


def _member(row: RowMapping) -> OrganizationMember:
    return OrganizationMember(
        id=MemberId(row["id"]),
        org_id=OrgId(row["org_id"]),
        email=row["email"],
        name=row["name"],
        role=Role(row["role"]),
        created_at=row["created_at"],
    )
