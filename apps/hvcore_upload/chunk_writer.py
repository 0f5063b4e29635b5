"""
Appends the bytes of a request to a resumable upload.

Source: tus 1.0, "Core Protocol", "Checksum".
"""

import hashlib
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import attrs
import falcon

from hvcore.domain.uploads.grants import UploadGrant
from hvcore.errors import ConflictError, InvalidFileSizeError
from hvcore.incoming.partial import PartialFile
from hvcore.services.uploads.resumable import ResumableUploads
from hvcore_upload.bodies import CutOffError, blocks
from hvcore_upload.chunks import Chunk, check_digest, too_long
from hvcore_upload.pace import SenderPace
from hvcore_upload.slots import UploadSlots

if TYPE_CHECKING:
    from hashlib import _Hash

PROLONG_EVERY_S: Final = 600.0
"""The seconds after which the upload of a chunk in progress is prolonged: a chunk may take
hours, and its upload must not expire meanwhile."""


@attrs.frozen(kw_only=True)
class ChunkWriter:
    """
    Appends the chunks of resumable uploads; a chunk with a checksum is kept whole or not at all.

    Attributes:
        slots: The limit of bodies that a process receives at the same time.
        elapsed_s: A clock that only goes forward, in seconds.
    """

    uploads: ResumableUploads
    slots: UploadSlots
    elapsed_s: Callable[[], float] = time.monotonic

    def append(
        self, req: falcon.Request, grant: UploadGrant, file: PartialFile, chunk: Chunk
    ) -> None:
        """
        Append the body of a request to the file of its upload, and check it against its headers.

        Raises:
            ConflictError: The body was cut off, or came too slowly.
            InvalidFileSizeError: More bytes came than the upload was created for.
            ChecksumMismatchError: The chunk does not match its checksum, and is dropped (460).
            UnavailableError: There is no disk space for the chunk.
        """
        if chunk.algorithm is None:
            try:
                self._copy(req, grant, file, chunk, None)
            except CutOffError as exc:
                file.sync()
                self.uploads.prolong(grant.id)
                raise _cut_off(file.size_bytes) from exc
            except InvalidFileSizeError:
                file.cut_back(chunk.offset)
                raise
        else:
            self._append_verified(req, grant, file, chunk)
        file.sync()

    def _append_verified(
        self, req: falcon.Request, grant: UploadGrant, file: PartialFile, chunk: Chunk
    ) -> None:
        digest = hashlib.new(chunk.algorithm or "", usedforsecurity=False)
        file.begin_unverified()
        try:
            self._copy(req, grant, file, chunk, digest)
            check_digest(chunk, digest.digest())
        except CutOffError as exc:
            file.cut_back(chunk.offset)
            raise _cut_off(chunk.offset) from exc
        except Exception:
            file.cut_back(chunk.offset)
            raise
        # Before it counts: a power cut must not leave less than was verified.
        file.sync()
        file.end_unverified()

    def _copy(
        self,
        req: falcon.Request,
        grant: UploadGrant,
        file: PartialFile,
        chunk: Chunk,
        digest: "_Hash | None",
    ) -> None:
        left = (grant.size_bytes or 0) - chunk.offset
        prolonged_s = self.elapsed_s()
        pace = SenderPace(prolonged_s, is_scarce=self._do_others_wait)
        received = 0
        with self.uploads.room_for(grant, left) as reserved:
            for block in blocks(req, chunk.length, at=chunk.offset):
                received += len(block)
                if received > left:
                    raise too_long(grant)
                file.append(block)
                reserved.received(received)
                if digest is not None:
                    digest.update(block)
                now_s = self.elapsed_s()
                pace.check(received, now_s)
                if now_s - prolonged_s > PROLONG_EVERY_S:
                    self.uploads.prolong(grant.id)
                    prolonged_s = now_s
        if chunk.length is not None and received < chunk.length:
            raise CutOffError("The body ended too early.")

    def _do_others_wait(self) -> bool:
        return self.slots.is_scarce() or self.uploads.is_room_scarce()


def _cut_off(offset: int) -> ConflictError:
    return ConflictError(
        f"The body ended too early or arrived too slowly; the upload is at offset {offset}."
    )
