"""
The storage port: whole objects under relative paths.

Paths are relative, separated by ``/``, without ``..``, and never made from
anything a user has sent.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, Protocol, runtime_checkable

import attrs


class ObjectNotFoundError(Exception):
    """
    No object lies at this path.
    """


@attrs.frozen(kw_only=True)
class ObjectInfo:
    """
    What the storage knows of an object.

    Attributes:
        modified_at: Aware UTC datetime.
    """

    path: str
    size_bytes: int
    modified_at: datetime


class Storage(ABC):
    """
    Keep objects.

    Thread-safe. Every method may raise UnavailableError when the storage
    does not answer; foreign exceptions end here.
    """

    @abstractmethod
    def stat(self, path: str) -> ObjectInfo:
        """
        Describe an object.

        Raises:
            ObjectNotFoundError: There is none.
        """

    @abstractmethod
    def open(self, path: str, *, start: int = 0, end: int | None = None) -> BinaryIO:
        """
        Open the bytes ``[start, end)`` of an object for reading.

        Raises:
            ObjectNotFoundError: There is none.
        """

    @abstractmethod
    def write(self, path: str, source: BinaryIO, *, content_type: str) -> ObjectInfo:
        """
        Store everything that source gives, whole or not at all.

        An object that was there before is replaced in one step.
        """

    @abstractmethod
    def put_file(self, path: str, local: Path, *, content_type: str) -> ObjectInfo:
        """
        Store a local file, whole or not at all; the local file may be moved.
        """

    @abstractmethod
    def walk(self, prefix: str) -> Iterator[ObjectInfo]:
        """
        Give every object under a prefix, in no particular order.
        """

    @abstractmethod
    def delete_tree(self, prefix: str) -> int:
        """
        Remove the object at prefix or everything below it; absent is fine.

        Returns:
            How many objects were removed.
        """

    @abstractmethod
    def ping(self) -> None:
        """
        Raise UnavailableError if the storage cannot serve.
        """

    def close(self) -> None:
        """
        Release what the backend holds; called once, at the end.
        """


@runtime_checkable
class SupportsLocalPath(Protocol):
    """
    A storage whose objects are files of this machine.
    """

    def local_path(self, path: str) -> Path:
        """
        Return where an object lies or would lie; it need not exist.
        """
        ...


@runtime_checkable
class SupportsPresignedRead(Protocol):
    """
    A storage of which anybody can read an object who has an address for it.
    """

    @property
    def can_presign(self) -> bool:
        """
        Tell whether it really is one, as it was set up.
        """
        ...

    def presigned_url(self, path: str, *, valid_s: int) -> str:
        """
        Return an address of an object, good for a time; the object may be absent.

        Args:
            valid_s: From 1 second on.

        Raises:
            UnavailableError: It cannot be signed.
        """
        ...


@runtime_checkable
class SupportsHide(Protocol):
    """
    A storage that can make a whole tree unreachable in one step.
    """

    def hide_tree(self, prefix: str) -> None:
        """
        Move everything below prefix out of reach of readers; absent is fine.

        ``delete_tree`` of the same prefix later removes what was hidden, too.
        """
        ...


@runtime_checkable
class SupportsUploadFile(Protocol):
    """
    A storage that lets the receiver of an upload write beside its target.
    """

    def upload_dir(self) -> Path:
        """
        Return a folder from which ``put_file`` moves without copying.
        """
        ...
