"""
Wake upload tasks when the object store reports that their files have arrived.

A storage event only says when to look. The task finds out by itself which object is there,
and whether it fits the grant; so an event that is wrong, late, old or forged changes nothing.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final

import attrs

from hvcore.domain.uploads.grants import GrantState, UploadGrant, direct_upload_below
from hvcore.ports.storage import Storage, SupportsObjectUrl
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.services.processing.orders import order_look
from hvcore.services.uploads.direct_addresses import can_be_written

AT_ONCE: Final = 100
"""Uploads of one transaction: on a database with one writer, others wait for it."""
_UPLOADS: Final = "uploads"
_GRANT: Final = re.compile(rf"{_UPLOADS}(?:/[A-Za-z0-9_-]{{1,64}}){{3}}")


@attrs.frozen(kw_only=True)
class StorageEvents:
    """Handle "object created" events of an object store; thread-safe."""

    uow: UnitOfWork
    storage: Storage

    def wake(self, objects: Iterable[str]) -> int:
        """
        Order an immediate look for each upload whose file was reported; safe to repeat.

        Objects that belong to no upload, and uploads that are not waited for, are passed over.

        Args:
            objects: The names of stored objects, as ``bucket/key``.

        Returns:
            The number of uploads for which a look was ordered.

        Raises:
            UnavailableError: The database does not answer; send the event again later.
        """
        paths = self._grant_paths(objects)
        return sum(
            self._wake_some(paths[first : first + AT_ONCE])
            for first in range(0, len(paths), AT_ONCE)
        )

    def place(self) -> str | None:
        """
        Return the prefix of the names of all uploaded objects in the store, as ``bucket/key``.

        Returns:
            None if clients cannot upload directly to this storage.
        """
        storage = self.storage
        if not (can_be_written(storage) and isinstance(storage, SupportsObjectUrl)):
            return None
        return f"{storage.object_url(_UPLOADS).partition('://')[2]}/"

    def _grant_paths(self, objects: Iterable[str]) -> Sequence[str]:
        place = self.place()
        if place is None:
            return []
        found = set()
        for one in objects:
            path = f"{_UPLOADS}/{one.removeprefix(place)}"
            grant_path = path.rpartition("/")[0]
            is_direct_upload = (
                one.startswith(place) and direct_upload_below(grant_path) == path
            )
            if is_direct_upload and _GRANT.fullmatch(grant_path):
                found.add(grant_path)
        return sorted(found)

    def _wake_some(self, paths: Sequence[str]) -> int:
        with self.uow.read() as work:
            # Most are of nobody, or come twice: no transaction that writes for them.
            waiting = _waiting(work, paths)
        if not waiting:
            return 0
        with self.uow.write() as work:
            for grant in waiting:
                order_look(work, grant, None)
            work.commit()
        return len(waiting)


def _waiting(work: Work, paths: Sequence[str]) -> Sequence[UploadGrant]:
    grants = [work.grants.find_path(path) for path in paths]
    return [
        grant
        for grant in grants
        if grant is not None
        # What waits for a process request is looked for when that comes.
        and grant.starts_processing
        and grant.state is GrantState.DIRECT
    ]
