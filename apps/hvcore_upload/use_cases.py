"""Protocols of the core's services that the upload app calls."""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from hvcore.domain.ids import GrantId
from hvcore.domain.uploads.grants import UploadGrant
from hvcore.incoming.disk_space import DiskReservation
from hvcore.incoming.partial import PartialFile, PartialFiles


class UploadUseCases(Protocol):
    """The methods of the upload service by which the upload app receives a file in one request."""

    def open_upload(self, grant_id: str) -> UploadGrant:
        """Return the grant with this id if its file may be uploaded now."""
        ...

    def check_announced(
        self, grant: UploadGrant, content_type: str | None, size_bytes: int | None
    ) -> None:
        """Refuse an upload if its announced content type or size in bytes is not that of its grant."""
        ...

    def incoming_dir(self) -> Path:
        """Return the folder in which files are until they have arrived completely."""
        ...

    def room_for(
        self, grant: UploadGrant, size_bytes: int | None
    ) -> AbstractContextManager[DiskReservation]:
        """Reserve disk space for a body of ``size_bytes`` while it arrives; None is an unknown size."""
        ...

    def is_room_scarce(self) -> bool:
        """Return whether other uploads wait for disk space."""
        ...

    def clean_incoming(self) -> int:
        """Remove partial upload files that a crash has left on this machine; return their number."""
        ...

    def receive(
        self, grant_id: str, local: Path, *, size_bytes: int, content_type: str
    ) -> UploadGrant:
        """Store the file of a grant, which has arrived completely at ``local``; return the grant."""
        ...


class ResumableUseCases(Protocol):
    """The methods of the resumable upload service by which the upload app continues uploads."""

    def partial_files(self) -> PartialFiles:
        """Return the files of unfinished uploads on this machine."""
        ...

    def find(self, grant_id: GrantId) -> UploadGrant:
        """Return the grant of a resumable upload that may continue or is complete."""
        ...

    def prolong(self, grant_id: GrantId) -> UploadGrant:
        """Move the expiry of a resumable upload forward, and return its grant."""
        ...

    def check_quotas(self, grant: UploadGrant) -> None:
        """Refuse further bytes of an upload whose whole file would exceed the organization's quotas."""
        ...

    def room_for(
        self, grant: UploadGrant, size_bytes: int | None
    ) -> AbstractContextManager[DiskReservation]:
        """Reserve disk space for the bytes of one request, at most ``size_bytes``, while they arrive."""
        ...

    def is_room_scarce(self) -> bool:
        """Return whether other uploads wait for disk space."""
        ...

    def finish(self, grant: UploadGrant, file: PartialFile) -> None:
        """Store the file of a resumable upload that has arrived completely."""
        ...

    def cancel(self, grant_id: GrantId) -> None:
        """End a resumable upload, and delete the video that waits for its file."""
        ...

    def tidy(self) -> int:
        """Remove the partial files of ended uploads; return the number of removed files."""
        ...
