"""
Capabilities of storages that let clients send bytes straight to the store.

Capabilities beside the storage port: no storage has to carry them out.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Protocol, runtime_checkable

import attrs

from hvcore.ports.storage import ObjectInfo


@attrs.frozen(kw_only=True)
class WriteAddress:
    """
    An address to which anybody may send bytes with one PUT, for a time.

    Attributes:
        binds_type: The store refuses another Content-Type than the one named.
        binds_size: The store refuses another length than the one named.
        max_bytes: The store takes no more with one PUT; None if it takes any file.
    """

    url: str = attrs.field(repr=False)
    binds_type: bool = False
    binds_size: bool = False
    max_bytes: int | None = None


@runtime_checkable
class SupportsPresignedWrite(Protocol):
    """A storage whose objects anybody with a signed address can write."""

    @property
    def can_presign_writes(self) -> bool:
        """Return whether it really is one, as it was set up."""
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
            content_type: The media type that the sender must send; None binds none.
            size_bytes: The length that the sender must send; None binds none.
            valid_s: For how many seconds, from 1 on; a PUT that began in time may end
                later.

        Raises:
            UnavailableError: It cannot be signed.
        """
        ...

    def copy(self, source: str, target: str, *, content_type: str) -> ObjectInfo:
        """
        Copy an object within the store, whole or not at all.

        The copy has the bytes of one moment, also while others write the source.

        Raises:
            ObjectNotFoundError: There is no source.
            UnavailableError: The store does not answer, or the source changed.
            UnreadableObjectError: The sender has made the source so.
        """
        ...


@attrs.frozen(kw_only=True)
class UploadedPart:
    """
    A part of an object that is there.

    Attributes:
        number: From 1 on.
        tag: What the store calls its bytes.
    """

    number: int
    size_bytes: int
    tag: str


@attrs.frozen(kw_only=True)
class PartedWrite:
    """
    An object that is being sent in parts, and is none yet.

    Attributes:
        id: The store's own name of it.
    """

    path: str
    id: str
    begun_at: datetime


@runtime_checkable
class SupportsPartedWrite(Protocol):
    """
    A storage to which an object can be sent in parts, at one time or another.

    Thread-safe; called by requests and by workers, also of other machines than the one
    that has begun. Every method raises UnavailableError if the store does not answer.
    """

    @property
    def can_presign_parts(self) -> bool:
        """Return whether it really is one, as it was set up."""
        ...

    def begin_parts(self, path: str, *, content_type: str) -> PartedWrite:
        """
        Begin an object that comes in parts; nothing is at its path until they are joined.

        Each call begins another parted write, also for the same path.

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
            number: From 1 on. Parts may be sent in any order, and at the same time.
            size_bytes: The length of the part.
            valid_s: For how many seconds, from 1 on.
        """
        ...

    def uploaded_parts(self, begun: PartedWrite) -> Sequence[UploadedPart]:
        """
        Return the parts that are there, by number.

        Raises:
            ObjectNotFoundError: It was ended; or joined, and the store does not know
                that any more.
        """
        ...

    def join_parts(self, begun: PartedWrite, parts: Sequence[UploadedPart]) -> None:
        """
        Make the object of its parts; it is whole at its path on return.

        Args:
            parts: As ``uploaded_parts`` has returned them, all of them, by number.

        Raises:
            ObjectNotFoundError: It was ended; or joined, and the store does not know
                that any more. If it does, the object stays as it is.
        """
        ...

    def end_parts(self, begun: PartedWrite) -> None:
        """Throw the parts of an object away; absent is fine."""
        ...

    def parted_writes(self, path: str) -> Iterator[PartedWrite]:
        """
        Give the parted writes at a path that were neither joined nor ended.

        At that path alone, not below it, in any order.
        """
        ...


@runtime_checkable
class SupportsStagedWrite(Protocol):
    """
    A storage where what others sent with one PUT is no object until it is joined.

    It carries out SupportsPartedWrite, too.
    """

    def staged_write(
        self, path: str
    ) -> tuple[PartedWrite, Sequence[UploadedPart]] | None:
        """
        Return the bytes sent to a path with one PUT, for ``join_parts``, or None.

        Raises:
            UnavailableError: The store does not answer.
        """
        ...
