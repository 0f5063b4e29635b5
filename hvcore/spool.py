"""
Append-only files of served segments: one for each process that serves.

A line is written with one ``write`` to a file that only grows, so it costs
microseconds, needs no network, and is there when the process is killed the
next moment; a power cut may lose the last seconds. While a process lives it
holds a lock on its file: who can take the lock knows that the file is
complete. Folder and locks are meant for a file system of this machine.

A line: milliseconds since 1970, organization, environment, video, height, and
a checksum of all that, separated by spaces.
"""

import errno
import fcntl
import logging
import os
import threading
import uuid
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import BinaryIO, Final

import attrs

from hvcore.domain.analytics import SegmentPlace, SegmentServed
from hvcore.domain.ids import EnvId, OrgId, VideoId
from hvcore.errors import ConfigError

MAX_FILE_BYTES: Final = 64 * 1024 * 1024
"""About 600,000 segments. A file that is full is read once more and removed."""
MAX_OWED_BYTES: Final = 1024 * 1024
"""What is kept in memory while the disk takes nothing: about 10,000 segments."""
READ_BYTES: Final = 1024 * 1024
"""Far longer than any line."""
_SUFFIX: Final = ".log"
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)

_log = logging.getLogger(__name__)


class Spool:
    """
    Write down what this process serves; thread-safe.

    Make it after a fork: parent and child must not hold one lock.
    """

    def __init__(self, folder: Path, *, max_file_bytes: int = MAX_FILE_BYTES) -> None:
        self._folder = folder
        self._max_file_bytes = max_file_bytes
        self._lock = threading.Lock()
        self._fd: int | None = None
        self._size = 0
        # What was not written yet; may begin in the middle of a line.
        self._owed = bytearray()
        # The beginning of that line, which the file ends with.
        self._cut = b""
        self._failed = False
        self._lost = 0

    def append(self, served: SegmentServed) -> None:
        """
        Write a segment down; never fails.

        What cannot be written now is kept and tried again. Playback goes on.
        """
        line = _encode(served)
        with self._lock:
            if len(self._owed) + len(line) > MAX_OWED_BYTES:
                self._lost += 1
                return
            self._owed += line
            self._write()

    def flush(self) -> None:
        """
        Try again to write what could not be written.

        If it still cannot be, the file is given up: once everything in it is
        counted it goes, and its space is what a full disk needs.
        """
        with self._lock:
            if self._owed:
                self._write()
            if self._owed and self._size:
                self._close_file()

    def close(self) -> None:
        """
        Give the file up; whoever reads it may remove it then.
        """
        with self._lock:
            if self._owed:
                self._write()
            self._close_file()

    def _write(self) -> None:
        try:
            if self._fd is None:
                self._fd = _open_new(self._folder)
            while self._owed:
                written = os.write(self._fd, self._owed)
                self._size += written
                self._cut = (self._cut + self._owed[:written]).rpartition(b"\n")[2]
                del self._owed[:written]
        except OSError as exc:
            self._note_failure(exc)
            return
        self._note_success()
        if self._size >= self._max_file_bytes:
            self._close_file()

    def _note_failure(self, exc: OSError) -> None:
        if not self._failed:
            _log.error(
                "served segments cannot be written down; trying again",
                extra={"hv_error": str(exc), "hv_folder": str(self._folder)},
            )
        self._failed = True

    def _note_success(self) -> None:
        if self._failed:
            _log.warning(
                "served segments are written down again",
                extra={"hv_never_counted": self._lost},
            )
        self._failed = False
        self._lost = 0

    def _close_file(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
        self._fd = None
        self._size = 0
        # Half a line is read by nobody: the whole one goes to the next file.
        self._owed[:0] = self._cut
        self._cut = b""


@attrs.frozen(kw_only=True)
class SpoolChunk:
    """
    Some whole lines of a spool file.

    Attributes:
        end: Offset behind the last of them.
        damaged: Lines that are not what was written.
    """

    served: tuple[SegmentServed, ...]
    end: int
    damaged: int


@attrs.frozen(kw_only=True)
class SpoolFile:
    """
    A spool file that is being read.

    Attributes:
        name: Unique in the whole service.
        is_complete: Its owner is gone: nothing will be added.
    """

    path: Path
    is_complete: bool
    _file: BinaryIO = attrs.field(alias="file")

    @property
    def name(self) -> str:
        """
        The file's name.
        """
        return self.path.name

    def size_bytes(self) -> int:
        """
        Return how long the file is now.
        """
        return os.fstat(self._file.fileno()).st_size

    def read(self, start: int) -> SpoolChunk | None:
        """
        Return the next lines; None if there is no whole one.

        Args:
            start: Offset of the beginning of a line.
        """
        data = os.pread(self._file.fileno(), READ_BYTES, start)
        length = data.rfind(b"\n") + 1
        if length == 0 and len(data) == READ_BYTES:
            # No line is that long: a damaged file, whose rest may be good.
            length = len(data)
        if length == 0:
            return None
        lines = data[:length].rstrip(b"\n").split(b"\n")
        served = [one for one in map(_decode, lines) if one is not None]
        return SpoolChunk(
            served=tuple(served), end=start + length, damaged=len(lines) - len(served)
        )


def make_folder(folder: Path) -> None:
    """
    Make the folder of spool files, if it is not there.

    Raises:
        ConfigError: It cannot be, or may not be written to.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as exc:
        raise ConfigError(
            f"analytics.spool_dir: {folder} cannot be written to: {exc.strerror}. "
            "Name a folder on a disk of this machine that this user may write to."
        ) from exc


@contextmanager
def the_only_reader(folder: Path) -> Iterator[bool]:
    """
    Tell whether this is the only reader of a folder, and stay it meanwhile.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "reader.lock").open("wb") as file:
        yield _try_lock(file)


def spool_files(folder: Path) -> Sequence[Path]:
    """
    Return the files of a folder.
    """
    return sorted(folder.glob(f"*{_SUFFIX}"))


@contextmanager
def opened(path: Path) -> Iterator[SpoolFile]:
    """
    Open a spool file for reading.

    A complete one stays locked meanwhile: its owner cannot come back.

    Raises:
        FileNotFoundError: It is gone.
    """
    with path.open("rb") as file:
        # Before anything is read: what its owner wrote last is seen, too.
        is_complete = _try_lock(file)
        yield SpoolFile(path=path, is_complete=is_complete, file=file)


def _open_new(folder: Path) -> int:
    """
    Make a file, and lock it before a reader could take it for a dead one's.
    """
    folder.mkdir(parents=True, exist_ok=True)
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    while True:
        path = folder / f"{uuid.uuid4().hex}{_SUFFIX}"
        fd = os.open(path, flags, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            is_there = os.fstat(fd).st_nlink > 0
        except OSError:
            os.close(fd)
            raise
        if is_there:
            return fd
        # A reader was quicker, and has removed it.
        os.close(fd)


def _try_lock(file: BinaryIO) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _encode(served: SegmentServed) -> bytes:
    at_ms = (served.at - _EPOCH) // timedelta(milliseconds=1)
    place = served.place
    text = (
        f"{at_ms} {place.org_id} {place.env_id} {place.video_id} {place.height_px}"
    ).encode()
    return b"%s %08x\n" % (text, zlib.crc32(text))


def _decode(line: bytes) -> SegmentServed | None:
    text, _, checksum = line.rpartition(b" ")
    if checksum != b"%08x" % zlib.crc32(text):
        return None
    try:
        at_ms, org_id, env_id, video_id, height_px = text.decode().split(" ")
        return SegmentServed(
            place=SegmentPlace(
                org_id=OrgId(org_id),
                env_id=EnvId(env_id),
                video_id=VideoId(video_id),
                height_px=int(height_px),
            ),
            at=_EPOCH + timedelta(milliseconds=int(at_ms)),
        )
    except (ValueError, OverflowError):
        return None
