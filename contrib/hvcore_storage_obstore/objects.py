"""
Store objects in any store that obstore can reach.

An object is first collected in a local file and then sent whole: a source that breaks off
in the middle leaves nothing in the store.
"""

import io
import math
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, cast

import obstore
from obstore.exceptions import NotFoundError, PreconditionError
from obstore.store import ObjectStore

from hvcore.plugin_api import (
    ObjectInfo,
    ObjectNotFoundError,
    Storage,
    StorageRefusedError,
    UnavailableError,
    check_object_path,
)
from hvcore_storage_obstore.failures import failure_of, is_of_bucket
from hvcore_storage_obstore.runtime import check_runtime

if TYPE_CHECKING:
    # obstore has it for type checkers only.
    from obstore import GetOptions, ObjectMeta

READ_BYTES: Final = 8 * 1024 * 1024
"""One request; a segment is smaller, a source takes a few hundred."""
SENT_BYTES: Final = 5 * 1024 * 1024
"""One part; the least that S3 takes."""
MOST_PARTS: Final = 10_000
"""S3 takes no more of one object."""
SENT_AT_ONCE: Final = 4
LISTED_AT_ONCE: Final = 1000
DELETED_AT_ONCE: Final = 1000
"""As many as S3 takes in one request."""
BUCKET_KNOWN_S: Final = 5.0
"""After a bucket was seen, it is not asked for again at the next absent object."""

# obstore takes or gives these in another form.
_REFUSED: Final = frozenset('\\{}^%`[]"<>~#|*?')


class ObstoreStorage(Storage):
    """
    Stores objects with obstore.

    It also implements SupportsObjectUrl.
    """

    def __init__(self, store: ObjectStore, *, url: str, work_dir: Path) -> None:
        self._store = self._reads = self._writes = store
        self._url = url.rstrip("/")
        self._work_dir = work_dir
        self._bucket_known_until_s = -math.inf

    def stat(self, path: str) -> ObjectInfo:
        self._check(path)
        with self._answers(path):
            found = obstore.head(self._store, path)
        return _info(found)

    def open(self, path: str, *, start: int = 0, end: int | None = None) -> BinaryIO:
        if start < 0 or (end is not None and end < start):
            raise ValueError(f"not a range: {start} to {end}")
        info = self.stat(path)
        last = info.size_bytes if end is None else min(end, info.size_bytes)
        part = _Range(partial(self._read, path, info.tag), start, last)
        # The buffer takes memory as soon as it is there.
        buffer_bytes = max(1, min(READ_BYTES, last - start))
        return cast(BinaryIO, io.BufferedReader(part, buffer_bytes))

    def write(self, path: str, source: BinaryIO, *, content_type: str) -> ObjectInfo:
        self._check(path)
        self._work_dir.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=self._work_dir) as file:
            shutil.copyfileobj(source, file)
            file.flush()
            return self.put_file(path, Path(file.name), content_type=content_type)

    def put_file(self, path: str, local: Path, *, content_type: str) -> ObjectInfo:
        """Store a local file as an object, whole or not at all; the local file stays."""
        self._check(path)
        size = local.stat().st_size
        with local.open("rb") as file, self._answers():
            obstore.put(
                self._writes,
                path,
                file,
                attributes=self._attributes(content_type),
                use_multipart=size > SENT_BYTES,
                chunk_size=max(SENT_BYTES, math.ceil(size / MOST_PARTS)),
                max_concurrency=SENT_AT_ONCE,
            )
        stored = self._stored(path)
        if stored.size_bytes != size:
            raise UnavailableError("The storage did not keep the whole object.")
        return stored

    def walk(self, prefix: str) -> Iterator[ObjectInfo]:
        name = prefix.removesuffix("/")
        self._check(name)
        is_tree = False
        pages = None
        while True:
            with self._answers():
                # A prefix of obstore ends with a name: the object at it is not below it.
                pages = pages or iter(
                    obstore.list(self._store, name, chunk_size=LISTED_AT_ONCE)
                )
                page = next(pages, None)
            if page is None:
                break
            for found in page:
                is_tree = True
                yield _info(found)
        if not is_tree:
            with suppress(ObjectNotFoundError):
                yield self.stat(name)

    def delete_tree(self, prefix: str) -> int:
        paths = [one.path for one in self.walk(prefix)]
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
        """Raise UnavailableError if the storage does not answer."""
        with self._answers():
            next(iter(obstore.list(self._store, "ping", chunk_size=1)), None)

    def object_url(self, path: str) -> str:
        """Return an object's address for clients of the store: ``s3://bucket/path``."""
        self._check(path)
        return f"{self._url}/{path}"

    def _stored(self, path: str) -> ObjectInfo:
        """Describe an object that was stored a moment ago."""
        try:
            return self.stat(path)
        except ObjectNotFoundError as exc:
            # Lost, or removed by another meanwhile: who stored it may try again.
            raise UnavailableError("The storage did not keep the object.") from exc

    def _read(self, path: str, tag: str | None, start: int, end: int) -> bytes:
        options: GetOptions = {"range": (start, end)}
        if tag is not None:
            # Several requests read one object: a part of the next one would be a mixture.
            options["if_match"] = f'"{tag}"'
        try:
            with self._answers(path):
                data = bytes(obstore.get(self._reads, path, options=options).bytes())
        except UnavailableError as exc:
            if isinstance(exc.__cause__, PreconditionError):
                # Another object has replaced it.
                raise ObjectNotFoundError(path) from exc
            raise
        # It refuses an answer without a range or with another one, and counts nothing.
        if len(data) != end - start:
            raise UnavailableError("The storage answers with another number of bytes.")
        return data

    def _delete(self, paths: list[str]) -> None:
        try:
            with self._answers(paths[0]):
                obstore.delete(self._writes, paths)
        except ObjectNotFoundError:
            # Somebody else is deleting the same tree.
            for path in paths:
                with suppress(ObjectNotFoundError), self._answers(path):
                    obstore.delete(self._writes, path)

    def _attributes(self, content_type: str) -> dict[str, str] | None:  # noqa: ARG002 - a bucket has one
        return None

    def _check(self, path: str) -> None:
        check_object_path(path)
        if _REFUSED & set(path) or not path.isascii():
            raise ValueError(f"not a path of an object: {path!r}")

    @contextmanager
    def _answers(self, path: str | None = None) -> Iterator[None]:
        """
        Turn the exceptions of obstore into the errors of the storage port.

        Args:
            path: Of the object that may be absent; else absence is no answer, too.
        """
        check_runtime()
        try:
            yield
        except UnavailableError:
            raise
        except Exception as exc:
            # Not all that obstore raises is one of its own exceptions.
            failure = failure_of(exc)
            if path is None or not self._is_absent(path, exc):
                raise failure from exc
            if is_of_bucket(exc):
                raise failure from exc
            self._check_bucket()
            raise ObjectNotFoundError(path) from exc

    def _check_bucket(self) -> None:
        """Raise UnavailableError if the bucket is missing: then no object is known absent."""
        if time.monotonic() < self._bucket_known_until_s:
            return
        # Whoever may not list it is told so of one that is there.
        with suppress(StorageRefusedError):
            self.ping()
        self._bucket_known_until_s = time.monotonic() + BUCKET_KNOWN_S

    def _is_absent(self, path: str, error: Exception) -> bool:  # noqa: ARG002 - files look at it
        return isinstance(error, NotFoundError | FileNotFoundError)


class _Range(io.RawIOBase):
    """Bytes of an object, each read a request of its own."""

    def __init__(self, read: Callable[[int, int], bytes], start: int, end: int) -> None:
        super().__init__()
        self._read_range = read
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
        data = self._read_range(self._position, end)
        if not data:
            raise UnavailableError("The object ended before its size.")
        self._position += len(data)
        return data


def _info(found: "ObjectMeta") -> ObjectInfo:
    if not found["e_tag"]:
        # Such as of a page of a proxy, whose length would be the object's.
        raise UnavailableError("The storage does not say what an object is.")
    return ObjectInfo(
        path=found["path"],
        size_bytes=found["size"],
        modified_at=found["last_modified"],
        tag=found["e_tag"].strip('"'),
    )
