"""
The storage port: store whole objects under relative paths.

A path is relative: segments between ``/``, none of them empty, ``.`` or ``..``. The core
makes every path itself, of ASCII letters, digits, ``.``, ``_`` and ``-``; a letter's case
counts. Every storage takes segments of 100 characters and paths of 500. A path that a
storage cannot keep is a ValueError before anything is done: never another object.

There are no folders: nothing has to be made before an object is written, and no path
exists because others begin with it. A prefix is a path, with or without ``/`` at its end,
and stands for the object at it and all below it: ``v/1`` for ``v/1`` and ``v/1/a``, and not
for ``v/10``. No path of an object is also the prefix of another.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, Protocol, runtime_checkable

import attrs

from hvcore.errors import UnavailableError


class ObjectNotFoundError(Exception):
    """Say that no object exists at a path."""


class StorageRefusedError(UnavailableError):
    """
    Say that the storage answers, and does not permit the operation.

    Most callers wait for operators to fix it, as in an outage. Callers that cannot wait
    catch this class.
    """


class UnreadableObjectError(UnavailableError):
    """
    Say that an object exists, and that the storage cannot give its bytes to anybody.

    The object was archived, or encrypted with a key that only its sender has. Waiting
    is no use; the object can be removed.
    """


@attrs.frozen(kw_only=True)
class ObjectInfo:
    """
    Describe a stored object: path, size, date and type.

    Attributes:
        modified_at: When the object was stored, in UTC (an aware datetime), to the
            second at least.
        content_type: The media type with which the object was written; None if the
            storage keeps none.
        tag: A text that differs if the bytes differ (an ETag); None if the storage
            keeps none. ``walk`` may leave out both ``content_type`` and ``tag``.
    """

    path: str
    size_bytes: int
    modified_at: datetime
    content_type: str | None = None
    tag: str | None = None


def check_object_path(path: str) -> str:
    """
    Return a path if it is a valid object path; storages call this first.

    The core makes all paths itself; the check guards against the core's mistakes.

    Raises:
        ValueError: The path is absolute, leaves the storage, or is no path.
    """
    is_text = path.isprintable()
    if not is_text or any(part in {"", ".", ".."} for part in path.split("/")):
        raise ValueError(f"not a path of an object: {path!r}")
    return path


class Storage(ABC):
    """
    Store whole objects under relative paths; thread-safe.

    Each process builds its own storage, after a fork; an object that one process has
    stored or deleted, all others see at once. Every method may raise UnavailableError
    if the storage does not answer, StorageRefusedError if it does not permit an
    operation, and UnreadableObjectError for an object that nobody can read; no errors
    of client libraries get through. While the storage does not answer, no object is
    reported as absent, and no list as empty.

    An object may have hundreds of gigabytes: no more than a few MiB of it may be in
    memory.
    """

    @abstractmethod
    def stat(self, path: str) -> ObjectInfo:
        """
        Return the size, date and type of an object.

        Raises:
            ObjectNotFoundError: No object is at the path.
        """

    @abstractmethod
    def open(self, path: str, *, start: int = 0, end: int | None = None) -> BinaryIO:
        """
        Open the bytes ``[start, end)`` of an object for reading.

        A range may end behind the object's end, or begin there: the existing bytes are
        given, which may be none. The returned file is read from its beginning and
        closed, and need not be seekable. Its reads raise the errors that methods raise.
        If the object is replaced meanwhile, the file may give bytes of both objects.

        Raises:
            ObjectNotFoundError: No object is at the path; raised before this method
                returns.
            ValueError: The start is below 0, or the end before it.
        """

    @abstractmethod
    def write(self, path: str, source: BinaryIO, *, content_type: str) -> ObjectInfo:
        """
        Store all bytes of a file as an object, whole or not at all.

        An object that was there before is replaced in one step: until then, readers get
        the old one. If the process is killed meanwhile, the old object stays, or none.
        Of several writers, one that ends last wins; none waits for another.

        Args:
            source: The file, which is read from its position and not closed. ``read``
                may give fewer bytes than were asked for, and b"" only at the end. The
                file need not be seekable. An error that it raises is raised here,
                unchanged, and nothing is stored.
            content_type: The media type, such as ``video/mp4``. A storage that keeps
                types returns it in ``stat``.

        Returns:
            The object as it is stored now, as ``stat`` describes it.

        Raises:
            UnavailableError: The storage does not answer, or has no room (NoRoomError
                says so); the object is as before.
            ValueError: The path is no path of an object.
        """

    @abstractmethod
    def put_file(self, path: str, local: Path, *, content_type: str) -> ObjectInfo:
        """
        Store a local file as an object, as ``write`` does; the local file may be moved.

        Args:
            local: A file of this machine, on any disk. It need not exist afterwards.
            content_type: The media type of the object, such as ``video/mp4``.
        """

    @abstractmethod
    def walk(self, prefix: str) -> Iterator[ObjectInfo]:
        """
        Yield every object under a prefix, in no particular order.

        Objects that are stored or removed meanwhile may be among them or not. The
        method may be a generator: errors then come while the objects are read, before
        the list ends. There may be millions of objects, which need not be in memory at
        once.
        """

    @abstractmethod
    def delete_tree(self, prefix: str) -> int:
        """
        Remove the object at a prefix and all below it; no error if there is none.

        Returns:
            The number of removed objects. On return they are gone for every reader.
        """

    @abstractmethod
    def ping(self) -> None:
        """
        Raise UnavailableError if the storage cannot be used.

        Called by ``hv doctor`` and by health checks, at most every few seconds, from
        any thread; the method changes no stored object. Give it a time limit of
        seconds.
        """

    def close(self) -> None:
        """Release the connections and files of the backend; called once, at the end."""


@runtime_checkable
class SupportsLocalPath(Protocol):
    """Give the paths of objects that are files of this machine."""

    def local_path(self, path: str) -> Path:
        """
        Return the absolute path of an object's file, which need not exist.

        The file system is not read or changed. Readers open the file at once and only
        read it; writers use ``write`` and ``put_file``.

        Raises:
            ValueError: The path is no path of an object.
        """
        ...


@runtime_checkable
class SupportsPresignedRead(Protocol):
    """Sign addresses with which anybody can read an object of the storage."""

    @property
    def can_presign(self) -> bool:
        """Whether the storage can sign addresses for reading with its present settings."""
        ...

    def presigned_url(self, path: str, *, valid_s: int) -> str:
        """
        Return a signed URL for reading an object, which need not exist.

        Called by requests, so the method must be quick: usually it asks no server.

        Args:
            valid_s: How many seconds the URL is valid, from 1 on. A read that began in
                time may go on afterwards.

        Raises:
            UnavailableError: The URL cannot be signed.
        """
        ...


@runtime_checkable
class SupportsCopy(Protocol):
    """Copy objects within the storage; their bytes do not pass through this process."""

    def copy(self, source: str, target: str, *, content_type: str) -> ObjectInfo:
        """
        Store a copy of an object, whole or not at all.

        The copy replaces an object at the target, as ``write`` does; the source stays.

        Args:
            content_type: The media type of the copy.

        Raises:
            ObjectNotFoundError: No object is at the source's path.
            UnavailableError: The storage refuses.
        """
        ...


@runtime_checkable
class SupportsObjectUrl(Protocol):
    """Give URLs by which other services can name objects of the storage."""

    def object_url(self, path: str) -> str:
        """
        Return the URL of an object or a prefix, for other clients of the storage.

        For example ``s3://bucket/path``, without a slash at its end. The URL permits
        nothing: its user needs permissions of their own. The storage is not asked.
        """
        ...


@runtime_checkable
class SupportsHide(Protocol):
    """Make all objects below a prefix unreachable in one step."""

    def hide_tree(self, prefix: str) -> None:
        """
        Hide all objects below a prefix from readers; no error if there are none.

        A later ``delete_tree`` of the same prefix also removes the hidden objects, and
        counts them. On return no process of any machine finds the objects.

        Raises:
            UnavailableError: The storage does not answer; all objects may still be
                visible.
        """
        ...


@runtime_checkable
class SupportsRoomCheck(Protocol):
    """Check whether a storage on a disk is full."""

    def check_room(self) -> None:
        """
        Check that a small object could be written; the method need not write one.

        Called twice a minute from any process; thread-safe.

        Raises:
            NoRoomError: The storage has no room for the object.
        """
        ...


@runtime_checkable
class SupportsUploadFile(Protocol):
    """Give a folder on the storage's disk for uploads that are being received."""

    def upload_dir(self) -> Path:
        """
        Return a folder from which ``put_file`` moves files without copying them.

        The folder exists, its path is absolute, it is on the storage's disk, and no
        object is in it. The caller owns the files in it, and removes them.

        Raises:
            UnavailableError: The folder cannot be made.
        """
        ...
