"""Make the services for uploads: grants, resumable uploads, fetches and direct uploads."""

from functools import cached_property
from typing import Final

import attrs

from hvcore.assembly.backends import Backends
from hvcore.domain.uploads.direct import DirectUploadMode
from hvcore.errors import ConfigError
from hvcore.incoming.disk_space import DiskReservations
from hvcore.incoming.room_ledger import RoomLedger
from hvcore.services.uploads.direct_addresses import DirectAddresses, can_be_written
from hvcore.services.uploads.direct_uploads import DirectUploads
from hvcore.services.uploads.fetching import Fetching
from hvcore.services.uploads.grants import Uploads
from hvcore.services.uploads.local_uploads import LocalUploads
from hvcore.services.uploads.purges import UploadPurges
from hvcore.services.uploads.resumable import ResumableUploads
from hvcore.services.uploads.storage_events import StorageEvents

ROOM_FILE: Final = "upload-room.json"
"""In the data folder, where all processes of a machine find it."""


class UploadWiring(Backends):
    """The services for uploads, a part of Services; each is made when it is first read."""

    @cached_property
    def uploads(self) -> Uploads:
        """The service that grants uploads of files and stores their bytes."""
        return Uploads(
            uow=self.uow,
            storage=self.storage,
            signer=self.upload_signer,
            public=self.settings.public,
            clock=self.clock,
            work_dir=self.recipe.work_dir,
            room=DiskReservations(
                ledger=RoomLedger(self.settings.data_dir / ROOM_FILE),
                most_of_one_percent=self.settings.shares.upload_room_percent,
            ),
            direct=self._direct_addresses,
        )

    @cached_property
    def local_uploads(self) -> LocalUploads:
        """The service that uploads files of the machine on which this process runs."""
        here = DirectAddresses(storage=self.storage, mode=DirectUploadMode.OFF)
        return LocalUploads(
            uploads=attrs.evolve(self.uploads, direct=here),
            videos=self.video_catalog,
            clock=self.clock,
        )

    @cached_property
    def direct_uploads(self) -> DirectUploads:
        """The service for bytes that senders upload straight to the object store."""
        return DirectUploads(
            uow=self.uow,
            storage=self.storage,
            uploads=self.uploads,
            clock=self.clock,
        )

    @cached_property
    def upload_purges(self) -> UploadPurges:
        """The service that removes uploaded bytes that nobody needs any more."""
        return UploadPurges(
            uow=self.uow, storage=self.storage, direct=self._direct_addresses
        )

    @cached_property
    def storage_events(self) -> StorageEvents:
        """The service that receives an object store's events about new objects."""
        return StorageEvents(uow=self.uow, storage=self.storage)

    @cached_property
    def _direct_addresses(self) -> DirectAddresses:
        mode = DirectUploadMode(self.settings.uploads.direct)
        if mode is DirectUploadMode.ON and not can_be_written(self.storage):
            raise ConfigError(
                "uploads.direct: this storage signs no addresses for writing; use S3, "
                "Google or Azure with a key that signs, or set it to auto or off."
            )
        return DirectAddresses(storage=self.storage, mode=mode)

    @cached_property
    def fetching(self) -> Fetching:
        """The service that fetches source files from other servers."""
        return Fetching(
            uow=self.uow,
            storage=self.storage,
            outbound=self.outbound,
            uploads=self.uploads,
            clock=self.clock,
        )

    @cached_property
    def resumable(self) -> ResumableUploads:
        """The service for uploads that resume where they were cut off."""
        return ResumableUploads(
            uow=self.uow,
            uploads=self.uploads,
            signer=self.upload_signer,
            public=self.settings.public,
            clock=self.clock,
        )
