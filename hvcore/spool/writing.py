"""Write the spool files in which a process records the segments it serves."""

import errno
import fcntl
import logging
import os
import threading
import uuid
from pathlib import Path
from typing import Final

from hvcore.domain.analytics.segments import SegmentServed
from hvcore.errors import ConfigError
from hvcore.spool.lines import Note, encode_all

MAX_FILE_BYTES: Final = 64 * 1024 * 1024
"""
About 200,000 segments, with their viewers and the sound beside them. A file that
is full is read once more and removed.
"""
MAX_OWED_BYTES: Final = 1024 * 1024
"""
How much is held in memory while the disk is full: about 3,000 segments. Lines that
are not counted get at most half of it.
"""
SUFFIX: Final = ".log"

_log = logging.getLogger(__name__)


class Spool:
    """
    Writes a line into this process's spool file for each video segment that the process serves; thread-safe.

    Make it after a fork: parent and child must not share the file's lock.
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

    def append(self, *notes: Note) -> None:
        """
        Write the lines of notes (served segments and other events) into the spool file with one ``write``; never fails.

        Lines that cannot be written now are kept in memory and tried again.
        """
        segments = sum(isinstance(note, SegmentServed) for note in notes)
        self.write(encode_all(notes), segments=segments)

    def write(self, lines: bytes, *, segments: int) -> bool:
        """
        Write whole lines into the spool file with one ``write``; never fails.

        Args:
            segments: The number of lines that are segments.

        Returns:
            True if the lines are written, or kept in memory to be written later; False if
            they are lost, because too many wait already.
        """
        with self._lock:
            fd = self._fd
            if fd is not None and not self._owed:
                # Nearly always, and then nothing is copied.
                try:
                    written = os.write(fd, lines)
                except OSError:
                    # The write below fails in the same way, and is reported there.
                    written = 0
                self._size += written
                if written == len(lines):
                    if self._size >= self._max_file_bytes:
                        self._close_file()
                    return True
                self._cut = lines[:written].rpartition(b"\n")[2]
                lines = lines[written:]
            if self._owed:
                room = MAX_OWED_BYTES if segments else MAX_OWED_BYTES // 2
                if len(self._owed) + len(lines) > room:
                    self._lost += segments
                    return False
            self._owed += lines
            self._write()
            return True

    @property
    def owes(self) -> bool:
        """Return whether lines wait in memory to be written, which would be lost if the process were killed."""
        return bool(self._owed)

    def write_owed(self) -> None:
        """
        Try again to write the lines that wait in memory.

        If that fails again, the present file is closed: once all of its lines are counted it is
        removed, which frees space on a full disk. A file that somebody has removed is closed, too,
        because nobody would read it.
        """
        with self._lock:
            if self._fd is not None and not os.fstat(self._fd).st_nlink:
                _log.error(
                    "a spool file was removed: what was in it is not counted",
                    extra={"hv_folder": str(self._folder)},
                )
                self._close_file()
            if self._owed:
                self._write()
            if self._owed and self._size:
                self._close_file()

    def close(self) -> None:
        """Close the spool file, so that its reader may remove it."""
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
                if written == len(self._owed):
                    # It ends with a whole line.
                    self._cut = b""
                    self._owed.clear()
                    break
                self._cut = (self._cut + self._owed[:written]).rpartition(b"\n")[2]
                del self._owed[:written]
        except OSError as exc:
            self._note_failure(exc)
            return
        if self._failed:
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
        _log.warning(
            "served segments are written down again",
            extra={"hv_never_counted": self._lost},
        )
        self._failed = False
        self._lost = 0

    def _close_file(self) -> None:
        fd, self._fd = self._fd, None
        self._size = 0
        if fd is not None:
            try:
                os.close(fd)
            except OSError as exc:
                # It is closed, and its number may be another file's by now.
                self._note_failure(exc)
        # Half a line is read by nobody: the whole one goes to the next file.
        self._owed[:0] = self._cut
        self._cut = b""


def make_folder(folder: Path) -> None:
    """
    Make the folder of spool files, if it does not exist.

    Raises:
        ConfigError: The folder cannot be made, or this process may not write to it.
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


def _open_new(folder: Path) -> int:
    """Make a file, and lock it before a reader could take it for a dead one's."""
    folder.mkdir(parents=True, exist_ok=True)
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    while True:
        path = folder / f"{uuid.uuid4().hex}{SUFFIX}"
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
