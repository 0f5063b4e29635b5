"""
Make a folder for one process's temporary files, and remove the folders of crashed processes.

Each process holds a lock on a file in its folder. A folder whose lock is free
has no owner any more, whatever happened to it, and is removed.
"""

import fcntl
import logging
import os
import shutil
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from hvcore.processes.rounds import Round

_log = logging.getLogger(__name__)

UNLOCKED_FOR_S: Final = 60.0
"""The age in seconds from which a folder without a lock counts as left by a dead worker."""
_LOCK: Final = "owner.lock"


@contextmanager
def scratch_folder(parent: Path) -> Iterator[Path]:
    """
    Within the ``with`` block, give a new locked folder for this process's temporary files.

    It is below ``parent``, and is removed at the end of the block.
    """
    parent.mkdir(parents=True, exist_ok=True)
    folder, descriptor = _locked_folder(parent)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(descriptor)


def _locked_folder(parent: Path) -> tuple[Path, int]:
    while True:
        folder = parent / uuid.uuid4().hex
        folder.mkdir(mode=0o700)
        try:
            descriptor = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        except FileNotFoundError:
            # Taken for an old one that nobody has locked.
            continue
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        if os.fstat(descriptor).st_nlink:
            return folder, descriptor
        # Removed before it was locked.
        os.close(descriptor)


def remove_orphans(parent: Path) -> int:
    """
    Remove the temporary folders of processes that are gone.

    Returns:
        The number of folders that were removed.
    """
    if not parent.is_dir():
        return 0
    removed = 0
    current = Round(_log, "a dead process's folder cannot be removed")
    for folder in list(parent.iterdir()):
        with current.part(hv_path=str(folder)):
            removed += _remove_if_orphan(folder)
    return removed


def _remove_if_orphan(folder: Path) -> bool:
    try:
        descriptor = os.open(folder / _LOCK, os.O_RDWR)
    except FileNotFoundError:
        # Being made this very moment, or removed by its owner; or its owner was
        # killed before there was a lock.
        return _remove_if_old(folder)
    except NotADirectoryError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    else:
        shutil.rmtree(folder, ignore_errors=True)
        return True
    finally:
        os.close(descriptor)


def _remove_if_old(folder: Path) -> bool:
    try:
        if time.time() - folder.stat().st_mtime < UNLOCKED_FOR_S:
            return False
    except FileNotFoundError:
        return False
    shutil.rmtree(folder, ignore_errors=True)
    return True
