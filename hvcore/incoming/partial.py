"""
Store the bytes that a resumable upload has received so far: one file for each upload.

The offset of an upload is the size of its file and is recorded nowhere else; so it is
right whenever and however a process ends. The one exception are bytes whose checksum
is not verified yet: then a second file beside it has the size up to which bytes count.
"""

import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path
from typing import Final

import attrs

from hvcore.domain.ids import GrantId
from hvcore.domain.uploads.resumable import UploadLockedError
from hvcore.errors import UnavailableError
from hvcore.incoming.disk_space import disk_errors_translated, disk_failure

PARTIAL_PREFIX: Final = "tus-"
"""Of every file here; nobody else removes them from the upload folder."""

_PARTIAL = re.compile(rf"{PARTIAL_PREFIX}(up_[0-9A-Za-z]{{22}})(?:\.\w+)?")
_GOOD: Final = ".good"
_HANDED: Final = ".handed"
_COPY: Final = ".copy"


@attrs.frozen(kw_only=True)
class PartialFile:
    """The file with the received bytes of one resumable upload, which only this process may change now."""

    path: Path
    _file: FileIO

    @property
    def size_bytes(self) -> int:
        """The size of the file in bytes, bytes with an unverified checksum included."""
        return os.fstat(self._file.fileno()).st_size

    def append(self, block: bytes | memoryview) -> None:
        """
        Append bytes to the file; from then on they count as received.

        Raises:
            UnavailableError: The disk is full or fails.
        """
        left = memoryview(block)
        with disk_errors_translated():
            while left:
                left = left[self._file.write(left) :]

    def begin_unverified(self) -> None:
        """
        Have bytes that are appended from now on count only after ``end_unverified``.

        Raises:
            UnavailableError: The disk is full or fails.
        """
        good = self.path.with_name(self.path.name + _GOOD)
        temporary = good.with_name(good.name + "_new")
        with disk_errors_translated():
            temporary.write_text(str(self.size_bytes), encoding="ascii")
            temporary.replace(good)

    def end_unverified(self) -> None:
        """
        Have the unverified bytes count, because their checksum is right.

        Raises:
            UnavailableError: The disk fails.
        """
        with disk_errors_translated():
            self.path.with_name(self.path.name + _GOOD).unlink(missing_ok=True)

    def cut_back(self, size_bytes: int) -> None:
        """
        Cut the file to its first ``size_bytes`` bytes, which then count as received.

        Raises:
            UnavailableError: The disk fails.
        """
        with disk_errors_translated():
            os.ftruncate(self._file.fileno(), size_bytes)
        self.end_unverified()

    def sync(self) -> None:
        """
        Write the file's bytes through to the disk, so that they survive a power cut.

        Raises:
            UnavailableError: The disk fails.
        """
        with disk_errors_translated():
            os.fsync(self._file.fileno())
            # The name as well, or the bytes would belong to nobody.
            folder = os.open(self.path.parent, os.O_RDONLY | os.O_DIRECTORY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)

    @contextmanager
    def handed_over(self) -> Iterator[Path]:
        """
        Yield the path of a second hard link to the file, which the caller may move.

        So the first link is still there if the caller fails half-way, and no byte has to be sent
        again.
        """
        second = self.path.with_name(self.path.name + _HANDED)
        with disk_errors_translated():
            second.unlink(missing_ok=True)
        try:
            second.hardlink_to(self.path)
        except OSError:
            # A folder without such names: what is moved is gone.
            yield self.path
            return
        try:
            yield second
        finally:
            with suppress(OSError):
                second.unlink(missing_ok=True)

    def remove(self) -> None:
        """Remove all files of this upload; a file that cannot be removed now is left for a later clean-up."""
        with suppress(OSError):
            # No id begins with another one: all have the same length.
            for file in self.path.parent.glob(f"{self.path.name}*"):
                file.unlink(missing_ok=True)


@attrs.frozen(kw_only=True)
class PartialFiles:
    """The files of all resumable uploads in a folder."""

    folder: Path

    def size_of(self, grant_id: GrantId) -> int:
        """
        Return the number of bytes of an upload that have been received and count.

        Raises:
            UnavailableError: The disk fails.
        """
        path = self._path(grant_id)
        with disk_errors_translated():
            try:
                size_bytes = path.stat().st_size
            except FileNotFoundError:
                return 0
        return min(size_bytes, _good_size(path, size_bytes))

    @contextmanager
    def hold(self, grant_id: GrantId) -> Iterator[PartialFile]:
        """
        Lock the file of an upload within the block; make the file if it does not exist.

        Raises:
            UploadLockedError: Another process or thread holds the lock.
            UnavailableError: The disk fails, or has no locks.
        """
        path = self._path(grant_id)
        file = _locked(path)
        try:
            file = _without_unverified(path, file)
            yield PartialFile(path=path, file=file)
        finally:
            # What had to be on the disk is already there.
            with suppress(OSError):
                file.close()

    def found(self) -> list[GrantId]:
        """
        Return the ids of the uploads that have a file.

        Raises:
            UnavailableError: The disk fails.
        """
        with disk_errors_translated():
            names = [file.name for file in self.folder.iterdir()]
        matches = (_PARTIAL.fullmatch(name) for name in names)
        return sorted({GrantId(match[1]) for match in matches if match})

    def _path(self, grant_id: GrantId) -> Path:
        return self.folder / f"{PARTIAL_PREFIX}{grant_id}"


def _locked(path: Path) -> FileIO:
    while True:
        with disk_errors_translated():
            descriptor = os.open(
                path,
                os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC,
                0o666,
            )
        # Without a buffer: what was taken must be in the file if we are killed.
        file = FileIO(descriptor, "a+b")
        try:
            _lock(descriptor)
            if _is_named(descriptor, path):
                return file
        except BaseException:
            file.close()
            raise
        # Kept or removed before it was locked. It may be a stored object by
        # now, which nothing must be appended to.
        file.close()


def _without_unverified(path: Path, file: FileIO) -> FileIO:
    """
    Return a locked file of the bytes that count, and remove the mark of their size.

    A process that was killed leaves the mark, of any size up to the file's. Bytes that
    are sent later must not be measured by it.
    """
    partial = PartialFile(path=path, file=file)
    size_bytes = partial.size_bytes
    good = _good_size(path, size_bytes)
    if good >= size_bytes:
        partial.end_unverified()
        return file
    if os.fstat(file.fileno()).st_nlink > 1:
        return _copied(path, file, good)
    partial.cut_back(good)
    return file


def _copied(path: Path, file: FileIO, size_bytes: int) -> FileIO:
    """
    Put a copy of the first bytes in the place of a file that has other names, locked.

    A file that was handed over may be a stored object, which nothing changes.
    """
    own = path.with_name(path.name + _COPY)
    with disk_errors_translated():
        with own.open("wb") as target:
            at = 0
            while at < size_bytes:
                at += os.sendfile(target.fileno(), file.fileno(), at, size_bytes - at)
        own.replace(path)
        path.with_name(path.name + _GOOD).unlink(missing_ok=True)
    file.close()
    return _locked(path)


def _lock(descriptor: int) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as exc:
        raise UploadLockedError from exc
    except OSError as exc:
        raise UnavailableError(
            "Resumable uploads need a folder whose files can be locked.",
            retry_after_s=60,
        ) from exc


def _is_named(descriptor: int, path: Path) -> bool:
    with disk_errors_translated():
        try:
            return os.path.samestat(os.fstat(descriptor), path.lstat())
        except FileNotFoundError:
            return False


def _good_size(path: Path, otherwise: int) -> int:
    try:
        return int(path.with_name(path.name + _GOOD).read_text(encoding="ascii"))
    except FileNotFoundError:
        return otherwise
    except ValueError:
        # Only a power cut leaves it empty: then nothing is sure.
        return 0
    except OSError as exc:
        raise disk_failure(exc) from exc
