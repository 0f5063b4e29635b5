"""
The addresses of resumable uploads: for all requests after the one that creates the upload.

Source: tus 1.0, "Core Protocol", "Expiration", "Termination".
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import attrs
import falcon

from hvcore.clock import Clock
from hvcore.domain.ids import GrantId
from hvcore.domain.uploads.grants import GrantState, UploadGrant
from hvcore.domain.uploads.resumable import UploadGoneError
from hvcore.errors import ConflictError, MethodNotAllowedError
from hvcore.incoming.partial import PartialFile
from hvcore.services.uploads.resumable import ResumableUploads
from hvcore.signing.upload_addresses import UploadSigner
from hvcore_upload.chunk_writer import ChunkWriter
from hvcore_upload.chunks import Chunk, check_length, check_offset, read_chunk
from hvcore_upload.query import single
from hvcore_upload.slots import UploadSlots
from hvcore_web.tus import check_version, expires

METHODS: Final = ("DELETE", "HEAD", "OPTIONS", "PATCH", "POST")


@attrs.frozen(kw_only=True)
class ResumableUploadResource:
    """
    The address of one resumable upload (tus), which continues where it was cut off.

    Attributes:
        slots: The limit of bodies that a process receives at the same time.
    """

    uploads: ResumableUploads
    signer: UploadSigner
    clock: Clock
    slots: UploadSlots
    writer: ChunkWriter

    def on_head(
        self, req: falcon.Request, resp: falcon.Response, *, grant_id: str
    ) -> None:
        """
        Answer with the offset of a resumable upload: the number of bytes received.

        If all bytes have arrived but the last PATCH could not complete the upload, it is completed
        now, because a client takes such an upload for complete.

        Raises:
            UnsupportedVersionError: The client uses another version of the protocol (412).
            ForbiddenError: The address was tampered with, or its key has ended.
            UploadGoneError: The upload has ended (410).
            UnavailableError: The storage does not take the file now.
        """
        grant = self.uploads.find(self._verified(req, grant_id))
        offset = self._offset(grant)
        if grant.state is not GrantState.USED and offset == grant.size_bytes:
            with self._held(req, grant) as file:
                grant = self._finished(grant, file)
        _describe(resp, grant, offset)
        resp.set_header("Upload-Length", str(grant.size_bytes))
        if grant.tus_metadata:
            resp.set_header("Upload-Metadata", grant.tus_metadata)

    def on_patch(
        self, req: falcon.Request, resp: falcon.Response, *, grant_id: str
    ) -> None:
        """
        Receive the next bytes of a resumable upload; with the last one, processing starts.

        Raises:
            UnsupportedVersionError: The client uses another version of the protocol (412).
            ForbiddenError: The address was tampered with, or its key has ended.
            UnsupportedMediaTypeError: The media type is not that of the protocol (415).
            UploadGoneError: The upload has ended (410).
            UploadLockedError: Another request is sending bytes of the upload (423).
            ConflictError: The upload has another offset, or was cut off again.
            InvalidFileSizeError: More bytes came than the upload was created for.
            ChecksumMismatchError: The chunk does not match its checksum, and is dropped (460).
            UnavailableError: There are too many uploads at the same time, or no disk space.
        """
        verified = self._verified(req, grant_id)
        chunk = read_chunk(req)
        grant = self.uploads.find(verified)
        if grant.state is not GrantState.USED:
            with self._held(req, grant) as file:
                grant = self._take(req, verified, file, chunk)
        else:
            check_offset(chunk, grant.size_bytes or 0)
            check_length(chunk, grant)
        resp.status = falcon.HTTP_204
        _describe(resp, grant, self._offset(grant))

    def on_delete(
        self, req: falcon.Request, resp: falcon.Response, *, grant_id: str
    ) -> None:
        """
        End a resumable upload and remove its bytes.

        Raises:
            UnsupportedVersionError: The client uses another version of the protocol (412).
            ForbiddenError: The address was tampered with, or its key has ended.
            UploadGoneError: The upload has ended (410).
            UploadLockedError: Another request is sending bytes of the upload (423).
            ProcessingInProgressError: The upload is complete.
        """
        verified = self._verified(req, grant_id)
        self.uploads.find(verified)
        with self.uploads.partial_files().hold(verified) as file:
            self.uploads.cancel(verified)
            file.remove()
        resp.status = falcon.HTTP_204

    def on_post(
        self, req: falcon.Request, resp: falcon.Response, *, grant_id: str
    ) -> None:
        """
        Carry out PATCH, DELETE or HEAD for clients that can send only POST.

        Raises:
            MethodNotAllowedError: ``X-HTTP-Method-Override`` names none of these methods.
        """
        wanted = req.get_header("X-HTTP-Method-Override")
        if wanted == "PATCH":
            self.on_patch(req, resp, grant_id=grant_id)
        elif wanted == "DELETE":
            self.on_delete(req, resp, grant_id=grant_id)
        elif wanted == "HEAD":
            self.on_head(req, resp, grant_id=grant_id)
        else:
            raise MethodNotAllowedError(headers={"Allow": ", ".join(METHODS)})

    def _verified(self, req: falcon.Request, grant_id: str) -> GrantId:
        check_version(req)
        return self.signer.verify_resumable(
            grant_id, signature=single(req, "signature"), now=self.clock.now()
        )

    def _offset(self, grant: UploadGrant) -> int:
        if grant.state is GrantState.USED:
            return grant.size_bytes or 0
        return self.uploads.partial_files().size_of(grant.id)

    @contextmanager
    def _held(self, req: falcon.Request, grant: UploadGrant) -> Iterator[PartialFile]:
        with (
            self.slots.take(req, grant.org_id),
            self.uploads.partial_files().hold(grant.id) as file,
        ):
            yield file

    def _take(
        self, req: falcon.Request, grant_id: GrantId, file: PartialFile, chunk: Chunk
    ) -> UploadGrant:
        try:
            # Again, because it may have ended before we held it.
            grant = self.uploads.prolong(grant_id)
        except UploadGoneError:
            file.remove()
            raise
        if grant.state is GrantState.USED:
            file.remove()
            raise ConflictError("The upload is complete.")
        check_offset(chunk, file.size_bytes)
        check_length(chunk, grant)
        self.uploads.check_quotas(grant)
        self.writer.append(req, grant, file, chunk)
        if file.size_bytes == grant.size_bytes:
            return self._finished(grant, file)
        return self.uploads.prolong(grant_id)

    def _finished(self, grant: UploadGrant, file: PartialFile) -> UploadGrant:
        self.uploads.finish(grant, file)
        return self.uploads.find(grant.id)


def _describe(resp: falcon.Response, grant: UploadGrant, offset: int) -> None:
    resp.set_header("Upload-Offset", str(offset))
    resp.set_header("Cache-Control", "no-store")
    if grant.state is not GrantState.USED:
        resp.set_header("Upload-Expires", expires(grant.expires_at))
