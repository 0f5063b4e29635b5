"""Addresses of the object store itself, to which callers send their files."""

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
    """Sign addresses of direct uploads, if the mode or their bindings allow."""

    storage: Storage
    mode: DirectUploadMode

    def address(self, grant: UploadGrant) -> WriteAddress | None:
        """
        Return the store's address for a new grant; None for our own address.

        Raises:
            UnavailableError: The store cannot sign.
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
        """Return whether a direct grant's file can be sent in parts."""
        return bool(part_sizes(grant.size_bytes)) and can_take_parts(self.storage)

    def parts(self, grant: UploadGrant) -> Sequence[GrantedPart]:
        """
        Return the addresses of a direct upload's parts; perhaps none.

        The grant must be in the database, marked ``in_parts``: its end ends the parts.

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
        End uploads in parts that were begun at a path and never joined.

        Raises:
            UnavailableError: The store does not answer.
        """
        storage = self.storage
        if can_take_parts(storage):
            for begun in storage.parted_writes(path):
                storage.end_parts(begun)


def can_be_written(storage: Storage) -> TypeGuard[SupportsPresignedWrite]:
    """Return whether a storage signs addresses for writing."""
    return isinstance(storage, SupportsPresignedWrite) and storage.can_presign_writes


def _binds_all(grant: UploadGrant, address: WriteAddress) -> bool:
    # What was not announced, no address can bind.
    return (
        grant.content_type is not None
        and grant.size_bytes is not None
        and address.binds_type
        and address.binds_size
    )
