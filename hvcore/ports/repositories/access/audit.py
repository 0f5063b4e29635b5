"""The repository of the audit log; see services.access.audit."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from hvcore.domain.access.audit import AuditEntry, AuditQuery


class AuditRepository(Protocol):
    """Store entries of the audit log, which never change."""

    def add(self, entry: AuditEntry) -> None: ...

    def is_by_others(self, video_id: str, *, since: datetime, actor: str) -> bool:
        """
        Return whether somebody has done something with a video since a moment.

        Of programs only changes of what the video's page shows count: they make share links
        and edge keys all day. Repairs never count.

        Args:
            actor: The person who does not count, as entries name the person.
        """
        ...

    def search(self, query: AuditQuery, limit: int) -> Sequence[AuditEntry]:
        """Return at most ``limit`` audit log entries that match a query, the latest first."""
        ...
