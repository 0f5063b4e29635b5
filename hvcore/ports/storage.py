"""
The storage port: whole objects under relative paths.

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
    """No object is at this path."""


class StorageRefusedError(UnavailableError):
    """
    The storage answers, and does not permit what was asked of it.

    Most callers wait for operators, as in an outage. Who cannot wait tells it apart.
    """


class UnreadableObjectError(UnavailableError):
    """
    The object is there, and the storage gives its bytes to nobody as they are.

    It was archived, or encrypted with a key that only its sender has. Waiting is no use;
    it can be removed.
    """


@attrs.frozen(kw_only=True)
class ObjectInfo:
    """
    The size, date and type of a stored object.

    Attributes:
        modified_at: Aware UTC datetime, to the second at least.
        content_type: As it was sent; None if the storage keeps none.
        tag: Another one if the bytes are others (an ETag); None if it keeps none.
            ``walk`` may leave out both.
    """

    path: str
    size_bytes: int
    modified_at: datetime
    content_type: str | None = None
    tag: str | None = None


def check_object_path(path: str) -> str:
    """
    Return a path if it is one of an object, for storages to begin with.

    The core makes all paths itself; this guards against its mistakes.

    Raises:
        ValueError: It is absolute, leaves the storage, or is no path.
    """
    is_text = path.isprintable()
    if not is_text or any(part in {"", ".", ".."} for part in path.split("/")):
        raise ValueError(f"not a path of an object: {path!r}")
    return path


class Storage(ABC):
    """
    Keep whole objects under relative paths.

    Thread-safe. Each process builds its own, after a fork; what one has stored or
    deleted, all others see at once. Every method may raise UnavailableError when the
    storage does not answer, StorageRefusedError when it does not permit something, and
    UnreadableObjectError of an object that nobody can read; foreign exceptions end here.
    While the storage does not answer, nothing is said to be absent, and no list is empty.

    An object may have hundreds of gigabytes: no more than a few MiB of it are in memory.
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

        A range may end behind the object's end, or begin there: what is there is given,
        which may be nothing. What is returned is read from its beginning and closed,
        and need not be seekable. While it is read, reads raise what methods raise. Of an
        object that is replaced meanwhile, it may give bytes of both.

        Raises:
            ObjectNotFoundError: There is none; known when this returns.
            ValueError: The start is below 0, or the end before it.
        """

    @abstractmethod
    def write(self, path: str, source: BinaryIO, *, content_type: str) -> ObjectInfo:
        """
        Store all bytes of a file as an object, whole or not at all.

        An object that was there before is replaced in one step: until then, readers get
        the old one. A process that is killed meanwhile leaves the old one, or none. Of
        several writers, one that ends last wins; none waits for another.

        Args:
            source: Read from its position, and not closed. ``read`` may give fewer bytes
                than were asked for, and b"" only at the end. It need not be seekable.
                What it raises is raised here, unchanged, and nothing is stored.
            content_type: The media type, such as ``video/mp4``. A storage that keeps
                types returns it in ``stat``.

        Returns:
            The object as it is stored now, as ``stat`` describes it.

        Raises:
            UnavailableError: The storage does not answer, or has no room (NoRoomError
                says so); the object is as before.
            ValueError: It is no path of an object.
        """

    @abstractmethod
    def put_file(self, path: str, local: Path, *, content_type: str) -> ObjectInfo:
        """
        Store a local file as ``write`` does; the local file may be moved.

        Args:
            local: A file of this machine, on any disk. It need not be there afterwards.
        """

    @abstractmethod
    def walk(self, prefix: str) -> Iterator[ObjectInfo]:
        """
        Give every object under a prefix, in no particular order.

        What is stored or removed meanwhile may be among them or not. It may be a
        generator: errors then come with the objects, before the list ends. There may
        be millions, which need not be in memory at once.
        """

    @abstractmethod
    def delete_tree(self, prefix: str) -> int:
        """
        Remove the object at prefix or everything below it; absent is fine.

        Returns:
            How many objects were removed. On return they are gone, for everybody.
        """

    @abstractmethod
    def ping(self) -> None:
        """
        Raise UnavailableError if the storage cannot serve.

        Called by ``hv doctor`` and by health checks, at most every few seconds, from any
        thread; it changes nothing that is stored. Give it a time limit of seconds.
        """

    def close(self) -> None:
        """Release the connections and files of the backend; called once, at the end."""


@runtime_checkable
class SupportsLocalPath(Protocol):
    """A storage whose objects are files of this machine."""

    def local_path(self, path: str) -> Path:
        """
        Return the absolute path of an object's file, which need not exist.

        Nothing is looked up, made or changed. Readers open the file at once and only
        read it; writers go through ``write`` and ``put_file``.

        Raises:
            ValueError: It is no path of an object.
        """
        ...


@runtime_checkable
class SupportsPresignedRead(Protocol):
    """A storage whose objects anybody with a signed address can read."""

    @property
    def can_presign(self) -> bool:
        """Return whether it really is one, as it was set up."""
        ...

    def presigned_url(self, path: str, *, valid_s: int) -> str:
        """
        Return an address of an object, good for a time; the object may be absent.

        Called by requests, so it must be quick: it asks no server, as a rule.

        Args:
            valid_s: For how many seconds, from 1 on. A read that began in time may go
                on afterwards.

        Raises:
            UnavailableError: It cannot be signed.
        """
        ...


@runtime_checkable
class SupportsCopy(Protocol):
    """A storage that copies an object by itself: its bytes do not pass through here."""

    def copy(self, source: str, target: str, *, content_type: str) -> ObjectInfo:
        """
        Store a copy of an object, whole or not at all.

        It replaces what was at the target, as ``write`` does; the source stays.

        Raises:
            ObjectNotFoundError: There is no source.
            UnavailableError: The storage refuses.
        """
        ...


@runtime_checkable
class SupportsObjectUrl(Protocol):
    """A storage whose objects other services can name."""

    def object_url(self, path: str) -> str:
        """
        Return the URL of an object or a prefix, for clients of the storage.

        Such as ``s3://bucket/path``, without a slash at its end. It opens nothing:
        whoever uses it needs rights of its own. Nothing is looked up.
        """
        ...


@runtime_checkable
class SupportsHide(Protocol):
    """A storage that can make a whole tree unreachable in one step."""

    def hide_tree(self, prefix: str) -> None:
        """
        Hide everything below prefix from readers; absent is fine.

        ``delete_tree`` of the same prefix later removes what was hidden, too, and counts
        it. On return no process of any machine finds what was there.

        Raises:
            UnavailableError: The storage does not answer; all of it may be visible.
        """
        ...


@runtime_checkable
class SupportsRoomCheck(Protocol):
    """A storage on a disk, which may be full."""

    def check_room(self) -> None:
        """
        Check that a small object could be written; nothing need be tried.

        Called twice a minute from any process; thread-safe.

        Raises:
            NoRoomError: It would be refused for want of room.
        """
        ...


@runtime_checkable
class SupportsUploadFile(Protocol):
    """A storage that lets the receiver of an upload write beside its target."""

    def upload_dir(self) -> Path:
        """
        Return a folder from which ``put_file`` moves without copying.

        It is there, absolute, on the storage's disk, and no object is in it. Files in it
        are the caller's, who removes them.

        Raises:
            UnavailableError: It cannot be made.
        """
        ...
