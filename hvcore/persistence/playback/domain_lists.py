"""Store the lists of domains that playback tokens name; see ports.repositories.domain_lists."""

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from hvcore.domain.playback.domain_lists import NamedDomains
from hvcore.persistence.statements import insert_into
from hvcore.persistence.tables import domain_lists


class SqlDomainListRepository:
    """Store domain lists, a row for each; see ports.repositories.domain_lists."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def expires_at(self, list_id: str) -> datetime | None:
        statement = sa.select(domain_lists.c.expires_at).where(
            domain_lists.c.id == list_id
        )
        return self._connection.execute(statement).scalar_one_or_none()

    def keep(self, domain_list: NamedDomains) -> None:
        statement = insert_into(self._connection, domain_lists).values(
            id=domain_list.id,
            domains=" ".join(domain_list.domains),
            expires_at=domain_list.expires_at,
        )
        longer = statement.excluded.expires_at
        self._connection.execute(
            statement.on_conflict_do_update(
                index_elements=[domain_lists.c.id],
                set_={"expires_at": longer},
                where=domain_lists.c.expires_at < longer,
            )
        )

    def forget(self, before: datetime, limit: int) -> int:
        ended = (
            sa.select(domain_lists.c.id)
            .where(domain_lists.c.expires_at <= before)
            .order_by(domain_lists.c.expires_at)
            .limit(limit)
        )
        statement = sa.delete(domain_lists).where(
            domain_lists.c.id.in_(ended),
            # One that is named again meanwhile stays.
            domain_lists.c.expires_at <= before,
        )
        return self._connection.execute(statement).rowcount
