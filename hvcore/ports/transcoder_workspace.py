"""Transcoder workspaces: a source, a folder, and a target in the store for one attempt."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

import attrs

from hvcore.domain.processing.transcoding import TranscodeError
from hvcore.ports.storage import ObjectInfo, Storage, SupportsObjectUrl


class NotAddressableError(TranscodeError):
    """
    Say that another service cannot reach objects in this deployment's storage.

    Args:
        what: What the storage cannot do, and which setting helps, for operators.
    """

    def __init__(self, what: str) -> None:
        super().__init__(
            "The service that makes videos cannot reach the storage.", log=what
        )


@attrs.frozen(kw_only=True)
class PartTarget:
    """
    Give the prefix in the storage to which a remote transcoding service writes a part's files.

    Each remote job has a target of its own. The target is removed when the video is
    published or has failed, and after the remote job was cancelled.

    Attributes:
        prefix: The target's prefix in the storage.
    """

    storage: Storage
    prefix: str

    @property
    def url(self) -> str:
        """
        Return the target's URL for clients of the store: ``s3://bucket/prefix``.

        The URL ends without a slash.

        Raises:
            NotAddressableError: The storage gives no URLs for other clients.
        """
        if isinstance(self.storage, SupportsObjectUrl):
            return self.storage.object_url(self.prefix)
        raise NotAddressableError(
            "storage.backend has no URLs that other services know; choose a storage "
            "with object_url, such as fsspec with an object store (s3, gs, abfs)"
        )

    def walk(self) -> Iterator[ObjectInfo]:
        """Yield the objects in the target, with paths relative to the target."""
        for info in self.storage.walk(self.prefix):
            yield attrs.evolve(info, path=info.path.removeprefix(f"{self.prefix}/"))

    def open(self, name: str, *, start: int = 0, end: int | None = None) -> BinaryIO:
        """
        Open the bytes ``[start, end)`` of an object in the target for reading.

        Raises:
            ObjectNotFoundError: No object is at the path.
        """
        return self.storage.open(f"{self.prefix}/{name}", start=start, end=end)


@attrs.frozen(kw_only=True)
class SourceRanges:
    """
    Read byte ranges of a source in an object store, without fetching all of it.

    Attributes:
        read: A function that takes the offsets of the first byte and behind the last
            byte, and returns the existing bytes between them. Each call is a request to
            the store. Raises UnusableSourceError if the source is gone.
    """

    size_bytes: int
    read: Callable[[int, int], bytes]


def _no_ranges() -> None:
    return None


def _not_addressable(valid_s: int) -> str:
    del valid_s
    raise NotAddressableError("this workspace's source has no address")


def _forget(handle: str) -> None:
    del handle  # a part that is made here has none


@attrs.frozen(kw_only=True)
class Workspace:
    """
    Give a transcoder the source, the folder and the callbacks of one encode attempt.

    Attributes:
        folder: An empty folder of this attempt alone; files that are written here under
            a track's name are stored when ``run`` returns.
        report: Call it with the finished share of the part, 0.0 to 1.0; cheap.
        check: Raises when the work must end (video deleted, lease lost, service
            stopping). Call it at least every 0.5 s, end every child process if it
            raises, and let the error pass.
        handle: The handle last remembered of this remote job; None if there is none.
        key: What a service elsewhere may recognise the remote job by: letters, digits,
            ``_`` and ``-``, at most 64. It is the same in every attempt, also after a
            worker was killed, until a remote job has failed.
        remember: Stores a handle before it returns, so that the handle survives this
            process. Call it right after submitting. Let the errors that it raises pass.
        source_address: Takes a number of seconds and returns a URL from which the
            source can be read for so long, with ranges. Raises NotAddressableError if
            the storage signs none.
        source_ranges: Returns the SourceRanges for reading parts of the source without
            fetching it; None if the source is a file of this machine, which is read
            itself.
        target: The place to which another service writes files; None if this machine
            makes the part.
        niceness: The niceness of child processes on top of this process's; see nice(2).
    """

    folder: Path
    report: Callable[[float], None]
    check: Callable[[], None]
    handle: str | None = None
    key: str = ""
    remember: Callable[[str], None] = _forget
    source_address: Callable[[int], str] = _not_addressable
    source_ranges: Callable[[], SourceRanges | None] = _no_ranges
    target: PartTarget | None = None
    niceness: int = 0
    _source: Path | Callable[[], Path] = attrs.field(alias="source")

    @property
    def source(self) -> Path:
        """
        Return the path of the source as a local file, which may only be read.

        The source is fetched when it is first asked for, which may take long.

        Raises:
            UnusableSourceError: The source is gone.
        """
        return self._source if isinstance(self._source, Path) else self._source()
