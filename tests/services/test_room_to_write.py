"""
Room to write is tried now and then, for all processes of a host together.
"""

import fcntl
from pathlib import Path

import attrs
import pytest

from hvcore.errors import NoRoomError, UnavailableError
from hvcore.services.room_to_write import TRIED_EVERY_S, RoomToWrite


@attrs.define
class Disk:
    """
    A disk, and how often something was tried on it.
    """

    note: Path
    is_full: bool = False
    trials: int = 0
    now_s: float = 1000.0

    def process(self) -> RoomToWrite:
        """
        Return what one more process of the host has.
        """
        return RoomToWrite(
            trials=[self.try_it], note=self.note, elapsed_s=lambda: self.now_s
        )

    def try_it(self) -> None:
        self.trials += 1
        if self.is_full:
            raise NoRoomError("There is no room: 3 MiB are left.")


@pytest.fixture
def disk(tmp_path: Path) -> Disk:
    return Disk(tmp_path / "note")


def test_a_host_tries_to_write_once_in_half_a_minute(disk: Disk) -> None:
    processes = [disk.process() for _ in range(3)]

    for process in processes * 3:
        process.check()
    assert disk.trials == 1

    disk.is_full = True
    disk.now_s += TRIED_EVERY_S
    for process in processes * 3:
        with pytest.raises(NoRoomError, match="3 MiB"):
            process.check()
    assert disk.trials == 2


def test_room_that_was_made_is_found(disk: Disk) -> None:
    disk.is_full = True
    process = disk.process()
    with pytest.raises(NoRoomError, match="3 MiB are left"):
        process.check()

    disk.is_full = False
    disk.now_s += TRIED_EVERY_S
    process.check()


def test_a_disk_too_full_for_the_note_is_told_all_the_same(tmp_path: Path) -> None:
    disk = Disk(tmp_path / "missing" / "note", is_full=True)
    process = disk.process()

    for _ in range(3):
        with pytest.raises(NoRoomError, match="3 MiB are left"):
            process.check()

    assert disk.trials == 1


def test_a_process_that_froze_while_it_tried_holds_up_nobody(disk: Disk) -> None:
    disk.process().check()
    disk.is_full = True
    with disk.note.open("rb") as frozen:
        fcntl.flock(frozen, fcntl.LOCK_EX)
        disk.now_s += TRIED_EVERY_S
        disk.process().check()
        disk.now_s += TRIED_EVERY_S

        with pytest.raises(NoRoomError, match="3 MiB are left"):
            disk.process().check()


def test_a_note_of_a_process_that_was_killed_is_tried_anew(disk: Disk) -> None:
    disk.note.write_bytes(b'{"tried_at_s": 10')
    disk.is_full = True

    with pytest.raises(NoRoomError, match="3 MiB are left"):
        disk.process().check()


def test_a_trial_that_nobody_answers_says_nothing_of_room(disk: Disk) -> None:
    def is_away() -> None:
        raise UnavailableError

    process = attrs.evolve(disk.process(), trials=[is_away, disk.try_it])
    process.check()
    assert disk.trials == 1
