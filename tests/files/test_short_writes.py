"""
A disk or a pipe may take fewer bytes than it was given, again and again.
"""

import os
from collections.abc import Callable
from io import FileIO
from pathlib import Path

import pytest

from hvcore.incoming.disk_space import DiskReservations
from hvcore.incoming.partial import PartialFile
from hvcore.incoming.room_ledger import RoomLedger
from hvcore.incoming.whole_files import ArrivingFile
from hvcore.spool import Spool, spool_files

BLOCKS = [b"0123456789\n", b"abc\n", b"de\n", b"ABCDEFG\n"]


class SlowFile(FileIO):
    """
    A file that takes three bytes at a time.
    """

    def write(self, data: object) -> int:
        return super().write(memoryview(data)[:3])  # type: ignore[arg-type] # bytes


def receive_parts(folder: Path) -> Path:
    path = folder / "file"
    with SlowFile(path, "w+") as file:
        partial = PartialFile(path=path, file=file)
        for block in BLOCKS:
            partial.append(block)
        assert partial.size_bytes == len(b"".join(BLOCKS))
    return path


def receive_whole(folder: Path) -> Path:
    path = folder / "file"
    ledger = RoomLedger(folder / "ledger")
    room = DiskReservations(ledger=ledger, most_of_one_percent=100)
    with room.reserve(folder, None, client="") as reserved, SlowFile(path, "w") as file:
        arriving = ArrivingFile(path, file, reserved)
        for block in BLOCKS:
            arriving.write(block)
        assert arriving.size_bytes == len(b"".join(BLOCKS))
    return path


def count(folder: Path) -> Path:
    spool = Spool(folder)
    for block in BLOCKS:
        assert spool.write(block, segments=1)
    assert not spool.owes
    (path,) = spool_files(folder)
    spool.close()
    return path


@pytest.mark.parametrize("write", [receive_parts, receive_whole, count])
def test_all_bytes_are_written_in_their_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Callable[[Path], Path]
) -> None:
    whole_write = os.write
    monkeypatch.setattr(os, "write", lambda to, data: whole_write(to, data[:3]))

    assert write(tmp_path).read_bytes() == b"".join(BLOCKS)
