"""
hv backup: what it writes, verifies and keeps.
"""

import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from hvcore import failpoints
from hvcore.services.backups.new_backup import new_backup
from tests.cli.commands.data.stocked_folder import cut_off_end
from tests.cli.conftest import Hv


def test_objects_of_a_store_are_not_copied(stocked: Hv) -> None:
    made = stocked(
        "backup", "backup", "--objects", HV_STORAGE__OPTIONS__URL="memory://videos"
    )

    assert (made.status, "versioning" in made.stderr) == (1, True), made.stderr
    # The same name can be given again.
    assert not Path("backup").exists()


def test_what_is_not_in_a_backup_is_said(stocked: Hv) -> None:
    made = stocked("backup", "backup", HV_PLAYBACK__SIGNING_KEY="k" * 40)

    assert "objects themselves are not in it" in made.stderr
    assert "playback.signing_key" in made.stderr
    assert "k" * 40 not in made.stdout + made.stderr


@pytest.mark.parametrize("name", ["backup", "backup.tar"])
def test_a_whole_backup_is_verified(stocked: Hv, name: str) -> None:
    assert stocked("backup", name, "--objects").status == 0

    outcome = stocked("backup", "--verify", name)

    assert (outcome.status, "is whole" in outcome.stderr) == (0, True), outcome.stderr


@pytest.mark.parametrize(
    ("file", "damage"),
    [
        ("tables/videos.jsonl.gz", cut_off_end),
        ("objects.jsonl.gz", cut_off_end),
        ("secrets.json", Path.unlink),
        ("objects/uploads/org_a/dev/up_a", Path.unlink),
        ("objects/media/vid_a/job_a/video/1.m4s", partial(Path.write_bytes, data=b"")),
        ("backup.json", Path.unlink),
    ],
)
def test_a_damaged_backup_is_not_verified(
    stocked: Hv, tmp_path: Path, file: str, damage: Callable[[Path], object]
) -> None:
    assert stocked("backup", "backup", "--objects").status == 0
    place = tmp_path / "backup" / file
    # Objects are links of what is stored.
    data = place.read_bytes()
    place.unlink()
    place.write_bytes(data)
    damage(place)

    outcome = stocked("backup", "--verify", "backup")

    assert outcome.status == 1
    said = ("use another backup", "cannot be read", "it is no backup")
    assert any(text in outcome.stderr for text in said)


def test_the_newest_backups_are_kept(stocked: Hv, tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    (folder / "photos").mkdir(parents=True)
    left = folder / ".hv-20200101T000000.000000Z.abc.unfinished"
    left.mkdir()
    os.utime(left, (0, 0))
    made = []
    for _ in range(3):
        outcome = stocked("backup", "kept", "--keep", "2")
        assert outcome.status == 0, outcome.stderr
        made += [one.name for one in folder.iterdir() if one.name not in made]

    there = sorted(one.name for one in folder.iterdir())
    assert there == sorted([*[n for n in made if n.startswith("hv-")][1:], "photos"])
    assert stocked("backup", "--verify", "kept").status == 0


def test_a_backup_that_fails_removes_no_older_one(stocked: Hv, tmp_path: Path) -> None:
    assert stocked("backup", "kept", "--keep", "1").status == 0
    before = sorted(one.name for one in (tmp_path / "kept").iterdir())

    failpoints.arm("backup.written=raise*1")
    failed = stocked("backup", "kept", "--keep", "1")
    failpoints.arm("")

    assert failed.status == 1
    assert sorted(one.name for one in (tmp_path / "kept").iterdir()) == before


def test_backups_that_are_begun_together_leave_a_whole_one(
    stocked: Hv, tmp_path: Path
) -> None:
    command = [
        sys.executable,
        "-m",
        "hvcore_cli",
        "--data",
        "hv-data",
        "backup",
        "b/one",
    ]
    started = [
        subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE)
        for _ in range(3)
    ]

    said = [process.communicate(timeout=60)[1].decode() for process in started]

    statuses = sorted(process.returncode for process in started)
    assert statuses == [0, 1, 1], said
    for text in said:
        assert any(part in text for part in ("Another hv", "is there", " rows of ")), (
            text
        )
    assert [one.name for one in (tmp_path / "b").iterdir()] == ["one"]
    assert stocked("--data", "other", "restore", "b/one").status == 0


@pytest.mark.parametrize("name", ["b/one", "b/one.tar"])
def test_a_backup_that_is_cut_off_leaves_nothing_at_its_name(
    stocked: Hv, tmp_path: Path, name: str
) -> None:
    failpoints.arm("backup.written=raise*1")
    cut = stocked("backup", name)
    failpoints.arm("")

    assert cut.status == 1
    assert list((tmp_path / "b").iterdir()) == []
    assert stocked("backup", name).status == 0


def test_a_second_backup_does_not_touch_the_first(stocked: Hv, tmp_path: Path) -> None:
    with new_backup(tmp_path / "b" / "one") as begun:
        (begun / "file").write_text("begun")
        second = stocked("backup", "b/one")
        assert (second.status, "Another hv backup" in second.stderr) == (1, True)
        assert (begun / "file").read_text() == "begun"

    assert (tmp_path / "b" / "one" / "file").read_text() == "begun"
