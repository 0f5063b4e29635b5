"""
A spool on a disk that takes nothing.
"""

import logging
from pathlib import Path

import pytest

from hvcore.spool.writing import Spool


def test_an_outage_of_the_disk_is_told_once_and_its_end_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "spool"
    folder.touch()
    spool = Spool(folder)

    with caplog.at_level(logging.WARNING):
        assert all(spool.write(b"line\n", segments=1) for _ in range(3))
        spool.write_owed()
        folder.unlink()
        folder.mkdir()
        spool.write_owed()
        spool.write(b"line\n", segments=1)

    assert [line.message for line in caplog.records] == [
        "served segments cannot be written down; trying again",
        "served segments are written down again",
    ]
    (file,) = folder.iterdir()
    assert file.read_bytes().count(b"line\n") == 4
    spool.close()
