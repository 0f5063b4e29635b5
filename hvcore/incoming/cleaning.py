"""Remove the files of uploads that a crash has left half received."""

import fcntl
import os
import time
from pathlib import Path
from typing import Final

from hvcore.incoming.partial import PARTIAL_PREFIX
from hvcore.incoming.whole_files import INCOMING_PREFIX

STALE_TEMPORARY_S: Final = 2 * 3600
"""A running upload touches its file; one this old has no owner any more."""


def remove_abandoned(folder: Path) -> int:
    """
    Remove the half-received files of uploads that no process writes any more; return the number of removed files.

    Files of resumable uploads stay, because ResumableUploads.tidy removes them.

    Raises:
        OSError: The folder cannot be read.
    """
    return sum(_remove_if_abandoned(file) for file in list(folder.iterdir()))


def _remove_if_abandoned(file: Path) -> bool:
    try:
        if file.name.startswith(INCOMING_PREFIX):
            return _remove_if_unlocked(file)
        if file.name.startswith(PARTIAL_PREFIX):
            return False
        return _remove_if_old(file)
    except OSError:
        # Kept or removed by its owner, or not to be removed now.
        return False


def _remove_if_unlocked(file: Path) -> bool:
    # Writable, or a network folder gives no lock of this kind.
    descriptor = os.open(file, os.O_RDWR | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return _remove_if_old(file)
    else:
        file.unlink()
        return True
    finally:
        os.close(descriptor)


def _remove_if_old(file: Path) -> bool:
    oldest = time.time() - STALE_TEMPORARY_S
    if not file.is_file() or file.stat().st_mtime >= oldest:
        return False
    file.unlink()
    return True
