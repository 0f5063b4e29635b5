"""Store the codes that are mailed to viewers of share links."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, RowMapping

from hvcore.domain.ids import OrgId, ShareCodeId, ShareLinkId, VideoId
from hvcore.domain.links.share_codes import MAX_CODE_GUESSES, ShareCode
from hvcore.persistence.statements import insert_new, is_storable
from hvcore.persistence.tables import share_codes


class SqlShareCodeRepository:
    """Store the codes that are mailed to viewers of share links; see ports.repositories.share_codes."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, code: ShareCode) -> None:
        row = {column.name: getattr(code, column.name) for column in share_codes.c}
        insert_new(self._connection, share_codes, row)

    def find(self, code_id: str) -> ShareCode | None:
        if not is_storable(code_id):
            return None
        statement = sa.select(share_codes).where(share_codes.c.id == code_id)
        return _code(self._connection.execute(statement).mappings().one_or_none())

    def made_for(self, recipient: str, since: datetime) -> int:
        statement = (
            sa.select(sa.func.count())
            .select_from(share_codes)
            .where(
                share_codes.c.recipient == recipient, share_codes.c.created_at > since
            )
        )
        return self._connection.execute(statement).scalar_one()

    def take_guess(
        self, code_id: str, share_id: ShareLinkId, now: datetime
    ) -> ShareCode | None:
        if not is_storable(code_id):
            return None
        statement = (
            sa.update(share_codes)
            .where(
                share_codes.c.id == code_id,
                share_codes.c.share_id == share_id,
                share_codes.c.expires_at > now,
                share_codes.c.guesses < MAX_CODE_GUESSES,
            )
            .values(guesses=share_codes.c.guesses + 1)
            .returning(*share_codes.c)
        )
        return _code(self._connection.execute(statement).mappings().one_or_none())

    def newest(self, recipient: str, now: datetime) -> ShareCode | None:
        statement = (
            sa.select(share_codes)
            .where(
                share_codes.c.recipient == recipient,
                share_codes.c.is_for_viewer,
                share_codes.c.expires_at > now,
            )
            .order_by(share_codes.c.created_at.desc(), share_codes.c.id.desc())
            .limit(1)
        )
        return _code(self._connection.execute(statement).mappings().one_or_none())

    def use(self, code_id: ShareCodeId, now: datetime) -> bool:
        statement = (
            sa.update(share_codes)
            .where(share_codes.c.id == code_id, share_codes.c.expires_at > now)
            .values(expires_at=now)
        )
        return self._connection.execute(statement).rowcount == 1

    def remove_old(self, before: datetime) -> None:
        # A transaction at the same moment does the same, in whatever order.
        old = (
            sa.select(share_codes.c.id)
            .where(share_codes.c.created_at <= before)
            .with_for_update(skip_locked=True)
        )
        self._connection.execute(
            sa.delete(share_codes).where(share_codes.c.id.in_(old))
        )


def _code(row: RowMapping | Mapping[str, Any] | None) -> ShareCode | None:
    if row is None:
        return None
    return ShareCode(
        id=ShareCodeId(row["id"]),
        share_id=ShareLinkId(row["share_id"]),
        org_id=OrgId(row["org_id"]),
        video_id=VideoId(row["video_id"]),
        recipient=row["recipient"],
        code=row["code"],
        is_for_viewer=row["is_for_viewer"],
        created_at=row["created_at"],
        expires_at=row["expires_at"],
        guesses=row["guesses"],
    )
