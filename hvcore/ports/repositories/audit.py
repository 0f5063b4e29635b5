"""
The audit log; see services.audit.
"""

from collections.abc import Sequence
from typing import Protocol

from hvcore.domain.access.audit import AuditEntry


class AuditRepository(Protocol):
    """
    Entries that are added and never changed.
    """

    def add(self, entry: AuditEntry) -> None:
        """
        Store an entry.
        """
        ...

    def latest(self, org_id: str | None, limit: int) -> Sequence[AuditEntry]:
        """
        Return the latest entries of an organization, or of all; newest first.
        """
        ...
