"""
Resumable uploads: the terms of the tus protocol 1.0, and its refusals.

Source: https://tus.io/protocols/resumable-upload (1.0.0).
"""

from collections.abc import Mapping
from typing import Final

from hvcore.domain.limits import MAX_UPLOAD_BYTES
from hvcore.errors import HvError

VERSION: Final = "1.0.0"
CHUNK_TYPE: Final = "application/offset+octet-stream"
CHECKSUMS: Final = ("sha1", "sha256", "md5")
"""Names of ``hashlib``; ``sha1`` is the one that the protocol demands."""
CAPABILITIES: Final[Mapping[str, str]] = {
    "Tus-Resumable": VERSION,
    "Tus-Version": VERSION,
    "Tus-Extension": "creation,termination,expiration,checksum",
    "Tus-Max-Size": str(MAX_UPLOAD_BYTES),
    "Tus-Checksum-Algorithm": ",".join(CHECKSUMS),
}
"""What a server answers to OPTIONS."""

BUSY_RETRY_AFTER_S: Final = 1


class UnsupportedVersionError(HvError):
    """Refuse a request that does not name version 1.0.0 of the tus protocol."""

    status, code = 412, "unsupported_version"
    default_detail = f"Send the header Tus-Resumable: {VERSION}."

    def __init__(self) -> None:
        super().__init__(headers={"Tus-Version": VERSION})


class UploadGoneError(HvError):
    """Refuse a request for an upload that has expired, ended or been cancelled."""

    status, code = 410, "gone"
    default_detail = "This upload has ended; create a new one."


class UploadLockedError(HvError):
    """Refuse a request while another request is writing to the same upload."""

    status, code = 423, "locked"
    default_detail = "Another request is sending to this upload; try again soon."

    def __init__(self) -> None:
        super().__init__(headers={"Retry-After": str(BUSY_RETRY_AFTER_S)})


class ChecksumMismatchError(HvError):
    """Refuse bytes that do not match the sender's checksum; they are not stored."""

    status, code = 460, "checksum_mismatch"
    default_detail = "The body does not have this Upload-Checksum; send it again."

    @property
    def title(self) -> str:
        """The tus protocol's phrase for its own status 460."""
        return "Checksum Mismatch"
