"""The repository of upload grants; see ports.unit_of_work.Work."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from hvcore.domain.access.tenants import Environment
from hvcore.domain.uploads.grants import UploadGrant


class GrantRepository(Protocol):
    """Store upload grants."""

    def find(
        self, grant_id: str, *, for_update: bool = False
    ) -> UploadGrant | None: ...

    def find_path(self, path: str, *, for_update: bool = False) -> UploadGrant | None:
        """
        Return the upload grant with a ``bucketPath``; None if there is none.

        Args:
            for_update: Whether the row stays locked until the transaction ends.
        """
        ...

    def add(self, grant: UploadGrant) -> None: ...

    def save(self, grant: UploadGrant) -> None: ...

    def arriving(
        self, env: Environment, now: datetime, limit: int
    ) -> Sequence[UploadGrant]:
        """Return an environment's resumable uploads that may still go on, the newest first."""
        ...

    def unused(self, before: datetime, limit: int) -> Sequence[UploadGrant]:
        """
        Return grants that expired before a moment and became no video.

        Grants whose bytes a task will still look for in the store are left out.
        """
        ...

    def never_sent(self, before: datetime, limit: int) -> Sequence[UploadGrant]:
        """Return unused grants for direct uploads of new videos that expired before a moment."""
        ...
