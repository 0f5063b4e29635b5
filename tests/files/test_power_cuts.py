"""
Files that outlive a power cut: each is written through to the disk, in whole, before it is relied on.
"""

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from hvcore.domain.ids import GrantId
from hvcore.files.atomic_files import create_file, replace_file
from hvcore.incoming.disk_space import TRIAL_BYTES, DiskReservations, try_to_write
from hvcore.incoming.partial import PARTIAL_PREFIX, PartialFiles
from hvcore.incoming.room_ledger import RoomLedger
from hvcore.incoming.whole_files import arriving_file
from hvcore.spool import put_aside, remove

UPLOAD = GrantId("up_" + "0" * 22)
WrittenThrough: TypeAlias = "int | set[str]"
"""The size of a file, or the names in a folder, at the moment of an ``fsync``."""


def replace(folder: Path) -> None:
    replace_file(folder / "file", "text")


def create(folder: Path) -> None:
    create_file(folder / "file", "text")


def receive_a_part(folder: Path) -> None:
    with PartialFiles(folder=folder).hold(UPLOAD) as file:
        file.append(b"part")
        file.sync()


def receive_all(folder: Path) -> None:
    ledger = RoomLedger(folder.parent / "ledger")
    room = DiskReservations(ledger=ledger, most_of_one_percent=100)
    with (
        room.reserve(folder, 4, client="") as reserved,
        arriving_file(folder, reserved) as file,
    ):
        file.write(b"body")
        file.finish()


def remove_counts(folder: Path) -> None:
    (folder / "a.log").touch()
    remove(folder / "a.log")


def put_counts_aside(folder: Path) -> None:
    (folder / "a.log").touch()
    put_aside(folder / "a.log", ".bad")


@pytest.mark.parametrize(
    ("work", "expected"),
    [
        (replace, [len("text")]),
        (create, [len("text")]),
        (receive_a_part, [len(b"part"), {f"{PARTIAL_PREFIX}{UPLOAD}"}]),
        (receive_all, [len(b"body")]),
        (try_to_write, [TRIAL_BYTES]),
        (remove_counts, [set()]),
        (put_counts_aside, [{"a.bad"}]),
    ],
)
def test_a_file_and_its_name_are_written_through(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    work: Callable[[Path], None],
    expected: list[WrittenThrough],
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    found: list[WrittenThrough] = []

    def fsync(descriptor: int) -> None:
        now = os.fstat(descriptor)
        names = stat.S_ISDIR(now.st_mode) and set(os.listdir(descriptor))
        found.append(now.st_size if names is False else names)

    monkeypatch.setattr(os, "fsync", fsync)

    work(folder)

    assert found == expected
