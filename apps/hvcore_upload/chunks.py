"""
Read the chunk that a request announces: a piece of a resumable upload.

Source: tus 1.0, "Core Protocol", "Checksum".
"""

import base64
import hmac
from typing import Final

import attrs
import falcon

from hvcore.domain.limits import MAX_UPLOAD_BYTES
from hvcore.domain.uploads.grants import UploadGrant
from hvcore.domain.uploads.resumable import (
    CHECKSUMS,
    CHUNK_TYPE,
    ChecksumMismatchError,
)
from hvcore.errors import (
    ConflictError,
    FieldError,
    InvalidFileSizeError,
)
from hvcore.wire.kinds import NOT_ALLOWED, NOT_READABLE, FieldRefusedError, Integer
from hvcore.wire.uploads.resumable import refused_header
from hvcore_web.errors import UnsupportedMediaTypeError

_OFFSET: Final = Integer(minimum=0, maximum=MAX_UPLOAD_BYTES)


@attrs.frozen(kw_only=True)
class Chunk:
    """
    A piece of a resumable upload, as the headers of its PATCH request announce it.

    Attributes:
        length: The number of bytes; None if the body is chunked.
        algorithm: The algorithm of the checksum; None if there is no checksum.
        digest: The announced checksum.
    """

    offset: int
    length: int | None
    algorithm: str | None = None
    digest: bytes = b""


def read_chunk(req: falcon.Request) -> Chunk:
    """
    Return the chunk that the headers of a PATCH request announce.

    Raises:
        UnsupportedMediaTypeError: The media type is not that of the tus protocol (415).
        InvalidParametersError: An offset or a checksum is missing or cannot be read.
    """
    media_type = (req.content_type or "").partition(";")[0].strip().lower()
    if media_type != CHUNK_TYPE:
        raise UnsupportedMediaTypeError(f"Send the bytes as {CHUNK_TYPE}.")
    text = req.get_header("Upload-Offset")
    if text is None:
        raise refused_header("Upload-Offset", "is required", None, NOT_ALLOWED)
    try:
        offset = _OFFSET.from_text(text)
    except FieldRefusedError as exc:
        raise refused_header("Upload-Offset", exc.rule, text, exc.status) from exc
    length = req.content_length
    if length is None and not req.env.get("wsgi.input_terminated"):
        length = 0
    algorithm, digest = _checksum(req.get_header("Upload-Checksum"))
    return Chunk(offset=offset, length=length, algorithm=algorithm, digest=digest)


def check_digest(chunk: Chunk, found: bytes) -> None:
    """
    Compare the announced checksum of a chunk with that of the bytes that have arrived.

    Args:
        found: The checksum of the bytes that have arrived.

    Raises:
        ChecksumMismatchError: The checksums differ (460).
    """
    if not hmac.compare_digest(found, chunk.digest):
        raise ChecksumMismatchError


def check_offset(chunk: Chunk, offset: int) -> None:
    """
    Check that a chunk begins where the received bytes of its upload end.

    Args:
        offset: The number of bytes that the upload has received.

    Raises:
        ConflictError: The chunk begins at another offset.
    """
    if chunk.offset != offset:
        message = f"The upload is at offset {offset}; continue there."
        problem = FieldError(
            message=message, location="header.Upload-Offset", value=chunk.offset
        )
        raise ConflictError(message, errors=[problem])


def check_length(chunk: Chunk, grant: UploadGrant) -> None:
    """
    Check that a chunk does not go beyond the announced size of its upload.

    Raises:
        InvalidFileSizeError: The chunk goes beyond it.
    """
    if chunk.offset + (chunk.length or 0) > (grant.size_bytes or 0):
        raise too_long(grant)


def too_long(grant: UploadGrant) -> InvalidFileSizeError:
    """Return the error of an upload that has more bytes than were announced."""
    return InvalidFileSizeError(
        f"The upload was created for {grant.size_bytes} bytes, and more were sent."
    )


def _checksum(header: str | None) -> tuple[str | None, bytes]:
    if header is None:
        return None, b""
    algorithm, _, encoded = header.partition(" ")
    if algorithm not in CHECKSUMS:
        rule = f"must begin with one of {', '.join(CHECKSUMS)}"
        raise refused_header("Upload-Checksum", rule, header, NOT_ALLOWED)
    try:
        return algorithm, base64.b64decode(encoded, validate=True)
    except ValueError as exc:
        rule = "must have the checksum in Base64 behind the algorithm"
        raise refused_header("Upload-Checksum", rule, header, NOT_READABLE) from exc
