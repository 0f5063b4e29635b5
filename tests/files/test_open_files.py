"""
Code that opens files by their descriptors, which nobody else closes.
"""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from hvcore.domain.ids import GrantId
from hvcore.files.changes_file import CHANGES_BYTES, ChangesFile
from hvcore.incoming.cleaning import remove_abandoned
from hvcore.incoming.partial import PartialFiles
from hvcore.incoming.room_ledger import RoomLedger
from hvcore.incoming.whole_files import INCOMING_PREFIX
from hvcore.services.playback.changes import PlaybackChanges
from hvcore.services.room_to_write import RoomToWrite
from hvcore.spool import Spool, reading, spool_files


def open_below(folder: Path) -> list[Path]:
    """
    Find the open files of a folder, itself included; other threads have others.
    """
    found = []
    for descriptor in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):
            found.append(descriptor.readlink())
    return [path for path in found if path.is_relative_to(folder)]


def publish_a_change(folder: Path) -> None:
    (folder / "changes").write_bytes(b"x" * CHANGES_BYTES)
    PlaybackChanges(file=folder / "changes").publish()


def look_for_changes(folder: Path) -> None:
    # Half made by a process that was killed, then whole.
    (folder / "changes").write_bytes(b"")
    for _ in range(2):
        assert ChangesFile(folder / "changes").latest()


def count_and_read(folder: Path) -> None:
    for _ in range(2):
        own = Spool(folder)
        own.write(b"x\n", segments=1)
        own.close()
    first, second = spool_files(folder)
    reading.remove(first)
    reading.put_aside(second, ".bad")


def receive_in_pieces(folder: Path) -> None:
    with PartialFiles(folder=folder).hold(GrantId("up_" + "0" * 22)) as file:
        file.append(b"piece")
        file.sync()


def clean_up(folder: Path) -> None:
    (folder / f"{INCOMING_PREFIX}0").write_bytes(b"half")
    assert remove_abandoned(folder) == 1


def share_room(folder: Path) -> None:
    RoomLedger(folder / "ledger").read()


def try_for_room(folder: Path) -> None:
    for _ in range(2):
        RoomToWrite(trials=[], note=folder / "note").check()


@pytest.mark.parametrize(
    "work",
    [
        *(publish_a_change, look_for_changes, count_and_read),
        *(receive_in_pieces, clean_up, share_room, try_for_room),
    ],
)
def test_no_file_stays_open(tmp_path: Path, work: Callable[[Path], None]) -> None:
    work(tmp_path)

    assert open_below(tmp_path) == []
