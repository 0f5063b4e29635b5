"""Store and search the audit log of operators' actions in the database."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, time
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from hvcore.domain.access.audit import AuditEntry, AuditQuery
from hvcore.persistence.json_columns import dump_plain, load_mapping
from hvcore.persistence.statements import is_storable
from hvcore.persistence.tables import audit_log

_END: Final = "\n"


class SqlAuditRepository:
    """Store and search the audit log of operators' actions; see ports.repositories.access.audit."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, entry: AuditEntry) -> None:
        statement = sa.insert(audit_log).values(
            at=entry.at,
            org_id=entry.org_id,
            actor=entry.actor,
            action=entry.action,
            subject=entry.subject,
            details=dump_plain(dict(entry.details)),
            actor_name=entry.actor_name,
        )
        self._connection.execute(statement)

    def is_by_others(self, subject: str, *, since: datetime, actor: str) -> bool:
        log = audit_log.c
        # Programs have no name.
        by_others = sa.and_(log.actor_name != "", log.actor != actor)
        found = sa.exists().where(log.subject == subject, log.at > since, by_others)
        return bool(self._connection.execute(sa.select(found)).scalar_one())

    def search(self, query: AuditQuery, limit: int) -> Sequence[AuditEntry]:
        texts = (query.org_id or "", query.area, query.search)
        if not all(is_storable(text) for text in texts):
            return []
        statement = (
            sa.select(audit_log)
            .where(*_conditions(query))
            .order_by(audit_log.c.seq.desc())
            .limit(limit)
        )
        return [
            AuditEntry(
                at=row["at"],
                org_id=row["org_id"],
                actor=row["actor"],
                action=row["action"],
                subject=row["subject"],
                details=load_mapping(row["details"]),
                actor_name=row["actor_name"],
                seq=row["seq"],
            )
            for row in self._connection.execute(statement).mappings()
        ]


def _conditions(query: AuditQuery) -> Iterator[sa.ColumnElement[bool]]:
    log = audit_log.c
    if query.org_id is not None:
        yield log.org_id == query.org_id
    if query.before is not None:
        yield log.seq < query.before
    if query.area:
        yield log.action.startswith(f"{query.area}.", autoescape=True)
    if query.search:
        # One text is searched faster than four; nobody searches for ends of lines.
        text = (
            log.actor + _END + log.actor_name + _END + log.action + _END + log.subject
        )
        yield text.icontains(query.search, autoescape=True)
    if query.first is not None:
        yield log.at >= datetime.combine(query.first, time.min, tzinfo=UTC)
    if query.last is not None:
        yield log.at <= datetime.combine(query.last, time.max, tzinfo=UTC)
