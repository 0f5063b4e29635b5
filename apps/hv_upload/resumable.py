"""
The addresses of resumable uploads, from the second request on.

Source: tus 1.0, "Core Protocol", "Checksum", "Expiration", "Termination".
"""

import base64
import hashlib
import hmac
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Final, Protocol

import attrs
import falcon

from hv_upload.bodies import CutOffError, blocks
from hv_upload.pace import SenderPace
from hv_upload.places import UploadPlaces
from hv_upload.query import single
from hv_web.errors import UnsupportedMediaTypeError
from hv_web.tus import check_version, expires
from hvcore.domain.ids import GrantId
from hvcore.domain.limits import MAX_UPLOAD_BYTES
from hvcore.domain.uploads.grants import GrantState, UploadGrant
from hvcore.domain.uploads.resumable import (
    CHECKSUMS,
    CHUNK_TYPE,
    ChecksumMismatchError,
    UploadGoneError,
)
from hvcore.errors import (
    ConflictError,
    FieldError,
    InvalidFileSizeError,
    InvalidParametersError,
    MethodNotAllowedError,
)
from hvcore.incoming.disk_space import DiskReservation
from hvcore.incoming.partial import PartialFile, PartialFiles
from hvcore.upload_signing import UploadSigner
from hvcore.wire.kinds import NOT_ALLOWED, NOT_READABLE, FieldRefusedError, Integer

if TYPE_CHECKING:
    from hashlib import _Hash

PROLONG_EVERY_S: Final = 600.0
"""A chunk may take hours; its upload does not run out meanwhile."""
METHODS: Final = ("DELETE", "HEAD", "OPTIONS", "PATCH", "POST")

_OFFSET: Final = Integer(minimum=0, maximum=MAX_UPLOAD_BYTES)


class ResumableUseCases(Protocol):
    """
    The part of the resumable uploads that continues them.
    """

    def files(self) -> PartialFiles:
        """
        Return what has come in so far.
        """
        ...

    def find(self, grant_id: GrantId) -> UploadGrant:
        """
        Return the grant of an upload that goes on or is complete.
        """
        ...

    def prolong(self, grant_id: GrantId) -> UploadGrant:
        """
        Return the same, after its time was prolonged.
        """
        ...

    def check_quotas(self, grant: UploadGrant) -> None:
        """
        Refuse further bytes where the whole file could not be kept.
        """
        ...

    def room_for(
        self, grant: UploadGrant, size_bytes: int | None
    ) -> AbstractContextManager[DiskReservation]:
        """
        Hold room for the bytes of one request while they come in.
        """
        ...

    def is_room_scarce(self) -> bool:
        """
        Tell whether others wait for room.
        """
        ...

    def finish(self, grant: UploadGrant, file: PartialFile) -> None:
        """
        Keep a file that is whole.
        """
        ...

    def cancel(self, grant_id: GrantId) -> None:
        """
        End an upload, and the video that waits for it.
        """
        ...

    def tidy(self) -> int:
        """
        Remove the files of uploads that have ended.
        """
        ...


@attrs.frozen(kw_only=True)
class Chunk:
    """
    What a PATCH announces.

    Attributes:
        length: None if its end shows only when it comes.
        algorithm: Of the checksum, if there is one.
        digest: What the checksum must be.
    """

    offset: int
    length: int | None
    algorithm: str | None = None
    digest: bytes = b""


@attrs.frozen(kw_only=True)
class ResumableUploadResource:
    """
    An upload that goes on where it was cut off.

    Attributes:
        places: Shared by all uploads of a process.
        elapsed_s: A clock that only goes forward, in seconds.
    """

    uploads: ResumableUseCases
    signer: UploadSigner
    places: UploadPlaces
    elapsed_s: Callable[[], float] = time.monotonic

    def on_head(
        self, req: falcon.Request, resp: falcon.Response, *, grant_id: str
    ) -> None:
        """
        Tell how far the upload is.

        A client takes an upload that is at its end for complete; so that is
        what it is made, where the last PATCH could not.

        Raises:
            UnsupportedVersionError: 412; another version of the protocol.
            ForbiddenError: The address was tampered with.
            UploadGoneError: 410; the upload has ended.
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
        Take the next bytes; with the last one, processing starts.

        Raises:
            UnsupportedVersionError: 412; another version of the protocol.
            ForbiddenError: The address was tampered with.
            UnsupportedMediaTypeError: 415; not the protocol's type.
            UploadGoneError: 410; the upload has ended.
            UploadLockedError: 423; another request is sending.
            ConflictError: The upload stands elsewhere, or was cut off again.
            InvalidFileSizeError: More than the upload was created for.
            ChecksumMismatchError: 460; nothing of this chunk is kept.
            UnavailableError: Too many uploads at a time, or no room.
        """
        verified = self._verified(req, grant_id)
        chunk = read_chunk(req)
        grant = self.uploads.find(verified)
        if grant.state is not GrantState.USED:
            with self._held(req, grant) as file:
                grant = self._take(req, verified, file, chunk)
        else:
            _check_offset(chunk, grant.size_bytes or 0)
            _check_length(chunk, grant)
        resp.status = falcon.HTTP_204
        _describe(resp, grant, self._offset(grant))

    def on_delete(
        self, req: falcon.Request, resp: falcon.Response, *, grant_id: str
    ) -> None:
        """
        End the upload; nothing of it is kept.

        Raises:
            UnsupportedVersionError: 412; another version of the protocol.
            ForbiddenError: The address was tampered with.
            UploadGoneError: 410; the upload has ended.
            UploadLockedError: 423; another request is sending.
            ProcessingInProgressError: It is complete.
        """
        verified = self._verified(req, grant_id)
        self.uploads.find(verified)
        with self.uploads.files().hold(verified) as file:
            self.uploads.cancel(verified)
            file.remove()
        resp.status = falcon.HTTP_204

    def on_post(
        self, req: falcon.Request, resp: falcon.Response, *, grant_id: str
    ) -> None:
        """
        Do what another method does, for clients that cannot send that one.

        Raises:
            MethodNotAllowedError: ``X-HTTP-Method-Override`` names none.
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
            grant_id, signature=single(req, "signature")
        )

    def _offset(self, grant: UploadGrant) -> int:
        if grant.state is GrantState.USED:
            return grant.size_bytes or 0
        return self.uploads.files().size_of(grant.id)

    @contextmanager
    def _held(self, req: falcon.Request, grant: UploadGrant) -> Iterator[PartialFile]:
        with (
            self.places.take(req, grant.org_id),
            self.uploads.files().hold(grant.id) as file,
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
        _check_offset(chunk, file.size_bytes)
        _check_length(chunk, grant)
        self.uploads.check_quotas(grant)
        self._append(req, grant, file, chunk)
        if file.size_bytes == grant.size_bytes:
            return self._finished(grant, file)
        return self.uploads.prolong(grant_id)

    def _finished(self, grant: UploadGrant, file: PartialFile) -> UploadGrant:
        self.uploads.finish(grant, file)
        return self.uploads.find(grant.id)

    def _append(
        self, req: falcon.Request, grant: UploadGrant, file: PartialFile, chunk: Chunk
    ) -> None:
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
            _check_digest(chunk, digest.digest())
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
                    raise _too_long(grant)
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
        return self.places.is_scarce() or self.uploads.is_room_scarce()


def read_chunk(req: falcon.Request) -> Chunk:
    """
    Read the headers of a PATCH.

    Raises:
        UnsupportedMediaTypeError: 415; not the protocol's type.
        InvalidParametersError: An offset or a checksum that is missing or
            cannot be read.
    """
    media_type = (req.content_type or "").partition(";")[0].strip().lower()
    if media_type != CHUNK_TYPE:
        raise UnsupportedMediaTypeError(f"Send the bytes as {CHUNK_TYPE}.")
    text = req.get_header("Upload-Offset")
    if text is None:
        raise _refused("Upload-Offset", "is required", None, NOT_ALLOWED)
    try:
        offset = _OFFSET.from_text(text)
    except FieldRefusedError as exc:
        raise _refused("Upload-Offset", exc.rule, text, exc.status) from exc
    length = req.content_length
    if length is None and not req.env.get("wsgi.input_terminated"):
        length = 0
    algorithm, digest = _checksum(req.get_header("Upload-Checksum"))
    return Chunk(offset=offset, length=length, algorithm=algorithm, digest=digest)


def _checksum(header: str | None) -> tuple[str | None, bytes]:
    if header is None:
        return None, b""
    algorithm, _, encoded = header.partition(" ")
    if algorithm not in CHECKSUMS:
        rule = f"must begin with one of {', '.join(CHECKSUMS)}"
        raise _refused("Upload-Checksum", rule, header, NOT_ALLOWED)
    try:
        return algorithm, base64.b64decode(encoded, validate=True)
    except ValueError as exc:
        rule = "must have the checksum in Base64 behind the algorithm"
        raise _refused("Upload-Checksum", rule, header, NOT_READABLE) from exc


def _check_digest(chunk: Chunk, found: bytes) -> None:
    if not hmac.compare_digest(found, chunk.digest):
        raise ChecksumMismatchError


def _check_offset(chunk: Chunk, offset: int) -> None:
    if chunk.offset != offset:
        message = f"The upload stands at {offset}; go on there."
        problem = FieldError(
            message=message, location="header.Upload-Offset", value=chunk.offset
        )
        raise ConflictError(message, errors=[problem])


def _check_length(chunk: Chunk, grant: UploadGrant) -> None:
    if chunk.offset + (chunk.length or 0) > (grant.size_bytes or 0):
        raise _too_long(grant)


def _too_long(grant: UploadGrant) -> InvalidFileSizeError:
    return InvalidFileSizeError(
        f"The upload was created for {grant.size_bytes} bytes, and more were sent."
    )


def _cut_off(offset: int) -> ConflictError:
    return ConflictError(
        f"The body ended too early or came too slowly; the upload stands at {offset}."
    )


def _describe(resp: falcon.Response, grant: UploadGrant, offset: int) -> None:
    resp.set_header("Upload-Offset", str(offset))
    resp.set_header("Cache-Control", "no-store")
    if grant.state is not GrantState.USED:
        resp.set_header("Upload-Expires", expires(grant.expires_at))


def _refused(
    header: str, rule: str, value: object, status: int
) -> InvalidParametersError:
    message = f"{header} {rule}."
    problem = FieldError(message=message, location=f"header.{header}", value=value)
    return InvalidParametersError(message, errors=[problem], status=status)
