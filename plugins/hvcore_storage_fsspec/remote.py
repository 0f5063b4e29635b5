"""
Store objects in any file system that fsspec reaches.

An object is first collected in a local file and then sent whole: if an exception ends a
block ``with fs.open(…, "wb")``, fsspec would store the bytes written so far as the
object.
"""

import io
import math
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

import fsspec
from fsspec import AbstractFileSystem

from hvcore.plugin_api import (
    ConfigError,
    ObjectInfo,
    ObjectNotFoundError,
    Storage,
    StorageRefusedError,
    UnavailableError,
)
from hvcore_storage_fsspec.paths import check_path, check_prefix
from hvcore_storage_fsspec.ranges import WrongRangeError, check_received
from hvcore_storage_fsspec.store_errors import MissingBucketError, foreign_errors
from hvcore_storage_fsspec.time_limits import (
    ANSWER_S,
    JOIN_S,
    LIST_S,
    PING_S,
    REMOVE_S,
    SilentStoreError,
    ask_within,
    read_limit_s,
    send_limit_s,
)

READ_BYTES: Final = 8 * 1024 * 1024
"""The bytes of one read request; a segment is smaller, a source takes a few hundred requests."""
DELETED_AT_ONCE: Final = 1000
"""The number of objects that are deleted at a time: as many as S3 takes in one request."""
TOLD_WITHIN_S: Final = 0.5
"""The seconds within which a store refuses a range; an error that takes longer is an outage."""
BUCKET_KNOWN_S: Final = 5.0
"""The seconds for which a bucket that was seen is not looked up again at an absent object."""

_CONTENT_TYPE_NAMES: Final = {"s3": "ContentType", "gs": "content_type"}
_TYPE_NAMES: Final = ("ContentType", "contentType")
_TAG_NAMES: Final = ("generation", "ETag", "etag")
_MODIFIED_NAMES: Final = ("LastModified", "last_modified", "mtime", "created")
# fsspec takes names with these for patterns.
_PATTERN_CHARACTERS: Final = frozenset("*?[")


class RemoteStorage(Storage):
    """
    A storage whose objects are under an fsspec URL.

    It also implements SupportsCopy, SupportsObjectUrl and, where the file system signs
    addresses, SupportsPresignedRead.
    """

    def __init__(self, url: str, *, args: Mapping[str, object], work_dir: Path) -> None:
        try:
            self._fs, root = self._file_system(url, args)
        except (ValueError, TypeError, ImportError) as exc:
            raise ConfigError(f"storage.options: {exc}") from exc
        self._root = root.rstrip("/")
        self._work_dir = work_dir
        self._bucket_known_until_s = -math.inf
        protocol = self._fs.protocol
        names = {protocol} if isinstance(protocol, str) else set(protocol)
        self._content_type_name = next(
            (_CONTENT_TYPE_NAMES[n] for n in sorted(names) if n in _CONTENT_TYPE_NAMES),
            None,
        )
        # Listings that are kept do not show what others have stored.
        self._fs.dircache.use_listings_cache = False

    def stat(self, path: str) -> ObjectInfo:
        full = self._full(path)
        with self._answers(path):
            found = self._ask("info", full)
            # Within: half an answer is none.
            info = info_of(path, found) if found["type"] == "file" else None
        if info is None:
            raise ObjectNotFoundError(path)
        return info

    def open(self, path: str, *, start: int = 0, end: int | None = None) -> BinaryIO:
        if start < 0 or (end is not None and end < start):
            raise ValueError(f"not a range: {start} to {end}")
        if end is not None and start < end <= start + READ_BYTES:
            began_s = time.monotonic()
            try:
                # One request instead of two.
                return io.BytesIO(self._read_part(path, start, end))
            except (SilentStoreError, MissingBucketError, WrongRangeError):
                raise
            except UnavailableError:
                # Some say so of a range that begins behind the end. A second question
                # after a long wait would be a second wait.
                if time.monotonic() - began_s > TOLD_WITHIN_S:
                    raise
        info = self.stat(path)
        last = info.size_bytes if end is None else min(end, info.size_bytes)
        part = _RemoteRange(partial(self._read_part, path, tag=info.tag), start, last)
        return cast(BinaryIO, io.BufferedReader(part, READ_BYTES))

    def write(self, path: str, source: BinaryIO, *, content_type: str) -> ObjectInfo:
        check_path(path)
        self._work_dir.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=self._work_dir) as file:
            shutil.copyfileobj(source, file)
            file.flush()
            return self.put_file(path, Path(file.name), content_type=content_type)

    def put_file(self, path: str, local: Path, *, content_type: str) -> ObjectInfo:
        """Store a local file as an object, whole or not at all; the local file stays."""
        target = self._full(path)
        size = local.stat().st_size
        with foreign_errors():
            self._send(local, target, content_type)
        stored = self._stored(path)
        if stored.size_bytes != size:
            raise UnavailableError("The storage did not keep the whole object.")
        return stored

    def copy(self, source: str, target: str, *, content_type: str) -> ObjectInfo:
        """Have the store copy an object to another path, and return the description of the copy."""
        full_source, full_target = self._full(source), self._full(target)
        size = self.stat(source).size_bytes
        with self._answers(source):
            self._ask(
                "cp_file",
                full_source,
                full_target,
                limit_s=JOIN_S,
                **self._copied_as(content_type),
            )
        stored = self._stored(target)
        if stored.size_bytes != size:
            raise UnavailableError("The storage did not copy the whole object.")
        return stored

    def object_url(self, path: str) -> str:
        """Return an object's address for clients of the store: ``s3://bucket/path``."""
        return str(self._fs.unstrip_protocol(self._full(path)))

    def walk(self, prefix: str) -> Iterator[ObjectInfo]:
        name = check_prefix(prefix)
        top = self._full(name)
        with foreign_errors():
            found = self._ask("find", top, detail=True, limit_s=LIST_S)
            objects = [
                info_of(full[len(self._root) :].lstrip("/"), info)
                for full, info in found.items()
            ]
        # Some give what merely begins alike, such as "vid_10" for "vid_1".
        for info in objects:
            if info.path == name or info.path.startswith(f"{name}/"):
                yield info

    def delete_tree(self, prefix: str) -> int:
        paths = [self._full(info.path) for info in self.walk(prefix)]
        refusal = None
        for first in range(0, len(paths), DELETED_AT_ONCE):
            try:
                self._delete(paths[first : first + DELETED_AT_ONCE])
            except StorageRefusedError as exc:
                # What can go goes: an object that is locked keeps no other.
                refusal = exc
        if refusal is not None:
            raise refusal
        return len(paths)

    def ping(self) -> None:
        """Raise UnavailableError if the store does not answer."""
        with foreign_errors():
            try:
                self._ask("info", self._root, limit_s=PING_S)
            except FileNotFoundError:
                # An answer, too: nothing was stored yet. But an object store
                # also says so of a bucket that is missing.
                if self._content_type_name is not None:
                    self._ask("info", self._root.split("/")[0], limit_s=PING_S)

    @property
    def can_presign(self) -> bool:
        """Return whether the file system can sign addresses, as those of S3, Google and Azure can."""
        return type(self._fs).sign is not AbstractFileSystem.sign

    def presigned_url(self, path: str, *, valid_s: int) -> str:
        """Return a signed address for GETs of an object, valid for ``valid_s`` seconds."""
        with foreign_errors():
            return str(self._fs.sign(self._full(path), expiration=valid_s))

    @contextmanager
    def _answers(self, path: str) -> Iterator[None]:
        """Turn errors of the file system in a block into those of the port."""
        try:
            with foreign_errors(path):
                yield
        except ObjectNotFoundError:
            self._check_bucket()
            raise

    def _check_bucket(self) -> None:
        if time.monotonic() < self._bucket_known_until_s:
            return
        # Whoever may not look at it is told so of one that is there.
        with suppress(StorageRefusedError), foreign_errors():
            self._ask_for_bucket()
        self._bucket_known_until_s = time.monotonic() + BUCKET_KNOWN_S

    def _ask_for_bucket(self) -> None:
        """Raise FileNotFoundError if the bucket is missing, for stores that have buckets."""

    def _stored(self, path: str) -> ObjectInfo:
        """Return the description of an object that was stored a moment ago."""
        try:
            return self.stat(path)
        except ObjectNotFoundError as exc:
            # Lost, or removed by another meanwhile: who stored it may try again.
            raise UnavailableError("The storage did not keep the object.") from exc

    def _read_part(
        self, path: str, start: int, end: int, *, tag: str | None = None
    ) -> bytes:
        full = self._full(path)
        with self._answers(path):
            return self._fetch(full, start, end, tag)

    def _fetch(self, full: str, start: int, end: int, tag: str | None) -> bytes:  # noqa: ARG002 - few file systems compare it
        """
        Return the bytes ``[start, end)`` of an object, fewer only at its end.

        Args:
            tag: The tag of the object whose bytes are wanted, for stores that compare
                it; None: whatever object is there.

        Raises:
            FileNotFoundError: The object with this tag is gone; another one may have
                replaced it.
        """
        limit_s = read_limit_s(end - start)
        data: bytes = self._ask("cat_file", full, start=start, end=end, limit_s=limit_s)
        if len(data) != end - start:
            # It tells nothing of its answer: some file systems ignore a range.
            last = min(end, int(self._ask("info", full)["size"]))
            check_received(len(data), max(0, last - start))
        return data

    def _ask(
        self, method: str, *args: object, limit_s: float = ANSWER_S, **options: object
    ) -> Any:  # noqa: ANN401 - whatever the file system returns
        return ask_within(limit_s, self._fs, method, *args, **options)

    def _file_system(self, url: str, args: Mapping[str, object]) -> tuple[Any, str]:
        # An instance of our own, because we change its cache.
        fs, root = fsspec.core.url_to_fs(url, skip_instance_cache=True, **args)
        return fs, str(root)

    def _send(self, local: Path, target: str, content_type: str) -> None:
        self._ask(
            "put_file",
            str(local),
            target,
            limit_s=send_limit_s(local.stat().st_size),
            **self._stored_as(content_type),
        )

    def _stored_as(self, content_type: str) -> Mapping[str, object]:
        name = self._content_type_name
        return {name: content_type} if name else {}

    def _copied_as(self, content_type: str) -> Mapping[str, str]:
        if self._content_type_name != _CONTENT_TYPE_NAMES["s3"]:
            # The others keep the source's type.
            return {}
        return {"ContentType": content_type, "MetadataDirective": "REPLACE"}

    def _delete(self, paths: list[str]) -> None:
        try:
            with foreign_errors(""):
                gone = self._ask("rm", paths, limit_s=REMOVE_S)
        except ObjectNotFoundError:
            gone = []
        if gone is None or len(gone) == len(paths):
            return
        # Somebody else is deleting the same tree, or the answer names not all.
        for path in paths:
            with foreign_errors():
                if self._ask("exists", path):
                    self._ask("rm_file", path)

    def _full(self, path: str) -> str:
        if _PATTERN_CHARACTERS & set(path):
            raise ValueError(f"not a path of an object: {path!r}")
        return f"{self._root}/{check_path(path)}"


class _RemoteRange(io.RawIOBase):
    """
    A file object with a range of a remote object; each read is a request of its own.

    Not ``fs.open``: fsspec's memory file system gives all readers one file.
    """

    def __init__(
        self, fetch: Callable[[int, int], bytes], start: int, end: int
    ) -> None:
        super().__init__()
        self._fetch = fetch
        self._position = start
        self._end = end

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 - "any buffer" has no name before Python 3.12
        data = self._next(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def readall(self) -> bytes:
        # The one of RawIOBase asks for 8 KiB at a time.
        return b"".join(iter(lambda: self._next(READ_BYTES), b""))

    def _next(self, most: int) -> bytes:
        end = min(self._position + most, self._end)
        if self._position >= end:
            return b""
        data = self._fetch(self._position, end)
        if not data:
            raise UnavailableError("The object ended before its size.")
        self._position += len(data)
        return data


def info_of(path: str, found: Mapping[str, Any]) -> ObjectInfo:
    """Return the description of an object, from what a client has reported of it."""
    known = [found[name] for name in _MODIFIED_NAMES if found.get(name) is not None]
    return ObjectInfo(
        path=path,
        size_bytes=found["size"],
        modified_at=_moment(known[0] if known else 0),
        content_type=_text(found, _TYPE_NAMES),
        tag=_text(found, _TAG_NAMES),
    )


def _text(found: Mapping[str, Any], names: Sequence[str]) -> str | None:
    return next((str(found[name]) for name in names if found.get(name)), None)


def _moment(value: object) -> datetime:
    if isinstance(value, (int, float)):
        return datetime.fromtimestamp(value, UTC)
    if isinstance(value, str):
        value = datetime.fromisoformat(value)
    if not isinstance(value, datetime):
        return datetime.fromtimestamp(0, UTC)
    return value.astimezone(UTC) if value.tzinfo else value.replace(tzinfo=UTC)
