"""
Room on the disk, reserved for files that come in side by side.
"""

import errno
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from hvcore.errors import UnavailableError

FREE_RESERVE_BYTES: Final = 512 * 1024 * 1024
"""Left on the disk for everything else: databases do not survive a full one."""
FREE_RESERVE_SHARE: Final = 0.01
"""
As the storage on files does by default: with less, it would refuse an upload
that has come in whole.
"""
CHECK_EVERY_BYTES: Final = 64 * 1024 * 1024
_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})


class DiskReservations:
    """
    What the running uploads of a process still need; thread-safe.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._wanted: dict[object, int] = {}

    @contextmanager
    def reserve(self, folder: Path, length: int | None) -> Iterator["DiskReservation"]:
        """
        Hold room for an upload while it comes in.

        Args:
            length: None if the sender did not announce it.

        Raises:
            UnavailableError: There is not enough.
        """
        reserved = DiskReservation(self, folder, length)
        reserved.check(0)
        try:
            yield reserved
        finally:
            reserved.release()

    def set(self, owner: object, wanted_bytes: int) -> None:
        """
        Note what an upload still needs.
        """
        with self._lock:
            self._set(owner, wanted_bytes)

    def check(self, owner: object, wanted_bytes: int, folder: Path) -> None:
        """
        Note the same, unless there is no room for that beside all others.

        Raises:
            UnavailableError: There is not, or the folder is gone.
        """
        with self._lock:
            free = _free_bytes(folder)
            others = sum(self._wanted.values()) - self._wanted.get(owner, 0)
            if free < wanted_bytes + others:
                raise UnavailableError(
                    "There is no room for this upload now; try again later.",
                    retry_after_s=60,
                )
            self._set(owner, wanted_bytes)

    def _set(self, owner: object, wanted_bytes: int) -> None:
        if wanted_bytes > 0:
            self._wanted[owner] = wanted_bytes
        else:
            self._wanted.pop(owner, None)


class DiskReservation:
    """
    The room that one upload still needs.
    """

    def __init__(
        self, reservations: DiskReservations, folder: Path, length: int | None
    ) -> None:
        self._reservations = reservations
        self._folder = folder
        self._length = length
        self._checked = 0

    def received(self, count: int) -> None:
        """
        Note how many bytes have come in; look at the disk now and then.

        Raises:
            UnavailableError: Somebody else has filled the disk.
        """
        if count - self._checked >= CHECK_EVERY_BYTES:
            self.check(count)
        else:
            self._reservations.set(self, self._wanted(count))

    def check(self, count: int) -> None:
        """
        Look at the disk.

        Raises:
            UnavailableError: The rest does not fit.
        """
        self._checked = count
        self._reservations.check(self, self._wanted(count), self._folder)

    def release(self) -> None:
        """
        Need no more room: everything has come in, or nothing more will.
        """
        self._reservations.set(self, 0)

    def _wanted(self, count: int) -> int:
        if self._length is not None:
            return self._length - count
        # Unannounced: what may come until the next look.
        return self._checked + CHECK_EVERY_BYTES - count


def _free_bytes(folder: Path) -> int:
    try:
        disk = shutil.disk_usage(folder)
    except OSError as exc:
        raise UnavailableError(
            "The disk for uploads does not work; try again later."
        ) from exc
    reserve = max(FREE_RESERVE_BYTES, int(disk.total * FREE_RESERVE_SHARE))
    return disk.free - reserve


@contextmanager
def disk_errors_translated() -> Iterator[None]:
    """
    Say of a disk's error what its user can do.

    Raises:
        UnavailableError: The disk is full, or fails.
    """
    try:
        yield
    except OSError as exc:
        raise disk_failure(exc) from exc


def is_disk_full(exc: OSError) -> bool:
    """
    Tell whether an error means that the disk or a quota is full.
    """
    return exc.errno in _FULL


def disk_failure(exc: OSError) -> UnavailableError:
    """
    Return what to raise for a disk's error.
    """
    why = "is full" if is_disk_full(exc) else "does not work"
    return UnavailableError(
        f"The disk for uploads {why}; try again later.", retry_after_s=60
    )
