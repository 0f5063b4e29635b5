"""Store and search the audit log in the database."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, time
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from hvcore.domain.access.audit import ActorKind, AuditEntry, AuditQuery
from hvcore.domain.ids import is_video_id
from hvcore.persistence.json_columns import dump_plain, load_mapping
from hvcore.persistence.statements import is_storable
from hvcore.persistence.tables import audit_log

_END: Final = "\n"
_CHANGING: Final = ("video", "captions", "chapters", "thumbnail")
"""The areas whose actions change what a video's page shows."""
_REPAIR: Final = "video.repair"
"""Of operators: a video gets back what it had lost, or loses what nobody can give back."""


class SqlAuditRepository:
    """Store and search the audit log; see ports.repositories.access.audit."""

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
            is_by_program=entry.is_by_program,
        )
        self._connection.execute(statement)

    def is_by_others(self, video_id: str, *, since: datetime, actor: str) -> bool:
        log = audit_log.c
        counts = sa.or_(
            log.is_by_program.is_(False),
            *(log.action.startswith(f"{area}.") for area in _CHANGING),
        )
        found = sa.exists().where(
            log.subject == video_id,
            log.at > since,
            log.actor != actor,
            log.action != _REPAIR,
            counts,
        )
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
                is_by_program=row["is_by_program"],
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
    if query.by is not None:
        # Written as in the condition of the index, which has no entries of programs.
        yield log.is_by_program.is_(query.by is ActorKind.PROGRAM)
    if is_video_id(query.search):
        yield log.subject == query.search
    elif query.search:
        # One text is searched faster than four; nobody searches for ends of lines.
        text = (
            log.actor + _END + log.actor_name + _END + log.action + _END + log.subject
        )
        yield text.icontains(query.search, autoescape=True)
    if query.first is not None:
        yield log.at >= datetime.combine(query.first, time.min, tzinfo=UTC)
    if query.last is not None:
        yield log.at <= datetime.combine(query.last, time.max, tzinfo=UTC)
