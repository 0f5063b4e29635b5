"""
Record the disk space that running uploads soon need, for all processes of a machine.

A claim is the space that one upload reserves. It follows the pace of its sender and
lapses when nothing arrives: an announcement alone reserves nothing.
"""

import fcntl
import json
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import attrs

LAPSES_AFTER_S: Final = 10.0
"""Of a claim that is not renewed; a process renews the claims of its senders every second."""
FORGOTTEN_AFTER_S: Final = 60.0
"""Then its process has died, or its sender was cut off."""


@attrs.frozen(kw_only=True)
class Claim:
    """
    A claim on disk space: the bytes of one upload that are on the disk, and those that it will soon need.

    Attributes:
        client: The organization or address against whose share the bytes count.
        disk: The device number of the disk.
        received_bytes: The number of bytes that are on the disk already.
        ahead_bytes: The number of bytes still to come that are reserved.
        renewed_at_s: When the claim was renewed, by the machine's clock that only goes
            forward.
    """

    client: str
    disk: int
    received_bytes: int
    ahead_bytes: int
    renewed_at_s: float

    def ahead_at(self, now_s: float) -> int:
        """
        Return the number of bytes still reserved at a time; 0 once the claim has lapsed.

        Args:
            now_s: The present time of the machine's clock that only goes forward, in
                seconds.
        """
        # Of a time before the last start of the machine, it is ahead of now.
        is_live = abs(now_s - self.renewed_at_s) <= LAPSES_AFTER_S
        return self.ahead_bytes if is_live else 0


@attrs.frozen(kw_only=True)
class DiskShares:
    """
    The free space of a disk, and the other uploads' claims on it, by which one upload's share is calculated.

    Attributes:
        free_bytes: The number of bytes that may still be written.
        received: The received bytes of running uploads, by client.
        ahead: The bytes that the other uploads have reserved, by client.
        most_of_one_percent: The percentage that one client may hold, of the space that would
            be free without running uploads.
    """

    free_bytes: int
    received: Counter[str]
    ahead: Counter[str]
    most_of_one_percent: int

    @property
    def most_of_one_bytes(self) -> int:
        """The most bytes of the disk that the uploads of one client may keep from other clients."""
        # Not a part of what is free now: that shrinks with all that comes in.
        total = self.free_bytes + self.received.total()
        return total * self.most_of_one_percent // 100

    def room_of(self, client: str) -> int:
        """
        Return the number of bytes that a client may use, beside the claims of all other uploads.

        Other clients' claims count as far as their share goes.
        """
        most = self.most_of_one_bytes
        claimed = sum(
            wanted
            if other == client
            else min(wanted, max(0, most - self.received[other]))
            for other, wanted in self.ahead.items()
        )
        return self.free_bytes - claimed

    def is_within_share(self, client: str, more_bytes: int) -> bool:
        """Return whether a client's uploads, with ``more_bytes`` more, would hold no more than the client's share of the disk."""
        has = self.received[client] + self.ahead[client]
        return has + more_bytes <= self.most_of_one_bytes


@attrs.define
class RoomEntries:
    """
    The content of the ledger of disk space: the uploads' claims, and the time of the last refusal.

    Attributes:
        claims: The claims, by the random name that each upload has.
        refused_at_s: When an upload of a client within its share was last refused, by the
            machine's clock that only goes forward.
    """

    claims: dict[str, Claim] = attrs.field(factory=dict)
    refused_at_s: float = float("-inf")

    def shares(
        self,
        owner: str,
        disk: int,
        *,
        free_bytes: int,
        most_of_one_percent: int,
        now_s: float,
    ) -> DiskShares:
        """
        Return the free space of a disk and the other uploads' claims on it, for one upload.

        Args:
            owner: The name of the upload, whose own reserved bytes are left out.
            disk: The device number of the disk.
            now_s: The present time of the machine's clock that only goes forward, in
                seconds.
        """
        here = {name: one for name, one in self.claims.items() if one.disk == disk}
        received, ahead = Counter[str](), Counter[str]()
        for name, claim in here.items():
            received[claim.client] += claim.received_bytes
            if name != owner:
                ahead[claim.client] += claim.ahead_at(now_s)
        return DiskShares(
            free_bytes=free_bytes,
            received=received,
            ahead=ahead,
            most_of_one_percent=most_of_one_percent,
        )

    def forget_old(self, now_s: float) -> None:
        """Remove the claims that no upload has renewed for a while, because their uploads have ended."""
        self.claims = {
            name: claim
            for name, claim in self.claims.items()
            if abs(now_s - claim.renewed_at_s) <= FORGOTTEN_AFTER_S
        }


@attrs.frozen
class RoomLedger:
    """The file that records the disk claims of all processes; thread-safe."""

    path: Path

    @contextmanager
    def change(self) -> Iterator[RoomEntries]:
        """
        Within the block, yield the ledger's claims on disk space to be changed; write them back at its end.

        Raises:
            OSError: The ledger's file cannot be used.
        """
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            # Not every network folder has locks; one of a machine's own does.
            with suppress(OSError):
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            entries = _read(descriptor)
            yield entries
            _write(descriptor, entries)
        finally:
            os.close(descriptor)

    def read(self) -> RoomEntries:
        """
        Return the ledger's claims on disk space, and the time of the last refusal.

        Raises:
            OSError: The ledger's file cannot be used.
        """
        with self.change() as entries:
            return entries


def _read(descriptor: int) -> RoomEntries:
    data = os.pread(descriptor, os.fstat(descriptor).st_size, 0)
    try:
        found = json.loads(data)
        claims = {name: Claim(**fields) for name, fields in found["claims"].items()}
        return RoomEntries(claims, found["refused_at_s"])
    except (ValueError, TypeError, KeyError, AttributeError):
        # New, or of a process that was killed; each upload writes its own again.
        return RoomEntries()


def _write(descriptor: int, entries: RoomEntries) -> None:
    data = json.dumps(attrs.asdict(entries)).encode()
    os.pwrite(descriptor, data, 0)
    os.ftruncate(descriptor, len(data))
