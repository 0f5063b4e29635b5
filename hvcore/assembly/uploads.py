"""
Bytes on their way in.
"""

from functools import cached_property

from hvcore.assembly.backends import Backends
from hvcore.services.uploads.fetching import Fetching
from hvcore.services.uploads.grants import Uploads
from hvcore.services.uploads.resumable import ResumableUploads


class UploadWiring(Backends):
    """
    A part of Services, which says when they are made.
    """

    @cached_property
    def uploads(self) -> Uploads:
        """
        Bytes on their way in.
        """
        return Uploads(
            uow=self.uow,
            storage=self.storage,
            signer=self.upload_signer,
            public=self.settings.public,
            clock=self.clock,
            work_dir=self._recipe.work_dir,
        )

    @cached_property
    def fetching(self) -> Fetching:
        """
        Bytes that the service gets for itself.
        """
        return Fetching(
            uow=self.uow,
            storage=self.storage,
            outbound=self.outbound,
            uploads=self.uploads,
            clock=self.clock,
        )

    @cached_property
    def resumable(self) -> ResumableUploads:
        """
        Uploads that go on where they were cut off.
        """
        return ResumableUploads(
            uow=self.uow,
            uploads=self.uploads,
            signer=self.upload_signer,
            public=self.settings.public,
            clock=self.clock,
        )
