"""Read spool files of running and of ended processes."""

import fcntl
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

import attrs

from hvcore.spool.tally import Noted, Tally
from hvcore.spool.writing import SUFFIX

BLOCK_BYTES: Final = 256 * 1024
"""
Far longer than any line, and no more than the caches of a processor hold.
"""
READ_BYTES: Final = 8 * 1024 * 1024
"""
What is read together is one transaction, in which each place and minute is one
row: with half of it the flusher brought a tenth fewer segments to PostgreSQL, with
an eighth of it little more than half as many.
"""


@attrs.frozen(kw_only=True)
class SpoolChunk:
    """
    The counts that some whole lines of a spool file add up to.

    Attributes:
        end: The byte offset in the file behind the last line.
    """

    noted: Noted
    end: int


@attrs.frozen(kw_only=True)
class SpoolFile:
    """
    A spool file that is being read.

    Attributes:
        name: The name of the file, unique in the whole service.
        is_complete: Whether the process that wrote the file has ended, so that nothing
            will be added.
    """

    path: Path
    is_complete: bool
    _file: BinaryIO = attrs.field(alias="file")

    @property
    def name(self) -> str:
        """The name of the spool file, unique in the whole service."""
        return self.path.name

    def size_bytes(self) -> int:
        """Return the present size of the spool file."""
        return os.fstat(self._file.fileno()).st_size

    def read(self, start: int) -> SpoolChunk | None:
        """
        Return the counts of the next whole lines of the spool file; None if there is no whole line.

        Args:
            start: The byte offset at which the first line begins.
        """
        tally, end = Tally(), start
        while end - start < READ_BYTES:
            data = os.pread(self._file.fileno(), BLOCK_BYTES, end)
            length = data.rfind(b"\n") + 1
            is_last = len(data) < BLOCK_BYTES
            if length == 0 and not is_last:
                # No line is that long: a damaged file, whose rest may be good.
                length = len(data)
            if length:
                tally.add(data[:length].rstrip(b"\n").split(b"\n"))
                end += length
            if is_last:
                break
        return SpoolChunk(noted=tally.noted(), end=end) if end > start else None


@contextmanager
def the_only_reader(folder: Path) -> Iterator[bool]:
    """Lock a spool folder within the block; yield False if another process has the lock."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "reader.lock").open("wb") as file:
        yield _try_lock(file)


def spool_files(folder: Path) -> Sequence[Path]:
    """Return the paths of the spool files in a folder, sorted."""
    return sorted(folder.glob(f"*{SUFFIX}"))


@contextmanager
def opened(path: Path) -> Iterator[SpoolFile]:
    """
    Open a spool file for reading within the block.

    A file whose process has ended is complete, and stays locked meanwhile.

    Raises:
        FileNotFoundError: The file is gone.
    """
    with path.open("rb") as file:
        # Before anything is read: what its owner wrote last is seen, too.
        is_complete = _try_lock(file)
        yield SpoolFile(path=path, is_complete=is_complete, file=file)


def remove(path: Path) -> None:
    """Remove a spool file durably: after this, a power cut does not bring it back."""
    path.unlink()
    _keep_names(path.parent)


def put_aside(path: Path, suffix: str) -> Path:
    """Rename a spool file durably, with ``suffix`` in place of its extension; return the new path."""
    aside = path.rename(path.with_suffix(suffix))
    _keep_names(aside.parent)
    return aside


def _keep_names(path: Path) -> None:
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _try_lock(file: BinaryIO) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
