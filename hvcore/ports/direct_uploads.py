"""
Direct uploads: optional interfaces of storages to which clients send bytes directly.

No storage has to implement these interfaces.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Protocol, runtime_checkable

import attrs

from hvcore.ports.storage import ObjectInfo


@attrs.frozen(kw_only=True)
class WriteAddress:
    """
    Hold a signed address to which anybody may send an object's bytes with one PUT.

    Attributes:
        binds_type: Whether the store refuses another Content-Type than the announced
            one.
        binds_size: Whether the store refuses another length than the announced one.
        max_bytes: The most bytes that the store takes with one PUT; None if it takes
            any file.
    """

    url: str = attrs.field(repr=False)
    binds_type: bool = False
    binds_size: bool = False
    max_bytes: int | None = None


@runtime_checkable
class SupportsPresignedWrite(Protocol):
    """Sign addresses with which anybody can write an object of the storage."""

    @property
    def can_presign_writes(self) -> bool:
        """Whether the storage can sign addresses for writing with its present settings."""
        ...

    def write_address(
        self,
        path: str,
        *,
        content_type: str | None,
        size_bytes: int | None,
        valid_s: int,
    ) -> WriteAddress:
        """
        Return a signed address to send an object's bytes to; the last sender wins.

        Args:
            content_type: The media type that the sender must send; None allows any.
            size_bytes: The length that the sender must send; None allows any.
            valid_s: How many seconds the address is valid, from 1 on; a PUT that began
                in time may end later.

        Raises:
            UnavailableError: The address cannot be signed.
        """
        ...

    def copy(self, source: str, target: str, *, content_type: str) -> ObjectInfo:
        """
        Copy an object within the store, whole or not at all.

        The copy has the bytes of one moment, even while others write the source.

        Args:
            content_type: The media type of the copy.

        Raises:
            ObjectNotFoundError: The source does not exist.
            UnavailableError: The store does not answer, or the source changed.
            UnreadableObjectError: The sender has made the source unreadable, such as by
                encryption with a key of its own.
        """
        ...


@attrs.frozen(kw_only=True)
class UploadedPart:
    """
    Describe a part of a multipart upload that has arrived.

    Attributes:
        number: The number of the part, from 1 on.
        tag: The store's name of the part's bytes (an ETag).
    """

    number: int
    size_bytes: int
    tag: str


@attrs.frozen(kw_only=True)
class PartedWrite:
    """
    Identify a multipart upload that is neither joined nor ended.

    Attributes:
        id: The store's own id of the multipart upload.
    """

    path: str
    id: str
    begun_at: datetime


@runtime_checkable
class SupportsPartedWrite(Protocol):
    """
    Support multipart uploads: clients send an object in parts, at different times.

    Thread-safe; called by requests and by workers, also of other machines than the one
    that began the upload. Every method raises UnavailableError if the store does not
    answer.
    """

    @property
    def can_presign_parts(self) -> bool:
        """Whether the storage can sign addresses of parts with its present settings."""
        ...

    def begin_parts(self, path: str, *, content_type: str) -> PartedWrite:
        """
        Begin a multipart upload; no object is at its path until the parts are joined.

        Each call begins another multipart upload, also for the same path.

        Args:
            content_type: The media type of the object, such as ``video/mp4``.
        """
        ...

    def part_address(
        self, begun: PartedWrite, number: int, *, size_bytes: int, valid_s: int
    ) -> WriteAddress:
        """
        Return a signed address to send one part to; the last sender wins.

        Args:
            number: The number of the part, from 1 on. Parts may be sent in any order,
                and at the same time.
            size_bytes: The length of the part.
            valid_s: How many seconds the address is valid, from 1 on.
        """
        ...

    def uploaded_parts(self, begun: PartedWrite) -> Sequence[UploadedPart]:
        """
        Return the parts of a multipart upload that have arrived, by number.

        Raises:
            ObjectNotFoundError: The upload was ended; or it was joined, and the store
                does not remember it any more.
        """
        ...

    def join_parts(self, begun: PartedWrite, parts: Sequence[UploadedPart]) -> None:
        """
        Join the parts to the object; the whole object is at its path on return.

        Args:
            parts: All parts by number, as ``uploaded_parts`` has returned them.

        Raises:
            ObjectNotFoundError: The upload was ended; or it was joined, and the store
                does not remember it any more. If the store does remember it, the object
                stays as it is.
        """
        ...

    def end_parts(self, begun: PartedWrite) -> None:
        """End a multipart upload and remove its parts; no error if it does not exist."""
        ...

    def parted_writes(self, path: str) -> Iterator[PartedWrite]:
        """
        Yield the multipart uploads to a path that were begun and neither joined nor ended.

        Uploads to exactly that path, not below it, in any order.
        """
        ...


@runtime_checkable
class SupportsStagedWrite(Protocol):
    """
    Keep bytes that were sent with one PUT apart until they are joined to an object.

    The storage implements SupportsPartedWrite, too.
    """

    def staged_write(
        self, path: str
    ) -> tuple[PartedWrite, Sequence[UploadedPart]] | None:
        """
        Return the bytes sent to a path with one PUT, as an upload and its parts for ``join_parts``.

        None if none arrived.

        Raises:
            UnavailableError: The store does not answer.
        """
        ...
