"""
Uploads are refused in time: before the disk is full, and when it cannot be written.
"""

import errno
import os
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from hvcore.errors import NoRoomError, UnavailableError
from hvcore.incoming.disk_space import (
    FREE_RESERVE_BYTES,
    check_room,
    refused_below_bytes,
)

SMALL_DISK = FREE_RESERVE_BYTES
LARGE_DISK = 200 * FREE_RESERVE_BYTES


def set_disk(monkeypatch: pytest.MonkeyPatch, total: int, free: int) -> None:
    disk = SimpleNamespace(total=total, free=free)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: disk)


@pytest.mark.parametrize(
    ("total", "least"),
    [(SMALL_DISK, FREE_RESERVE_BYTES), (LARGE_DISK, 2 * FREE_RESERVE_BYTES)],
)
def test_a_part_of_each_disk_is_left_to_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, total: int, least: int
) -> None:
    assert refused_below_bytes(total) == least

    set_disk(monkeypatch, total, least + 1)
    check_room(tmp_path)
    set_disk(monkeypatch, total, least)
    with pytest.raises(NoRoomError, match=f"{least >> 20} MiB are free"):
        check_room(tmp_path)


@pytest.mark.parametrize(
    ("number", "error", "says"),
    [
        (errno.ENOSPC, NoRoomError, "no room"),
        (errno.EDQUOT, NoRoomError, "no room"),
        (errno.EIO, UnavailableError, "does not work"),
        (errno.EROFS, UnavailableError, "does not work"),
    ],
)
def test_a_disk_with_space_that_cannot_be_written_has_no_room(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    number: int,
    error: type[UnavailableError],
    says: str,
) -> None:
    def fsync(_: int) -> None:
        raise OSError(number, os.strerror(number))

    set_disk(monkeypatch, SMALL_DISK, LARGE_DISK)
    monkeypatch.setattr(os, "fsync", fsync)

    with pytest.raises(UnavailableError, match=says) as refused:
        check_room(tmp_path)

    assert type(refused.value) is error
