"""The audit log; see services.access.audit."""

from collections.abc import Sequence
from typing import Protocol

from hvcore.domain.access.audit import AuditEntry, AuditQuery


class AuditRepository(Protocol):
    """Entries that are added and never changed."""

    def add(self, entry: AuditEntry) -> None: ...

    def search(self, query: AuditQuery, limit: int) -> Sequence[AuditEntry]:
        """Return the latest entries that a query asks for; newest first."""
        ...
