"""
Store objects in Azure Blob Storage, and let other programs upload bytes themselves.

Other programs upload blocks, with one PUT or several: a block needs no header of
Azure's own, and is no object until the blocks are committed.
"""

import base64
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Final
from urllib.parse import urlencode

from azure.core.exceptions import HttpResponseError
from azure.storage.blob import BlobBlock, BlockState

from hvcore.plugin_api import (
    ObjectNotFoundError,
    PartedWrite,
    UploadedPart,
    WriteAddress,
)
from hvcore_storage_fsspec.azure_objects import (
    AzureObjects,
    azure_errors,
    drop_blocks,
    error_code,
)
from hvcore_storage_fsspec.time_limits import JOIN_S

MOST_BLOCK_BYTES: Final = 4000 * 1024**2
"""The most bytes that one block may have."""
WHOLE: Final = 0
"""The number of the block that has the bytes of a whole object."""

# All names of an object's blocks must have one length.
_OUR_NAME: Final = re.compile("[0-9]{5}")
_MARK: Final = "begun"
_GONE: Final = frozenset({"InvalidBlockList", "InvalidBlockId", "BlobNotFound"})


class AzureStorage(AzureObjects):
    """
    A storage in an Azure container that can let other programs upload objects.

    It also implements SupportsPresignedWrite, SupportsPartedWrite and
    SupportsStagedWrite. A signed address permits to create and write one object; it
    binds neither content type nor length.
    """

    @property
    def can_presign_writes(self) -> bool:
        """Return whether the storage has a key with which it can sign write addresses."""
        return self.can_presign

    @property
    def can_presign_parts(self) -> bool:
        """Return whether the storage has a key with which it can sign part addresses."""
        return self.can_presign

    def write_address(
        self,
        path: str,
        *,
        content_type: str | None,  # noqa: ARG002 - a block has none
        size_bytes: int | None,  # noqa: ARG002 - it cannot be bound
        valid_s: int,
    ) -> WriteAddress:
        """Return a signed address for one PUT of a whole object, which is uploaded as one block."""
        return self._block_address(path, WHOLE, valid_s)

    def staged_write(
        self, path: str
    ) -> tuple[PartedWrite, Sequence[UploadedPart]] | None:
        """
        Return the upload of a whole object by ``write_address`` that is not committed yet.

        Returns:
            The upload, and its only part; None if no such upload waits.
        """
        whole = [b for b in _ours(self._waiting(path)) if b.number == WHOLE]
        return (_begun(path), whole) if whole else None

    def begin_parts(
        self,
        path: str,
        *,
        content_type: str,  # noqa: ARG002 - a block has none
    ) -> PartedWrite:
        """Begin the upload of an object in parts, by storing a block that marks the upload."""
        blob = self._blob(self._full(path))
        with azure_errors():
            self._run(blob.stage_block, _MARK, b"-")
        return _begun(path)

    def part_address(
        self,
        begun: PartedWrite,
        number: int,
        *,
        size_bytes: int,  # noqa: ARG002 - it cannot be bound
        valid_s: int,
    ) -> WriteAddress:
        """Return a signed address for one PUT of a part of an object."""
        return self._block_address(begun.path, number, valid_s)

    def uploaded_parts(self, begun: PartedWrite) -> Sequence[UploadedPart]:
        """Return the parts of an object that have arrived, sorted by number."""
        waiting = self._waiting(begun.path)
        if not waiting:
            raise ObjectNotFoundError(begun.path)
        return [block for block in _ours(waiting) if block.number != WHOLE]

    def join_parts(self, begun: PartedWrite, parts: Sequence[UploadedPart]) -> None:
        """Make an object of its uploaded parts, and discard all other blocks."""
        blob = self._blob(self._full(begun.path))
        named = [BlobBlock(part.tag, state=BlockState.UNCOMMITTED) for part in parts]
        with azure_errors(begun.path):
            try:
                self._run(blob.commit_block_list, named, limit_s=JOIN_S)
            except HttpResponseError as exc:
                if error_code(exc) in _GONE:
                    raise FileNotFoundError(begun.path) from exc
                raise

    def end_parts(self, begun: PartedWrite) -> None:
        """
        Discard the uploaded parts of an object; do nothing if there are none.

        If the object exists already, Azure itself removes its uncommitted blocks when
        it is deleted, or after a week.
        """
        if self._waiting(begun.path):
            with azure_errors():
                blob = self._blob(self._full(begun.path))
                self._run(drop_blocks, blob, limit_s=JOIN_S)

    def parted_writes(self, path: str) -> Iterator[PartedWrite]:
        """Yield the upload in parts to a path that was neither joined nor ended, if there is one."""
        if any(block.id == _MARK for block in self._waiting(path)):
            yield _begun(path)

    def _block_address(self, path: str, number: int, valid_s: int) -> WriteAddress:
        name = base64.b64encode(_block_name(number).encode()).decode()
        query = urlencode({"comp": "block", "blockid": name})
        url = self._signed(path, "cw", valid_s)
        return WriteAddress(url=f"{url}&{query}", max_bytes=MOST_BLOCK_BYTES)

    def _waiting(self, path: str) -> Sequence[BlobBlock]:
        with suppress(ObjectNotFoundError), azure_errors(path):
            blob = self._blob(self._full(path))
            _, waiting = self._run(blob.get_block_list, "uncommitted")
            return list(waiting)
        return ()


def _ours(waiting: Sequence[BlobBlock]) -> Sequence[UploadedPart]:
    """Return the blocks that this storage has named, by number."""
    found = [
        UploadedPart(number=int(block.id), size_bytes=block.size, tag=block.id)
        for block in waiting
        # Who has an address may name a block otherwise; we do not use it.
        if _OUR_NAME.fullmatch(block.id)
    ]
    return sorted(found, key=lambda block: block.number)


def _begun(path: str) -> PartedWrite:
    return PartedWrite(path=path, id="blocks", begun_at=datetime.now(UTC))


def _block_name(number: int) -> str:
    return f"{number:05}"
