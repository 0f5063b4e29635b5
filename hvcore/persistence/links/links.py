"""Store edge keys, the secrets in lasting playback addresses of a video, and share links."""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, RowMapping

from hvcore.domain.ids import EdgeKeyId, EnvId, OrgId, ShareLinkId, VideoId
from hvcore.domain.links.links import GUESS_WINDOW, MAX_GUESSES, EdgeKey, ShareLink
from hvcore.persistence.statements import insert_into, insert_new, is_storable
from hvcore.persistence.tables import edge_keys, share_guesses, share_links


class SqlEdgeKeyRepository:
    """Store edge keys in the database, as EdgeKeyRepository of the ports describes it."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def find(self, edge_key: str, *, for_update: bool = False) -> EdgeKey | None:
        row = _one(self._connection, edge_keys, edge_key, for_update=for_update)
        return None if row is None else edge_key_from_row(row)

    def of_video(self, video_id: VideoId, limit: int) -> Sequence[EdgeKey]:
        rows = _newest(self._connection, edge_keys, video_id, limit)
        return [edge_key_from_row(row) for row in rows]

    def add(self, key: EdgeKey) -> None:
        insert_new(self._connection, edge_keys, edge_key_to_row(key))

    def save(self, key: EdgeKey) -> None:
        statement = sa.update(edge_keys).where(edge_keys.c.id == key.id)
        self._connection.execute(statement.values(edge_key_to_row(key)))


class SqlShareLinkRepository:
    """Store share links; see ports.repositories.links.ShareLinkRepository."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def find(self, share_id: str, *, for_update: bool = False) -> ShareLink | None:
        row = _one(self._connection, share_links, share_id, for_update=for_update)
        return None if row is None else share_link_from_row(row)

    def of_video(self, video_id: VideoId, limit: int) -> Sequence[ShareLink]:
        rows = _newest(self._connection, share_links, video_id, limit)
        return [share_link_from_row(row) for row in rows]

    def add(self, share: ShareLink) -> None:
        insert_new(self._connection, share_links, share_to_row(share))

    def revoke(self, share_id: ShareLinkId, at: datetime) -> None:
        self._change(share_links.c.id == share_id, revoked_at=at)

    def take_view(self, share_id: ShareLinkId, now: datetime) -> bool:
        return self._change(
            sa.and_(
                share_links.c.id == share_id,
                share_links.c.revoked_at.is_(None),
                share_links.c.expires_at > now,
                sa.or_(
                    share_links.c.max_views.is_(None),
                    share_links.c.views < share_links.c.max_views,
                ),
            ),
            views=share_links.c.views + 1,
        )

    def take_guess(
        self,
        share_id: ShareLinkId,
        client: str,
        now: datetime,
        *,
        most: int = MAX_GUESSES,
    ) -> bool:
        guesses = share_guesses.c
        begins_before = now - GUESS_WINDOW
        old = sa.select(guesses.client).where(
            guesses.share_id == share_id, guesses.guesses_from <= begins_before
        )
        # A transaction at the same moment does the same, in whatever order.
        old = old.with_for_update(skip_locked=True)
        self._connection.execute(
            sa.delete(share_guesses).where(
                guesses.share_id == share_id, guesses.client.in_(old)
            )
        )
        is_old = guesses.guesses_from <= begins_before
        statement = insert_into(self._connection, share_guesses).values(
            share_id=share_id,
            client=_client(share_id, client),
            guesses=1,
            guesses_from=now,
        )
        statement = statement.on_conflict_do_update(
            index_elements=[guesses.share_id, guesses.client],
            set_={
                "guesses": sa.case((is_old, 1), else_=guesses.guesses + 1),
                "guesses_from": sa.case(
                    (is_old, sa.literal(now, guesses.guesses_from.type)),
                    else_=guesses.guesses_from,
                ),
            },
            where=sa.or_(is_old, guesses.guesses < most),
        )
        taken = statement.returning(sa.literal(1))
        return self._connection.execute(taken).first() is not None

    def forget_guesses(self, share_id: ShareLinkId, client: str) -> None:
        self._connection.execute(
            sa.delete(share_guesses).where(
                share_guesses.c.share_id == share_id,
                share_guesses.c.client == _client(share_id, client),
            )
        )

    def _change(self, where: sa.ColumnElement[bool], **values: object) -> bool:
        statement = sa.update(share_links).where(where).values(**values)
        return self._connection.execute(statement).rowcount == 1


def edge_key_from_row(row: RowMapping | Mapping[str, Any]) -> EdgeKey:
    """Read an edge key from its row."""
    return EdgeKey(
        id=EdgeKeyId(row["id"]),
        org_id=OrgId(row["org_id"]),
        env_id=EnvId(row["env_id"]),
        video_id=VideoId(row["video_id"]),
        domains=tuple(row["domains"].split()),
        created_at=row["created_at"],
        expires_at=row["expires_at"],
        revoked_at=row["revoked_at"],
    )


def edge_key_to_row(key: EdgeKey) -> dict[str, Any]:
    """Return the row of an edge key."""
    return {
        "id": key.id,
        "org_id": key.org_id,
        "env_id": key.env_id,
        "video_id": key.video_id,
        "domains": " ".join(key.domains),
        "created_at": key.created_at,
        "expires_at": key.expires_at,
        "revoked_at": key.revoked_at,
    }


def share_link_from_row(row: RowMapping | Mapping[str, Any]) -> ShareLink:
    """Read a share link from its row."""
    return ShareLink(
        id=ShareLinkId(row["id"]),
        org_id=OrgId(row["org_id"]),
        env_id=EnvId(row["env_id"]),
        video_id=VideoId(row["video_id"]),
        created_at=row["created_at"],
        expires_at=row["expires_at"],
        max_views=row["max_views"],
        views=row["views"],
        viewer_email=row["viewer_email"],
        # Delivery does not read it.
        label=row.get("label") or "",
        revoked_at=row["revoked_at"],
    )


def share_to_row(share: ShareLink) -> dict[str, Any]:
    """Return the row of a share link."""
    return {
        "id": share.id,
        "org_id": share.org_id,
        "env_id": share.env_id,
        "video_id": share.video_id,
        "created_at": share.created_at,
        "expires_at": share.expires_at,
        "max_views": share.max_views,
        "views": share.views,
        "viewer_email": share.viewer_email,
        "label": share.label or None,
        "revoked_at": share.revoked_at,
    }


def _client(share_id: str, client: str) -> str:
    # Addresses of viewers are written nowhere; this one is of use here alone.
    return hashlib.sha256(f"{share_id} {client}".encode()).hexdigest()[:32]


def _one(
    connection: Connection, table: sa.Table, id_: str, *, for_update: bool
) -> RowMapping | None:
    if not is_storable(id_):
        return None
    statement = sa.select(table).where(table.c.id == id_)
    if for_update:
        statement = statement.with_for_update()
    return connection.execute(statement).mappings().one_or_none()


def _newest(
    connection: Connection, table: sa.Table, video_id: VideoId, limit: int
) -> Sequence[RowMapping]:
    statement = (
        sa.select(table)
        .where(table.c.video_id == video_id)
        .order_by(table.c.created_at.desc(), table.c.id.desc())
        .limit(limit)
    )
    return connection.execute(statement).mappings().all()
