"""Backends in memory that keep every promise of their ports, for the tests of plugins and programs."""

import io
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

import attrs

from hvcore.errors import UnavailableError
from hvcore.ports.cache_invalidation import CacheInvalidator, InvalidationOrder
from hvcore.ports.storage import (
    ObjectInfo,
    ObjectNotFoundError,
    Storage,
    StorageRefusedError,
    check_object_path,
)


@attrs.define
class SettableClock:
    """A clock that stands still until a test moves it."""

    moment: datetime = datetime(2026, 1, 2, 3, 4, 5, 678_901, tzinfo=UTC)

    def now(self) -> datetime:
        """Return the moment to which the clock is set."""
        return self.moment

    def now_ms(self) -> int:
        """Return the set moment as milliseconds since 1970."""
        since = self.moment - datetime(1970, 1, 1, tzinfo=UTC)
        return since // timedelta(milliseconds=1)

    def move(self, by: timedelta) -> None:
        """Move the clock forward by a time."""
        self.moment += by


@attrs.define
class RecordingInvalidator(CacheInvalidator):
    """
    A cache invalidator with a cache in memory, which records its orders.

    Attributes:
        kept: The addresses for which the cache has an answer.
        orders: The orders so far, oldest first.
        is_down: If True, the cache does not answer.
    """

    kept: set[str] = attrs.field(factory=set)
    orders: list[InvalidationOrder] = attrs.field(factory=list)
    is_down: bool = False

    def invalidate(self, order: InvalidationOrder) -> None:
        """Record an order, and remove the addresses under its prefixes from the cache."""
        if self.is_down:
            raise UnavailableError("The cache does not answer.")
        self.orders.append(order)
        prefixes = order.address_prefixes
        self.kept -= {one for one in list(self.kept) if one.startswith(prefixes)}


@attrs.frozen(kw_only=True)
class MemoryObject:
    """An object of a MemoryStorage."""

    data: bytes = attrs.field(repr=False)
    content_type: str | None = None
    modified_at: datetime = attrs.field(factory=lambda: datetime.now(UTC))


class MemoryStorage(Storage):
    """
    A storage whose objects are in a dictionary; it also has SupportsCopy.

    Attributes:
        objects: The objects by path. Storages that share the dictionary share the
            objects.
        is_down: If True, every call raises UnavailableError.
        refuses_removal: If True, removing an object raises StorageRefusedError.
    """

    def __init__(self, objects: dict[str, MemoryObject] | None = None) -> None:
        self.objects = {} if objects is None else objects
        self.is_down = False
        self.refuses_removal = False

    def stat(self, path: str) -> ObjectInfo:
        """Return size, type and time of the object at a path."""
        return self.info(path, self.found(path))

    def open(self, path: str, *, start: int = 0, end: int | None = None) -> BinaryIO:
        """Open a range of the object at a path, with its present bytes."""
        if start < 0 or (end is not None and end < start):
            raise ValueError(f"not a range: {start} to {end}")
        return io.BytesIO(self.found(path).data[start:end])

    def write(self, path: str, source: BinaryIO, *, content_type: str) -> ObjectInfo:
        """Store the bytes of a source as the object at a path."""
        self.check(path)
        self.ping()
        pieces = []
        while piece := source.read(1024 * 1024):
            pieces.append(piece)
        return self.keep(path, b"".join(pieces), content_type)

    def put_file(self, path: str, local: Path, *, content_type: str) -> ObjectInfo:
        """Store the bytes of a local file as an object; the file stays."""
        with local.open("rb") as file:
            return self.write(path, file, content_type=content_type)

    def copy(self, source: str, target: str, *, content_type: str) -> ObjectInfo:
        """Store a copy of an object at another path."""
        self.check(target)
        return self.keep(target, self.found(source).data, content_type)

    def walk(self, prefix: str) -> Iterator[ObjectInfo]:
        """Yield every object under a prefix."""
        for path, found in self.below(prefix):
            yield self.info(path, found)

    def delete_tree(self, prefix: str) -> int:
        """Remove every object under a prefix, and return their number."""
        below = self.below(prefix)
        if below and self.refuses_removal:
            raise StorageRefusedError("The storage refuses.")
        return sum(self.objects.pop(path, None) is not None for path, _ in below)

    def ping(self) -> None:
        """Raise UnavailableError if ``is_down`` is set."""
        if self.is_down:
            raise UnavailableError("The storage does not answer.")

    def check(self, path: str) -> str:
        """Return the path if it is valid for an object; raise an error otherwise."""
        return check_object_path(path)

    def keep(self, path: str, data: bytes, content_type: str) -> ObjectInfo:
        """Store bytes as an object in the dictionary."""
        made = MemoryObject(data=data, content_type=content_type)
        self.objects[path] = made
        return self.info(path, made)

    def found(self, path: str) -> MemoryObject:
        """
        Return the object at a path.

        Raises:
            ObjectNotFoundError: No object is at the path.
        """
        self.check(path)
        self.ping()
        found = self.objects.get(path)
        if found is None:
            raise ObjectNotFoundError(path)
        return found

    def below(self, prefix: str) -> list[tuple[str, MemoryObject]]:
        """Return the objects under a prefix with their paths."""
        name = self.check(prefix.removesuffix("/"))
        self.ping()
        return [
            (path, found)
            # A copy: others write meanwhile.
            for path, found in list(self.objects.items())
            if path == name or path.startswith(f"{name}/")
        ]

    def info(self, path: str, found: MemoryObject) -> ObjectInfo:
        """Return the description of an object at a path."""
        return ObjectInfo(
            path=path,
            size_bytes=len(found.data),
            modified_at=found.modified_at,
            content_type=found.content_type,
            tag=sha256(found.data).hexdigest(),
        )
