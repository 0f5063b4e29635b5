"""
The audit log in the database; see ports.audit.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from hvcore.domain.access.audit import AuditEntry
from hvcore.persistence.json_columns import dump_plain, load_mapping
from hvcore.persistence.statements import is_storable
from hvcore.persistence.tables import audit_log


class SqlAuditRepository:
    """
    A row for each entry, in the order they were added.
    """

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
        )
        self._connection.execute(statement)

    def latest(self, org_id: str | None, limit: int) -> Sequence[AuditEntry]:
        statement = sa.select(audit_log).order_by(audit_log.c.seq.desc()).limit(limit)
        if org_id is not None:
            if not is_storable(org_id):
                return []
            statement = statement.where(audit_log.c.org_id == org_id)
        return [
            AuditEntry(
                at=row["at"],
                org_id=row["org_id"],
                actor=row["actor"],
                action=row["action"],
                subject=row["subject"],
                details=load_mapping(row["details"]),
            )
            for row in self._connection.execute(statement).mappings()
        ]
