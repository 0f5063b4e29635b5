"""Store the records of sign-in that are used once: sign-ins in progress, and one-time links."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, RowMapping

from hvcore.domain.sign_in.links import SignInLink
from hvcore.domain.sign_in.pending import PendingSignIn
from hvcore.persistence.statements import insert_all_new, insert_new
from hvcore.persistence.tables import pending_sign_ins, sign_in_links


class SqlPendingSignInRepository:
    """Store sign-ins that are not completed yet; see ports.repositories.sign_in."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, pending: PendingSignIn) -> None:
        insert_new(self._connection, pending_sign_ins, _row(pending_sign_ins, pending))

    def take(self, state_sha256: str, now: datetime) -> PendingSignIn | None:
        key = pending_sign_ins.c.state_sha256
        row = _take(self._connection, pending_sign_ins, key, state_sha256, now)
        return None if row is None else PendingSignIn(**row)

    def remove_expired(self, now: datetime) -> int:
        return _remove_expired(self._connection, pending_sign_ins, now)


class SqlSignInLinkRepository:
    """Store one-time sign-in links; see ports.repositories.sign_in."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, link: SignInLink) -> None:
        insert_new(self._connection, sign_in_links, _row(sign_in_links, link))

    def add_all(self, links: Sequence[SignInLink]) -> None:
        rows = [_row(sign_in_links, link) for link in links]
        insert_all_new(self._connection, sign_in_links, rows)

    def take(self, sha256: str, now: datetime) -> SignInLink | None:
        """
        Remove a sign-in link, found by the SHA-256 of its code; return it unless it has expired.

        One SQL statement: of any number of callers at once, one gets the link.
        """
        row = _take(
            self._connection, sign_in_links, sign_in_links.c.sha256, sha256, now
        )
        return None if row is None else SignInLink(**row)

    def find(self, sha256: str) -> SignInLink | None:
        statement = sa.select(sign_in_links).where(sign_in_links.c.sha256 == sha256)
        row = self._connection.execute(statement).mappings().one_or_none()
        return None if row is None else SignInLink(**row)

    def of_mail(self, mail_id: str, now: datetime) -> Sequence[SignInLink]:
        statement = (
            sa.select(sign_in_links)
            .where(sign_in_links.c.mail_id == mail_id, sign_in_links.c.expires_at > now)
            .order_by(sign_in_links.c.org_id)
        )
        rows = self._connection.execute(statement).mappings()
        return [SignInLink(**row) for row in rows]

    def remove_mailed(self, member_id: str) -> None:
        self._connection.execute(
            sa.delete(sign_in_links).where(
                sign_in_links.c.member_id == member_id,
                sign_in_links.c.mail_id.is_not(None),
            )
        )

    def remove_expired(self, now: datetime) -> int:
        return _remove_expired(self._connection, sign_in_links, now)


def _row(table: sa.Table, value: object) -> dict[str, Any]:
    return {column.name: getattr(value, column.name) for column in table.c}


def _take(
    connection: Connection,
    table: sa.Table,
    key: "sa.Column[Any]",
    value: str,
    now: datetime,
) -> RowMapping | None:
    statement = (
        sa.delete(table)
        .where(key == value, table.c.expires_at > now)
        .returning(*table.c)
    )
    return connection.execute(statement).mappings().one_or_none()


def _remove_expired(connection: Connection, table: sa.Table, now: datetime) -> int:
    statement = sa.delete(table).where(table.c.expires_at <= now)
    return connection.execute(statement).rowcount
