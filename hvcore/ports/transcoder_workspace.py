"""Workspaces of transcoders: the source, a folder, and a target in the store."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

import attrs

from hvcore.domain.processing.transcoding import TranscodeError
from hvcore.ports.storage import ObjectInfo, Storage, SupportsObjectUrl


class NotAddressableError(TranscodeError):
    """
    A service elsewhere cannot reach what lies in this deployment's storage.

    Args:
        what: What the storage cannot do, and what to set, for operators.
    """

    def __init__(self, what: str) -> None:
        super().__init__(
            "The service that makes videos cannot reach the storage.", log=what
        )


@attrs.frozen(kw_only=True)
class PartTarget:
    """
    The target in the store of a part that another service encodes.

    Each remote job has a target of its own. It is removed when the video is published
    or has failed, and after the remote job was cancelled.

    Attributes:
        prefix: Of the storage's paths.
    """

    storage: Storage
    prefix: str

    @property
    def url(self) -> str:
        """
        Return the target's URL for clients of the store, as ``s3://bucket/prefix``.

        It ends without a slash.

        Raises:
            NotAddressableError: Nobody else can name it.
        """
        if isinstance(self.storage, SupportsObjectUrl):
            return self.storage.object_url(self.prefix)
        raise NotAddressableError(
            "storage.backend has no URLs that other services know; choose a storage "
            "with object_url, such as fsspec with an object store (s3, gs, abfs)"
        )

    def walk(self) -> Iterator[ObjectInfo]:
        """Give the objects in the target, with paths relative to it."""
        for info in self.storage.walk(self.prefix):
            yield attrs.evolve(info, path=info.path.removeprefix(f"{self.prefix}/"))

    def open(self, name: str, *, start: int = 0, end: int | None = None) -> BinaryIO:
        """
        Open the bytes ``[start, end)`` of something that is there.

        Raises:
            ObjectNotFoundError: It is not.
        """
        return self.storage.open(f"{self.prefix}/{name}", start=start, end=end)


@attrs.frozen(kw_only=True)
class SourceRanges:
    """
    Reads parts of a source that lies in an object store, without fetching it.

    Attributes:
        read: Takes the first byte and the one behind the last, and returns what is
            there of them. Each call is a request. Raises UnusableSourceError if the
            source is gone.
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
    The source, folder and reports of one encode attempt.

    Attributes:
        folder: An empty folder of this attempt alone; what is written here
            under a track's name is stored when ``run`` returns.
        report: Takes the finished share of the part, 0.0 to 1.0; cheap.
        check: Raises when the work must end (deleted, lease lost, service stopping).
            Call it at least every 0.5 s and let what it raises pass, with every child
            process ended.
        handle: What was last remembered of this remote job, else None.
        key: What a service elsewhere may recognise the remote job by: letters, digits,
            ``_`` and ``-``, at most 64. It is the same in every attempt, also after a
            worker was killed, until a remote job has failed.
        remember: Writes a handle down before it returns, so that it outlives this
            process. To be called right after submitting. What it raises must pass.
        source_address: Takes a number of seconds and returns an address from which
            the source can be read for so long, with ranges. Raises
            NotAddressableError where the storage signs none.
        source_ranges: Returns how to read parts of the source without fetching it;
            None where it is a file of this machine, of which the source itself is read.
        target: Where a service elsewhere puts files; None where parts are made here.
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
    _source: Path | Callable[[], Path] = attrs.field(alias="source")

    @property
    def source(self) -> Path:
        """
        Return the source as a local file, to be read only.

        It is fetched when it is first asked for, which may take long.

        Raises:
            UnusableSourceError: It is gone.
        """
        return self._source if isinstance(self._source, Path) else self._source()
