"""
A folder for one process's temporary files that no crash leaves behind.

Each process holds a lock on a file in its folder. A folder whose lock is free
has no owner any more, whatever happened to it, and is removed.
"""

import fcntl
import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

_LOCK: Final = "owner.lock"


@contextmanager
def scratch_folder(parent: Path) -> Iterator[Path]:
    """
    Make a folder of this process below parent; it is removed at the end.
    """
    parent.mkdir(parents=True, exist_ok=True)
    folder = parent / uuid.uuid4().hex
    folder.mkdir(mode=0o700)
    descriptor = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(descriptor)


def remove_orphans(parent: Path) -> int:
    """
    Remove the folders of processes that are gone.

    Returns:
        How many were removed.
    """
    if not parent.is_dir():
        return 0
    return sum(_remove_if_orphan(folder) for folder in parent.iterdir())


def _remove_if_orphan(folder: Path) -> bool:
    try:
        descriptor = os.open(folder / _LOCK, os.O_RDWR)
    except FileNotFoundError:
        # Being made this very moment, or removed by its owner.
        return False
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
