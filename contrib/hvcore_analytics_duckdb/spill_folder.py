"""
Make a folder for DuckDB's temporary files that no other process uses.

Host names and process numbers repeat: containers of one image have the same ones, and
a volume that they share would have them overwrite each other's files. So a folder's
name is random, and its process holds a lock beside it while it lives. A folder
without a holder belongs to a killed process and is removed.
"""

import fcntl
import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Final
from uuid import uuid4

_LOCK: Final = ".lock"


class SpillFolder:
    """
    A folder for temporary files of one process; removed by ``close``, or after the process has ended.

    Args:
        parent: The folder of the folders of all processes; made if it is missing.

    Raises:
        OSError: The folder cannot be made.
    """

    def __init__(self, parent: Path) -> None:
        parent.mkdir(parents=True, exist_ok=True)
        _remove_dead(parent)
        self.path, self._lock = _make(parent)

    def close(self) -> None:
        _remove(self.path)
        os.close(self._lock)


def _make(parent: Path) -> tuple[Path, int]:
    while True:
        path = parent / uuid4().hex
        lock = os.open(path.with_suffix(_LOCK), os.O_RDWR | os.O_CREAT | os.O_EXCL)
        # Another one may take it for dead before it is locked, and remove it.
        if _is_ours(lock) and path.with_suffix(_LOCK).exists():
            path.mkdir()
            return path, lock
        os.close(lock)


def _remove_dead(parent: Path) -> None:
    for name in parent.glob(f"*{_LOCK}"):
        with suppress(OSError):
            lock = os.open(name, os.O_RDWR)
            try:
                if _is_taken(lock):
                    _remove(name.with_suffix(""))
            finally:
                os.close(lock)


def _is_ours(lock: int) -> bool:
    try:
        return _is_taken(lock)
    except OSError:
        # A file system that knows no locks: nobody takes it for dead, and what
        # a killed process leaves stays.
        return True


def _is_taken(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        # Held by a living one.
        return False
    return True


def _remove(path: Path) -> None:
    shutil.rmtree(path, ignore_errors=True)
    # Last: what a kill leaves in between is found by it.
    path.with_suffix(_LOCK).unlink(missing_ok=True)
