"""Redirect players to the object store, by presigned addresses that expire soon."""

from datetime import datetime
from typing import Final, TypeGuard

import attrs

from hvcore.clock import Clock
from hvcore.ports.storage import Storage, SupportsPresignedRead
from hvcore.services.playback.responses import StoredFile

VALID_S: Final = 30
"""How long an address of the store is valid: a player follows it at once, clocks may differ."""


@attrs.frozen(kw_only=True)
class Redirects:
    """Sign the addresses of published files in the object store."""

    clock: Clock

    def address(self, stored: StoredFile, ends_at: datetime | None) -> str | None:
        """
        Return a presigned address of a stored file; None if only this process can serve it.

        Args:
            ends_at: When the viewer's permission ends; None if it does not end. No address
                is valid for longer.

        Raises:
            UnavailableError: The object store cannot sign addresses now.
        """
        storage = stored.storage
        # Of a file of which only the beginning is published, it would show all.
        if stored.first_bytes is not None or not can_redirect(storage):
            return None
        valid_s = VALID_S
        if ends_at is not None:
            left_s = (ends_at - self.clock.now()).total_seconds()
            valid_s = min(valid_s, int(left_s))
        if valid_s < 1:
            return None
        return storage.presigned_url(stored.path, valid_s=valid_s)


def can_redirect(storage: Storage) -> TypeGuard[SupportsPresignedRead]:
    """Return whether a storage signs addresses for reading."""
    return isinstance(storage, SupportsPresignedRead) and storage.can_presign
