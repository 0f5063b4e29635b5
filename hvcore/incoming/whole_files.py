"""
Receive files that arrive in one request: written under a lock, stored whole or not at all.

A process that writes a file holds a lock on it. So files left by a crash can be
told from files that are still arriving (:mod:`hvcore.incoming.cleaning`).
"""

import fcntl
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path
from typing import Final

from hvcore.incoming.disk_space import DiskReservation, disk_errors_translated

INCOMING_PREFIX: Final = "upload-"
"""Whoever collects a body in such a file holds a lock (flock) on it."""


class ArrivingFile:
    """A file that is being received in one request."""

    def __init__(self, path: Path, file: FileIO, reserved: DiskReservation) -> None:
        self.path = path
        self.size_bytes = 0
        self._file = file
        self._reserved = reserved

    def write(self, block: bytes | memoryview) -> None:
        """
        Append bytes to the file, and check now and then whether the rest still fits on the disk.

        Raises:
            UnavailableError: The disk is nearly full, or fails.
        """
        left = memoryview(block)
        with disk_errors_translated():
            while left:
                left = left[self._file.write(left) :]
        self.size_bytes += len(block)
        self._reserved.received(self.size_bytes)

    def finish(self) -> None:
        """
        Write everything through to the disk, so that it outlives a power cut.

        Raises:
            UnavailableError: The disk is full, or fails.
        """
        with disk_errors_translated():
            os.fsync(self._file.fileno())
        self._reserved.release()


@contextmanager
def arriving_file(folder: Path, reserved: DiskReservation) -> Iterator[ArrivingFile]:
    """
    Make a file in a folder within the block; remove it afterwards if it is still there.

    Args:
        reserved: The disk space reserved for the file.

    Raises:
        UnavailableError: The disk fails.
    """
    path, file = _locked_file(folder)
    try:
        # Locked until it is kept: nobody cleans it away meanwhile.
        yield ArrivingFile(path, file, reserved)
    finally:
        # What stays is cleaned away: nobody holds its lock any more.
        with suppress(OSError):
            path.unlink()
        # What had to be on the disk is already there.
        with suppress(OSError):
            file.close()


def _locked_file(folder: Path) -> tuple[Path, FileIO]:
    while True:
        path = folder / f"{INCOMING_PREFIX}{secrets.token_hex(16)}"
        with disk_errors_translated():
            # Blocks are large: another buffer would only copy some of them.
            file = path.open("xb", buffering=0)
            # Not every network folder has locks; there, only age tells.
            with suppress(OSError):
                fcntl.flock(file, fcntl.LOCK_EX)
            if os.fstat(file.fileno()).st_nlink:
                return path, file
        # Cleaned away before it was locked.
        file.close()
