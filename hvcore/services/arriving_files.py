"""
Collect bytes in a local file until they are all there.

Beside such a file lie the uploads that come in; the same rule removes what a
crash has left of either (see Uploads.clean_incoming): whoever fills a file
holds a lock on it.
"""

import fcntl
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final

from hvcore.errors import UnavailableError
from hvcore.services.uploads import INCOMING_PREFIX

RESERVE_BYTES: Final = 512 * 1024 * 1024
"""Left on the disk for everything else: databases do not survive a full one."""
RESERVE_SHARE: Final = 0.01
"""As the storage on files has it: with less, it would refuse what has arrived."""
LOOK_EVERY_BYTES: Final = 64 * 1024 * 1024


class ArrivingFile:
    """
    A file that is being filled.
    """

    def __init__(self, path: Path, file: BinaryIO, expected_bytes: int | None) -> None:
        self.path = path
        self.size_bytes = 0
        self._file = file
        self._expected_bytes = expected_bytes
        self._looked_at = -LOOK_EVERY_BYTES

    def write(self, block: bytes) -> None:
        """
        Append, and look now and then whether the rest still fits.

        Raises:
            UnavailableError: The disk is nearly full.
            OSError: The disk fails, or is full all the same.
        """
        if self.size_bytes - self._looked_at >= LOOK_EVERY_BYTES:
            self._looked_at = self.size_bytes
            self._check_room()
        self._file.write(block)
        self.size_bytes += len(block)

    def finish(self) -> None:
        """
        Put everything on the disk.
        """
        self._file.flush()
        os.fsync(self._file.fileno())

    def _check_room(self) -> None:
        disk = shutil.disk_usage(self.path.parent)
        reserve = max(RESERVE_BYTES, int(disk.total * RESERVE_SHARE))
        if self._expected_bytes is None:
            wanted = LOOK_EVERY_BYTES
        else:
            wanted = max(self._expected_bytes - self.size_bytes, 0)
        if disk.free < reserve + wanted:
            raise UnavailableError(
                "There is no room on the disk for what is being fetched.",
                retry_after_s=60,
            )


@contextmanager
def arriving_file(folder: Path, expected_bytes: int | None) -> Iterator[ArrivingFile]:
    """
    Make a file in a folder; what is still there afterwards is removed.

    Args:
        expected_bytes: None if the sender did not say.
    """
    path, file = _locked_file(folder)
    try:
        yield ArrivingFile(path, file, expected_bytes)
    finally:
        with suppress(OSError):
            path.unlink()
        # What had to be on the disk is there already.
        with suppress(OSError):
            file.close()


def _locked_file(folder: Path) -> tuple[Path, BinaryIO]:
    while True:
        path = folder / f"{INCOMING_PREFIX}{secrets.token_hex(16)}"
        file = path.open("xb")
        # Not every network folder has locks; there, only age tells.
        with suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_EX)
        if os.fstat(file.fileno()).st_nlink:
            return path, file
        # Cleaned away before it was locked.
        file.close()
