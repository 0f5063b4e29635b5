"""Reserve disk space for uploads that arrive at the same time."""

import errno
import os
import secrets
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import attrs

from hvcore.errors import NoRoomError, UnavailableError
from hvcore.incoming.room_ledger import Claim, DiskShares, RoomLedger
from hvcore.throttling.shares import REFUSALS

FREE_RESERVE_BYTES: Final = 512 * 1024 * 1024
"""Left on the disk for everything else: databases do not survive a full one."""
FREE_RESERVE_SHARE: Final = 0.01
"""
As the storage on files does by default: with less, it would refuse an upload that has
arrived completely.
"""
CHECK_EVERY_BYTES: Final = 16 * 1024 * 1024
"""So many bytes of each upload may arrive between checks; all uploads together stay within the reserve."""
CHECK_EVERY_S: Final = 1.0
SOON_S: Final = 3600.0
"""
What a sender can send in this time at its pace is reserved for it. A fast sender gets
space for its whole file at once; one that sends almost nothing blocks nobody.
"""
RETRY_AFTER_S: Final = 60
TRIAL_BYTES: Final = 64 * 1024
"""More than a file system keeps in a file's own entry."""
_SHARE: Final = "upload_room_percent"
_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})


@attrs.frozen(kw_only=True)
class DiskReservations:
    """
    The disk reservations of the running uploads of all processes; thread-safe.

    Attributes:
        most_of_one_percent: The percentage of the disk that one client may keep from others.
        elapsed_s: Returns the seconds of a clock that all processes of the machine share and that
            only goes forward.
    """

    ledger: RoomLedger
    most_of_one_percent: int
    elapsed_s: Callable[[], float] = time.monotonic

    @contextmanager
    def reserve(
        self, folder: Path, length: int | None, *, client: str
    ) -> Iterator["DiskReservation"]:
        """
        Reserve disk space for an upload within the block, while it arrives.

        Args:
            length: The size of the upload in bytes; None if the sender did not announce it.
            client: The organization or address that sends the upload; its share of the disk is
                limited.

        Raises:
            UnavailableError: There is not enough space.
        """
        reserved = DiskReservation(self, folder, length, client)
        reserved.begin()
        try:
            yield reserved
        finally:
            reserved.release()

    def is_scarce(self) -> bool:
        """Return whether a client within its share was refused disk space a moment ago."""
        with disk_errors_translated():
            refused_at_s = self.ledger.read().refused_at_s
        # They come back after a while, and a little later than told.
        return 0 <= self.elapsed_s() - refused_at_s < 2 * RETRY_AFTER_S

    def renew(
        self, owner: str, claim: Claim, folder: Path, *, needed_bytes: int
    ) -> None:
        """
        Renew the disk claim (reserved bytes) of an upload, cut down to the free space.

        Args:
            owner: The name under which the upload has its claim.
            needed_bytes: The least space with which the upload can go on.

        Raises:
            UnavailableError: There is too little space, or the folder is missing.
        """
        free = _free_bytes(folder)
        with disk_errors_translated(), self.ledger.change() as notes:
            now_s = claim.renewed_at_s
            notes.forget_old(now_s)
            shares = notes.shares(
                owner,
                claim.disk,
                free_bytes=free,
                most_of_one_percent=self.most_of_one_percent,
                now_s=now_s,
            )
            room = max(0, shares.room_of(claim.client))
            is_refused = room < needed_bytes
            if is_refused and _is_blocked(shares, claim.client, needed_bytes):
                notes.refused_at_s = now_s
            if not is_refused:
                ahead = min(claim.ahead_bytes, room)
                notes.claims[owner] = attrs.evolve(claim, ahead_bytes=ahead)
        if is_refused:
            REFUSALS.add(_SHARE)
            raise NoRoomError(
                "There is no room for this upload now; try again later.",
                retry_after_s=RETRY_AFTER_S,
            )

    def remove(self, owner: str) -> None:
        """Remove the disk claim of an upload, given the name under which the upload has it."""
        # What cannot be taken out lapses.
        with suppress(OSError), self.ledger.change() as notes:
            notes.claims.pop(owner, None)


class DiskReservation:
    """The disk space that one running upload still needs."""

    def __init__(
        self,
        reservations: DiskReservations,
        folder: Path,
        length: int | None,
        client: str,
    ) -> None:
        self._reservations = reservations
        self._folder = folder
        self._length = length
        self._client = client
        self._owner = secrets.token_hex(8)
        self._disk = 0
        self._checked_bytes = 0
        self._checked_at_s = 0.0
        self._is_held = False

    def begin(self) -> None:
        """
        Check whether the whole upload will fit, as far as its size is known, and claim space.

        Raises:
            UnavailableError: The upload does not fit.
        """
        with disk_errors_translated():
            self._disk = self._folder.stat().st_dev
        whole = CHECK_EVERY_BYTES if self._length is None else self._length
        self._renew(0, min(whole, CHECK_EVERY_BYTES), needed_bytes=whole)

    def received(self, count: int) -> None:
        """
        Note that the upload has received ``count`` bytes so far; check the disk now and then.

        Raises:
            UnavailableError: The disk is full.
        """
        waited_s = self._reservations.elapsed_s() - self._checked_at_s
        if (
            count - self._checked_bytes >= CHECK_EVERY_BYTES
            or waited_s >= CHECK_EVERY_S
        ):
            self.check(count)

    def check(self, count: int) -> None:
        """
        Check the disk, and claim space for the bytes that will arrive soon.

        Args:
            count: The number of bytes that have arrived so far.

        Raises:
            UnavailableError: The rest of the upload does not fit.
        """
        elapsed_s = self._reservations.elapsed_s() - self._checked_at_s
        bytes_per_s = (count - self._checked_bytes) / max(elapsed_s, CHECK_EVERY_S)
        # Unannounced: what may come until the next look.
        left = CHECK_EVERY_BYTES if self._length is None else self._length - count
        self._renew(
            count,
            min(left, int(bytes_per_s * SOON_S)),
            needed_bytes=min(left, CHECK_EVERY_BYTES),
        )

    def release(self) -> None:
        """Remove the upload's disk claim: everything has arrived, or nothing more will."""
        if self._is_held:
            self._reservations.remove(self._owner)
            self._is_held = False

    def _renew(self, count: int, ahead_bytes: int, *, needed_bytes: int) -> None:
        now_s = self._reservations.elapsed_s()
        claim = Claim(
            client=self._client,
            disk=self._disk,
            received_bytes=count,
            ahead_bytes=ahead_bytes,
            renewed_at_s=now_s,
        )
        self._reservations.renew(
            self._owner, claim, self._folder, needed_bytes=needed_bytes
        )
        self._is_held = True
        self._checked_bytes, self._checked_at_s = count, now_s


def _is_blocked(shares: DiskShares, client: str, needed_bytes: int) -> bool:
    # An upload that wants more than a share, or more than an empty disk has, makes
    # nothing scarce: others are not cut off for it.
    return shares.is_within_share(client, needed_bytes)


def refused_below_bytes(total_bytes: int) -> int:
    """
    Return the free space below which every upload is refused, in bytes.

    Args:
        total_bytes: The size of the disk.
    """
    return max(FREE_RESERVE_BYTES, int(total_bytes * FREE_RESERVE_SHARE))


def check_room(folder: Path) -> None:
    """
    Check that the disk has room for the smallest upload, and can be written.

    Raises:
        NoRoomError: Such an upload would be refused; the message says how much space must be free.
        UnavailableError: The disk does not work.
    """
    with disk_errors_translated():
        disk = shutil.disk_usage(folder)
    least = refused_below_bytes(disk.total)
    if disk.free <= least:
        raise NoRoomError(
            f"There is no room for uploads: {disk.free >> 20} MiB are free where they "
            f"arrive, and they are refused below {least >> 20} MiB. Free some space."
        )
    with disk_errors_translated():
        try_to_write(folder)


def try_to_write(folder: Path) -> None:
    """
    Write some bytes durably to a disk, and remove them.

    Raises:
        OSError: The bytes cannot be written, for example because the disk or the user's disk
            quota is full.
    """
    with tempfile.TemporaryFile(dir=folder) as file:
        file.write(bytes(TRIAL_BYTES))
        file.flush()
        os.fsync(file.fileno())


def _free_bytes(folder: Path) -> int:
    with disk_errors_translated():
        disk = shutil.disk_usage(folder)
    return disk.free - refused_below_bytes(disk.total)


@contextmanager
def disk_errors_translated() -> Iterator[None]:
    """
    Within the block, raise errors of the disk as UnavailableError.

    Raises:
        UnavailableError: The disk is full, or fails.
    """
    try:
        yield
    except OSError as exc:
        raise disk_failure(exc) from exc


def is_disk_full(exc: OSError) -> bool:
    """Return whether an error means that the disk or a disk quota is full."""
    return exc.errno in _FULL


def disk_failure(exc: OSError) -> UnavailableError:
    """Return the error to raise for an error of the disk: NoRoomError if it is full, else UnavailableError."""
    if is_disk_full(exc):
        return NoRoomError("There is no room on the disk for uploads; try again later.")
    return UnavailableError(
        "The disk for uploads does not work; try again later.", retry_after_s=60
    )
