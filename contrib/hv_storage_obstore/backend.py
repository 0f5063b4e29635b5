"""
Objects in whatever obstore reaches.

An object is first collected in a local file and then sent whole: a source that breaks off
in the middle leaves nothing in the store.
"""

import io
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, BinaryIO, Final, cast
from urllib.parse import urlsplit

import obstore
from obstore.exceptions import (
    NotFoundError,
    PermissionDeniedError,
    UnauthenticatedError,
)
from obstore.store import GCSStore, MemoryStore, S3Store, from_url

from hv_storage_obstore.options import ObstoreOptions
from hvcore.plugin_api import (
    ConfigError,
    ObjectInfo,
    ObjectNotFoundError,
    Storage,
    StorageRefusedError,
    UnavailableError,
    check_object_path,
)

READ_BYTES: Final = 8 * 1024 * 1024
"""One request; a segment is smaller, a source takes a few hundred."""
SENT_BYTES: Final = 5 * 1024 * 1024
"""One part; the least that S3 takes."""
SENT_AT_ONCE: Final = 4
LISTED_AT_ONCE: Final = 1000
RETRIES: Final = {"max_retries": 2, "retry_timeout": timedelta(seconds=8)}
"""obstore's own choice is ten times in three minutes, which no request can wait."""

# obstore takes or gives these in another form.
_REFUSED: Final = frozenset("\\{}^%`[]\"<>~#|*?")


def make_storage(options: ObstoreOptions, *, work_dir: Path) -> Storage:
    """
    Make the storage that the options name.

    Raises:
        ConfigError: They cannot be used.
    """
    scheme = urlsplit(options.url).scheme
    try:
        store = _store(options, scheme)
    except Exception as exc:
        # Each of obstore's stores has exceptions of its own.
        raise ConfigError(f"storage.options: {exc}") from exc
    return ObstoreStorage(store, url=options.url, work_dir=work_dir)


class ObstoreStorage(Storage):
    """
    Keeps objects by obstore.

    Also carries out SupportsObjectUrl and, where obstore signs, SupportsPresignedRead.
    Not SupportsCopy: obstore's copies keep the type of their source.
    """

    def __init__(self, store: Any, *, url: str, work_dir: Path) -> None:  # noqa: ANN401 - one of six classes
        self._store = store
        self._url = url.rstrip("/")
        self._work_dir = work_dir

    def stat(self, path: str) -> ObjectInfo:
        _check(path)
        with _foreign_errors(path):
            found = obstore.head(self._store, path)
        return _info(path, found)

    def open(self, path: str, *, start: int = 0, end: int | None = None) -> BinaryIO:
        if start < 0 or (end is not None and end < start):
            raise ValueError(f"not a range: {start} to {end}")
        size = self.stat(path).size_bytes
        last = size if end is None else min(end, size)
        part = _Part(self._store, path, start, last)
        return cast(BinaryIO, io.BufferedReader(part, READ_BYTES))

    def write(self, path: str, source: BinaryIO, *, content_type: str) -> ObjectInfo:
        _check(path)
        self._work_dir.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=self._work_dir) as file:
            shutil.copyfileobj(source, file)
            file.flush()
            return self.put_file(path, Path(file.name), content_type=content_type)

    def put_file(self, path: str, local: Path, *, content_type: str) -> ObjectInfo:
        """
        Store a local file, whole or not at all; the local file stays.
        """
        _check(path)
        size = local.stat().st_size
        # Files and memory take no type.
        keeps_types = isinstance(self._store, S3Store | GCSStore)
        with local.open("rb") as file, _foreign_errors():
            obstore.put(
                self._store,
                path,
                file,
                attributes={"Content-Type": content_type} if keeps_types else None,
                use_multipart=size > SENT_BYTES,
                chunk_size=SENT_BYTES,
                max_concurrency=SENT_AT_ONCE,
            )
        stored = self.stat(path)
        if stored.size_bytes != size:
            raise UnavailableError("The storage did not keep the whole object.")
        return stored

    def walk(self, prefix: str) -> Iterator[ObjectInfo]:
        name = prefix.removesuffix("/")
        _check(name)
        # A prefix of obstore ends with a name: the object at it is not below it.
        with _foreign_errors():
            found = [
                one
                for page in obstore.list(
                    self._store, prefix=name, chunk_size=LISTED_AT_ONCE
                )
                for one in page
            ]
        if not found:
            try:
                yield self.stat(name)
            except ObjectNotFoundError:
                return
        for one in found:
            yield _info(str(one["path"]), one)

    def delete_tree(self, prefix: str) -> int:
        paths = [one.path for one in self.walk(prefix)]
        with _foreign_errors():
            if paths:
                obstore.delete(self._store, paths)
        return len(paths)

    def ping(self) -> None:
        """
        Raise UnavailableError if the storage does not answer.
        """
        with _foreign_errors():
            next(iter(obstore.list(self._store, prefix="ping", chunk_size=1)), None)

    def object_url(self, path: str) -> str:
        """
        Return what clients of the store call an object, such as ``s3://bucket/path``.
        """
        _check(path)
        return f"{self._url}/{path}"

    @property
    def can_presign(self) -> bool:
        """
        Return whether obstore signs addresses of this store.
        """
        return isinstance(self._store, S3Store | GCSStore)

    def presigned_url(self, path: str, *, valid_s: int) -> str:
        """
        Return an address of an object, good for a time.
        """
        _check(path)
        with _foreign_errors():
            return str(
                obstore.sign(self._store, "GET", path, timedelta(seconds=valid_s))
            )


class _Part(io.RawIOBase):
    """
    Bytes of an object, each read a request of its own.
    """

    def __init__(self, store: Any, path: str, start: int, end: int) -> None:  # noqa: ANN401 - see above
        super().__init__()
        self._store = store
        self._path = path
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
        with _foreign_errors(self._path):
            data = bytes(
                obstore.get_range(
                    self._store, self._path, start=self._position, end=end
                )
            )
        if not data:
            raise UnavailableError("The object ended before its size.")
        self._position += len(data)
        return data


def _store(options: ObstoreOptions, scheme: str) -> Any:  # noqa: ANN401 - one of six classes
    if scheme == "memory":
        return MemoryStore()
    if scheme == "file":
        return from_url(options.url, mkdir=True)
    config: dict[str, Any] = {}
    if options.endpoint:
        config["endpoint"] = options.endpoint
        config["virtual_hosted_style_request"] = False
    if options.region:
        config["region"] = options.region
    if options.key:
        secret = Path(options.secret_file).read_text().strip()
        config["access_key_id"], config["secret_access_key"] = options.key, secret
    elif options.secret_file:
        config["service_account"] = options.secret_file
    client = {"allow_http": options.endpoint.startswith("http:")}
    return from_url(
        options.url,
        config=config or None,
        client_options=client,
        retry_config=RETRIES,
    )


def _check(path: str) -> None:
    check_object_path(path)
    if _REFUSED & set(path) or not path.isascii():
        raise ValueError(f"not a path of an object: {path!r}")


def _info(path: str, found: Any) -> ObjectInfo:  # noqa: ANN401 - obstore's type is not there when it runs
    return ObjectInfo(
        path=path,
        size_bytes=found["size"],
        modified_at=found["last_modified"],
        tag=str(found["e_tag"]).strip('"') if found["e_tag"] else None,
    )


@contextmanager
def _foreign_errors(path: str | None = None) -> Iterator[None]:
    """
    Turn what obstore raises into what the port promises.

    Args:
        path: Of the object that may be absent; else absence is no answer, too.
    """
    try:
        yield
    except UnavailableError:
        raise
    except Exception as exc:
        if path is not None and isinstance(exc, NotFoundError | FileNotFoundError):
            raise ObjectNotFoundError(path) from exc
        if isinstance(exc, PermissionDeniedError | UnauthenticatedError):
            raise StorageRefusedError("The storage refuses.") from exc
        raise UnavailableError("The storage does not answer.") from exc
