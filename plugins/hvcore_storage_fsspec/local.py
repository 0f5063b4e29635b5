"""
Store objects as files of this machine.

New bytes go into ``.incoming`` and are moved to their path in one step once they are on
the disk. Hidden objects are in ``.hidden`` until they are deleted.

``.incoming`` also tells a storage from the empty folder that a disk which is not
mounted leaves behind: without ``.incoming``, no object is reported as absent.
"""

import errno
import io
import os
import shutil
import stat
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, Final, cast

from hvcore.plugin_api import (
    NoRoomError,
    ObjectInfo,
    ObjectNotFoundError,
    Storage,
    UnavailableError,
)
from hvcore_storage_fsspec.folders import (
    make_folder,
    remove_empty,
    remove_tree,
    sync_folder,
    walk_files,
)
from hvcore_storage_fsspec.paths import check_path, check_prefix
from hvcore_storage_fsspec.reading import FileRange

CHUNK_BYTES: Final = 1024 * 1024
CHECK_SPACE_EVERY_BYTES: Final = 64 * CHUNK_BYTES
MIN_FREE_BYTES: Final = 512 * 1024 * 1024
MIN_FREE_SHARE: Final = 0.01
LEFTOVERS_RETENTION_S: Final = 24 * 3600
"""The seconds after which unfinished files are removed: far longer than any upload takes."""

MOVE_ATTEMPTS: Final = 100

_ABSENT = {errno.ENOENT, errno.ENOTDIR, errno.EISDIR}


class LocalStorage(Storage):
    """
    A storage whose objects are files below a folder of this machine.

    It also implements SupportsLocalPath, SupportsHide, SupportsUploadFile,
    SupportsCopy, SupportsObjectUrl and SupportsRoomCheck.
    """

    def __init__(self, root: Path, *, min_free_bytes: int | None = None) -> None:
        self._root = root
        self._incoming = root / ".incoming"
        self._hidden = root / ".hidden"
        self._min_free_bytes = min_free_bytes
        with _unavailable():
            make_folder(self._incoming)
            make_folder(self._hidden)
            self._remove_leftovers()

    def stat(self, path: str) -> ObjectInfo:
        file = self.local_path(path)
        with self._absent(path):
            found = file.stat()
        if not stat.S_ISREG(found.st_mode):
            raise ObjectNotFoundError(path)
        return _info(path, found)

    def open(self, path: str, *, start: int = 0, end: int | None = None) -> BinaryIO:
        if start < 0 or (end is not None and end < start):
            raise ValueError(f"not a range: {start} to {end}")
        with self._absent(path):
            file = self.local_path(path).open("rb")
            file.seek(start)
        if end is None:
            return file
        return cast(BinaryIO, io.BufferedReader(FileRange(file, end - start)))

    def write(
        self,
        path: str,
        source: BinaryIO,
        *,
        content_type: str,  # noqa: ARG002 - a file has none
    ) -> ObjectInfo:
        """
        Store the bytes of a source as an object, whole or not at all.

        Raises:
            UnavailableError: The disk is nearly full, or it fails.
        """
        target = self.local_path(path)
        self._check_space()
        return self._through_incoming(path, target, source)

    def put_file(
        self,
        path: str,
        local: Path,
        *,
        content_type: str,  # noqa: ARG002 - a file has none
    ) -> ObjectInfo:
        """Store a local file as an object by moving it, or by copying where it cannot be moved."""
        target = self.local_path(path)
        self._check_space()
        try:
            with local.open("rb") as file:
                # The object is new, however old its bytes are; another's file keeps its date.
                with suppress(PermissionError):
                    os.utime(file.fileno())
                os.fsync(file.fileno())
            return self._move(path, local, target)
        except OSError as exc:
            if exc.errno != errno.EXDEV:
                raise UnavailableError("The storage cannot take the file.") from exc
        with local.open("rb") as file:
            return self._through_incoming(path, target, file)

    def copy(self, source: str, target: str, *, content_type: str) -> ObjectInfo:
        """Store a copy of an object, whole or not at all."""
        with self.open(source) as file:
            return self.write(target, file, content_type=content_type)

    def object_url(self, path: str) -> str:
        """Return the ``file:`` address of an object for programs of this machine."""
        return self.local_path(path).absolute().as_uri()

    def walk(self, prefix: str) -> Iterator[ObjectInfo]:
        top = self._root / check_prefix(prefix)
        self._check_there()
        with _unavailable():
            for file, found in walk_files(top):
                yield _info(file.relative_to(self._root).as_posix(), found)
        # Gone meanwhile, it would look like the end.
        self._check_there()

    def delete_tree(self, prefix: str) -> int:
        """Remove the object at a path and all objects below it, hidden ones too; return their number."""
        name = check_prefix(prefix)
        self._check_there()
        with _unavailable():
            try:
                removed = _remove_below(self._root, name)
            finally:
                # What can go goes.
                hidden = _remove_below(self._hidden, name)
        # Gone meanwhile, its files would come back with it.
        self._check_there()
        return removed + hidden

    def ping(self) -> None:
        """Raise UnavailableError if the folder of the storage is missing or not writable."""
        if not os.access(self._incoming, os.R_OK | os.W_OK | os.X_OK):
            raise UnavailableError("The storage's folder cannot be used.")

    def check_room(self) -> None:
        """Raise NoRoomError if the disk is so full that ``write`` refuses every object."""
        self._check_space()

    def local_path(self, path: str) -> Path:
        return self._root / check_path(path)

    def hide_tree(self, prefix: str) -> None:
        """Hide the object at a path and all objects below it from readers, if there are any."""
        name = check_prefix(prefix)
        source = self._root / name
        # Each time another name: what comes late is hidden once more.
        target = self._hidden / name / uuid.uuid4().hex
        self._check_there()
        with _unavailable():
            try:
                self._move_into_folder(source, target)
            except FileNotFoundError:
                self._check_there()
                return
            sync_folder(target.parent)
            sync_folder(source.parent)
            remove_empty(source.parent, up_to=self._root)

    def upload_dir(self) -> Path:
        return self._incoming

    def _through_incoming(
        self, path: str, target: Path, source: BinaryIO
    ) -> ObjectInfo:
        temporary = self._incoming / uuid.uuid4().hex
        try:
            with _unavailable():
                file = temporary.open("xb")
            with file:
                self._copy(source, file)
            with _unavailable():
                return self._move(path, temporary, target)
        finally:
            # What stays is removed a day later.
            with suppress(OSError):
                temporary.unlink()

    def _copy(self, source: BinaryIO, file: BinaryIO) -> None:
        written = 0
        # What source raises is not the storage's failure, so it stays as it is.
        while chunk := source.read(CHUNK_BYTES):
            with _unavailable():
                file.write(chunk)
            written += len(chunk)
            if written % CHECK_SPACE_EVERY_BYTES < len(chunk):
                self._check_space()
        with _unavailable():
            file.flush()
            os.fsync(file.fileno())

    def _move(self, path: str, source: Path, target: Path) -> ObjectInfo:
        found = source.stat()
        self._move_into_folder(source, target)
        # Else a power cut could bring the old name back.
        sync_folder(target.parent)
        return _info(path, found)

    def _move_into_folder(self, source: Path, target: Path) -> None:
        # A delete beside us removes folders that are empty, such as a new one.
        for _ in range(MOVE_ATTEMPTS):
            if not source.exists():
                raise FileNotFoundError(source)
            # Else the file would be below the disk, once that is mounted.
            self._check_there()
            make_folder(target.parent, inside=self._root)
            with suppress(FileNotFoundError):
                source.replace(target)
                return
        raise UnavailableError("The storage's folders keep vanishing.")

    def _check_there(self) -> None:
        with _unavailable():
            is_there = self._incoming.is_dir()
        if not is_there:
            raise UnavailableError("The storage's folder is gone.")

    @contextmanager
    def _absent(self, path: str) -> Iterator[None]:
        try:
            yield
        except OSError as exc:
            if exc.errno not in _ABSENT:
                raise UnavailableError("The storage does not work.") from exc
            self._check_there()
            raise ObjectNotFoundError(path) from exc

    def _check_space(self) -> None:
        with _unavailable():
            disk = shutil.disk_usage(self._incoming)
        wanted = self._min_free_bytes
        if wanted is None:
            wanted = max(MIN_FREE_BYTES, int(disk.total * MIN_FREE_SHARE))
        if disk.free < wanted:
            raise NoRoomError(
                f"There is no room: the storage is full, with {disk.free >> 20} MiB "
                f"left; it refuses uploads below {wanted >> 20} MiB."
            )

    def _remove_leftovers(self) -> None:
        oldest = time.time() - LEFTOVERS_RETENTION_S
        for file in self._incoming.iterdir():
            # One that cannot go is in nobody's way.
            with suppress(OSError):
                if file.is_file() and file.stat().st_mtime < oldest:
                    file.unlink()


def _remove_below(base: Path, name: str) -> int:
    removed = remove_tree(base / name)
    remove_empty((base / name).parent, up_to=base)
    return removed


def _info(path: str, found: os.stat_result) -> ObjectInfo:
    return ObjectInfo(
        path=path,
        size_bytes=found.st_size,
        modified_at=datetime.fromtimestamp(found.st_mtime, UTC),
    )


@contextmanager
def _unavailable() -> Iterator[None]:
    try:
        yield
    except OSError as exc:
        raise UnavailableError("The storage does not work.") from exc
