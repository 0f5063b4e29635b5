"""
The files of a log that is rotated by renaming, each under a name for ever.

A file is known by its first line, which has a number that no other line has:
so it keeps its place, whatever it is called and wherever it is moved.
"""

import hashlib
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_ISREG
from typing import BinaryIO, Final

import attrs

from hvcore.errors import HvcoreError

READ_BYTES: Final = 1024 * 1024
MAX_LINE_BYTES: Final = 4096
_COMPRESSED: Final = (".gz", ".xz", ".zst", ".bz2")


class LogCutError(HvcoreError):
    """
    A log was cut off instead of renamed.
    """


@attrs.frozen(kw_only=True)
class LogFile:
    """
    A file of the log that is being read.

    Attributes:
        name: Follows from its first line.
        inode: Which file of this disk it is.
    """

    path: Path
    name: str
    inode: int
    _file: BinaryIO = attrs.field(alias="file")

    def size_bytes(self) -> int:
        """
        Return how long the file is now.
        """
        return os.fstat(self._file.fileno()).st_size

    def lines(self, start: int) -> tuple[bytes, int]:
        """
        Return the next whole lines with their ends, and the offset behind them.

        Args:
            start: Offset of the beginning of a line.
        """
        data = os.pread(self._file.fileno(), READ_BYTES, start)
        length = data.rfind(b"\n") + 1
        if length == 0 and len(data) == READ_BYTES:
            # No line is that long: damaged, and the rest may be good.
            length = len(data)
        return data[:length], start + length


def log_paths(log: Path) -> list[Path]:
    """
    Return the log and what it was renamed to, the oldest first.
    """
    found: list[tuple[int, Path]] = []
    for path in log.parent.glob(f"{log.name}*"):
        try:
            status = path.stat()
        except FileNotFoundError:
            # Renamed or removed since the folder was read: looked for the next time.
            continue
        except OSError:
            # Whoever opens it is told why.
            found.append((0, path))
            continue
        if S_ISREG(status.st_mode) and not path.name.endswith(_COMPRESSED):
            found.append((status.st_mtime_ns, path))
    return [path for _, path in sorted(found)]


def inodes_of(paths: Iterable[Path]) -> frozenset[int]:
    """
    Return which files of the disk some paths are now.
    """
    found: set[int] = set()
    for path in paths:
        with suppress(OSError):
            found.add(path.stat().st_ino)
    return frozenset(found)


@contextmanager
def opened_log(path: Path) -> Iterator[LogFile | None]:
    """
    Open a file of the log; None if there is no line in it yet, or it is gone.
    """
    try:
        file = path.open("rb")
    except FileNotFoundError:
        # Renamed or removed since the folder was read.
        yield None
        return
    with file:
        data = os.pread(file.fileno(), MAX_LINE_BYTES, 0)
        if b"\n" not in data and len(data) == MAX_LINE_BYTES:
            # Damaged, say by a power cut; a whole line may stand at its end.
            data = os.pread(file.fileno(), READ_BYTES, 0)
        first, newline, _ = data.partition(b"\n")
        if not newline:
            yield None
            return
        name = f"edge-{hashlib.sha256(first).hexdigest()[:32]}"
        inode = os.fstat(file.fileno()).st_ino
        yield LogFile(path=path, name=name, inode=inode, file=file)
