"""Store the mails with invitations and sign-in links."""

import zlib
from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection, RowMapping

from hvcore.domain.ids import MemberId, OrgId, SignInMailId
from hvcore.domain.sign_in.mails import SignInMail
from hvcore.persistence.statements import insert_new, is_storable
from hvcore.persistence.tables import sign_in_mails

_ROW = sign_in_mails.c
_LOCK_NUMBER: Final = 0x5349_4D00
"""Of the advisory locks of PostgreSQL; any number that nobody else takes."""


class SqlSignInMailRepository:
    """Store the mails with invitations and sign-in links; see ports.repositories.sign_in."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def lock(self, recipient: str) -> None:
        # On SQLite a writer is alone anyhow.
        if self._connection.dialect.name == "postgresql":
            numbers = (_LOCK_NUMBER, zlib.crc32(recipient.encode()) >> 1)
            self._connection.exec_driver_sql(
                "SELECT pg_advisory_xact_lock(%s, %s)", numbers
            )

    def add(self, mail: SignInMail) -> None:
        row = {column.name: getattr(mail, column.name) for column in _ROW}
        insert_new(self._connection, sign_in_mails, row)

    def find(self, mail_id: str) -> SignInMail | None:
        if not is_storable(mail_id):
            return None
        return self._one(sa.select(sign_in_mails).where(_ROW.id == mail_id))

    def newest_invitation(self, member_id: str) -> SignInMail | None:
        return self._one(
            sa.select(sign_in_mails)
            .where(_ROW.member_id == member_id)
            .order_by(_ROW.created_at.desc(), _ROW.id.desc())
            .limit(1)
        )

    def count_to(
        self, recipient: str, since: datetime, *, are_invitations: bool
    ) -> int:
        is_kind = (
            _ROW.member_id.is_not(None) if are_invitations else _ROW.member_id.is_(None)
        )
        return self._count(
            _ROW.recipient == recipient, _ROW.created_at > since, is_kind
        )

    def count_invitations(self, org_id: str, since: datetime) -> int:
        return self._count(
            _ROW.org_id == org_id,
            _ROW.created_at > since,
            _ROW.member_id.is_not(None),
        )

    def remove_old(self, before: datetime) -> int:
        statement = sa.delete(sign_in_mails).where(_ROW.expires_at <= before)
        return self._connection.execute(statement).rowcount

    def _count(self, *conditions: sa.ColumnElement[bool]) -> int:
        statement = (
            sa.select(sa.func.count()).select_from(sign_in_mails).where(*conditions)
        )
        return self._connection.execute(statement).scalar_one()

    def _one(self, statement: "sa.Select[tuple[object, ...]]") -> SignInMail | None:
        row = self._connection.execute(statement).mappings().one_or_none()
        return None if row is None else _mail(row)


def _mail(row: RowMapping) -> SignInMail:
    return SignInMail(
        id=SignInMailId(row["id"]),
        org_id=OrgId(row["org_id"]),
        member_id=None if row["member_id"] is None else MemberId(row["member_id"]),
        recipient=row["recipient"],
        return_to=row["return_to"],
        created_at=row["created_at"],
        expires_at=row["expires_at"],
    )
