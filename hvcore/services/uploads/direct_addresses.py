"""Presigned addresses of the object store, to which clients upload files directly."""

from collections.abc import Sequence
from typing import TypeGuard

import attrs

from hvcore.domain.limits import UPLOAD_URL_VALID_S
from hvcore.domain.uploads.direct import DirectUploadMode, part_sizes, sent_type
from hvcore.domain.uploads.grants import (
    GrantedPart,
    UploadGrant,
    direct_upload_path,
)
from hvcore.ports.direct_uploads import SupportsPresignedWrite, WriteAddress
from hvcore.ports.storage import Storage
from hvcore.services.processing.arrived_bytes import can_take_parts


@attrs.frozen(kw_only=True)
class DirectAddresses:
    """
    Sign object store addresses for direct uploads, where the setting and the store allow it.

    Attributes:
        mode: The setting for direct uploads: ``OFF`` gives no address, ``ON`` gives one for every
            upload, ``AUTO`` only if the address binds the announced type and size of the file.
    """

    storage: Storage
    mode: DirectUploadMode

    def address(self, grant: UploadGrant) -> WriteAddress | None:
        """
        Return a presigned address for the file of a new upload grant.

        Returns:
            None if the file must be uploaded to the service itself: direct uploads are off, the
            upload is resumable, or the store signs no address that fits the grant.

        Raises:
            UnavailableError: The object store cannot sign addresses now.
        """
        storage = self.storage
        if (
            self.mode is DirectUploadMode.OFF
            # A resumable upload comes in pieces, which the store does not know.
            or grant.tus_metadata is not None
            or not can_be_written(storage)
        ):
            return None
        address = storage.write_address(
            direct_upload_path(grant),
            content_type=grant.content_type,
            size_bytes=grant.size_bytes,
            valid_s=UPLOAD_URL_VALID_S,
        )
        if (
            address.max_bytes is not None
            and (grant.size_bytes or 0) > address.max_bytes
        ):
            return None
        if self.mode is DirectUploadMode.ON or _binds_all(grant, address):
            return address
        return None

    def has_parts(self, grant: UploadGrant) -> bool:
        """Return whether the file of a direct upload grant can be uploaded in parts."""
        return bool(part_sizes(grant.size_bytes)) and can_take_parts(self.storage)

    def parts(self, grant: UploadGrant) -> Sequence[GrantedPart]:
        """
        Begin a multipart upload for a grant, and return the addresses of its parts.

        The grant must be in the database, marked ``in_parts``: when the grant ends, the store is
        told to end the multipart upload.

        Returns:
            Nothing if the grant or the store allows no parts.

        Raises:
            UnavailableError: The store does not answer.
        """
        storage, sizes = self.storage, part_sizes(grant.size_bytes)
        if not grant.in_parts or not can_take_parts(storage):
            return ()
        begun = storage.begin_parts(
            direct_upload_path(grant), content_type=sent_type(None, grant)
        )
        if begun.id not in {one.id for one in storage.parted_writes(begun.path)}:
            # Where the key may not list them, nobody would notice that they have come.
            storage.end_parts(begun)
            return ()
        return [
            GrantedPart(
                number=number,
                size_bytes=size_bytes,
                signed_url=storage.part_address(
                    begun, number, size_bytes=size_bytes, valid_s=UPLOAD_URL_VALID_S
                ).url,
            )
            for number, size_bytes in enumerate(sizes, start=1)
        ]

    def end_parts(self, path: str) -> None:
        """
        Abort the unfinished multipart uploads of the object at a storage path.

        Raises:
            UnavailableError: The store does not answer.
        """
        storage = self.storage
        if can_take_parts(storage):
            for begun in storage.parted_writes(path):
                storage.end_parts(begun)


def can_be_written(storage: Storage) -> TypeGuard[SupportsPresignedWrite]:
    """Return whether a storage can sign addresses that let clients write objects."""
    return isinstance(storage, SupportsPresignedWrite) and storage.can_presign_writes


def _binds_all(grant: UploadGrant, address: WriteAddress) -> bool:
    # What was not announced, no address can bind.
    return (
        grant.content_type is not None
        and grant.size_bytes is not None
        and address.binds_type
        and address.binds_size
    )
