"""The ports of the core that the upload app's addresses need."""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from hvcore.domain.ids import GrantId
from hvcore.domain.uploads.grants import UploadGrant
from hvcore.incoming.disk_space import DiskReservation
from hvcore.incoming.partial import PartialFile, PartialFiles


class UploadUseCases(Protocol):
    """The part of the uploads service that receives bytes."""

    def open_upload(self, grant_id: str) -> UploadGrant:
        """Return the grant of an upload that may begin now."""
        ...

    def check_announced(
        self, grant: UploadGrant, content_type: str | None, size_bytes: int | None
    ) -> None:
        """Refuse an upload whose announced type or size is not that of its grant."""
        ...

    def incoming_dir(self) -> Path:
        """Return the folder in which bytes are collected."""
        ...

    def room_for(
        self, grant: UploadGrant, size_bytes: int | None
    ) -> AbstractContextManager[DiskReservation]:
        """Reserve space for a body while it arrives."""
        ...

    def is_room_scarce(self) -> bool:
        """Return whether other uploads wait for space."""
        ...

    def clean_incoming(self) -> int:
        """Remove the files that uploads which were cut off have left."""
        ...

    def receive(
        self, grant_id: str, local: Path, *, size_bytes: int, content_type: str
    ) -> UploadGrant:
        """Store a file that has arrived completely."""
        ...


class ResumableUseCases(Protocol):
    """The part of the resumable uploads that continues them."""

    def partial_files(self) -> PartialFiles:
        """Return the folder in which unfinished uploads are kept."""
        ...

    def find(self, grant_id: GrantId) -> UploadGrant:
        """Return the grant of an upload that goes on or is complete."""
        ...

    def prolong(self, grant_id: GrantId) -> UploadGrant:
        """Prolong the time of a resumable upload, and return its grant."""
        ...

    def check_quotas(self, grant: UploadGrant) -> None:
        """Refuse further bytes if the whole file could not be stored."""
        ...

    def room_for(
        self, grant: UploadGrant, size_bytes: int | None
    ) -> AbstractContextManager[DiskReservation]:
        """Reserve space for the bytes of one request while they arrive."""
        ...

    def is_room_scarce(self) -> bool:
        """Return whether other uploads wait for space."""
        ...

    def finish(self, grant: UploadGrant, file: PartialFile) -> None:
        """Store the file of a resumable upload that has arrived completely."""
        ...

    def cancel(self, grant_id: GrantId) -> None:
        """End a resumable upload, and the video that waits for its file."""
        ...

    def tidy(self) -> int:
        """Remove the files of uploads that have ended."""
        ...
