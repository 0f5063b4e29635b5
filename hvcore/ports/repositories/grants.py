"""The repository of upload grants; see ports.unit_of_work.Work."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from hvcore.domain.uploads.grants import UploadGrant


class GrantRepository(Protocol):
    """The upload grants."""

    def find(
        self, grant_id: str, *, for_update: bool = False
    ) -> UploadGrant | None: ...

    def find_path(self, path: str, *, for_update: bool = False) -> UploadGrant | None:
        """Return a grant by its ``bucketPath``."""
        ...

    def add(self, grant: UploadGrant) -> None: ...

    def save(self, grant: UploadGrant) -> None: ...

    def unused(self, before: datetime, limit: int) -> Sequence[UploadGrant]:
        """
        Return grants that ran out before a moment and became no video.

        None whose bytes a task is still to look for.
        """
        ...

    def never_sent(self, before: datetime, limit: int) -> Sequence[UploadGrant]:
        """Return unused grants of new videos whose bytes go straight to the store."""
        ...
