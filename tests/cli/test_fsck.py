"""
hv fsck, without a running service.
"""

import json
import os
from pathlib import Path

from tests.cli.conftest import Hv

FOLDER = Path("hv-data", "storage", "media", "vid_" + "0" * 22, "job_1")


def leave_a_folder(tmp_path: Path, *, days: int) -> Path:
    """
    Leave a folder of no video that was written some days ago.
    """
    folder = tmp_path / FOLDER
    folder.mkdir(parents=True)
    file = folder / "0.m4s"
    file.write_bytes(b"whose")
    then = file.stat().st_mtime - days * 86_400
    os.utime(file, (then, then))
    return file


def test_nothing_is_wrong_with_a_new_service(migrated: Hv) -> None:
    outcome = migrated("fsck")

    assert (outcome.status, outcome.stdout) == (0, "")
    assert "Nothing is wrong." in outcome.stderr


def test_a_finding_is_a_line_and_says_what_would_be_done(
    migrated: Hv, tmp_path: Path
) -> None:
    file = leave_a_folder(tmp_path, days=8)

    outcome = migrated("fsck")

    assert outcome.status == 1
    first, second = outcome.stdout.splitlines()
    assert first.startswith(
        f"folder-without-video: {FOLDER.parts[3]}: Files of a video"
    )
    assert second.strip() == "--repair would remove them"
    assert file.exists()


def test_a_repair_says_each_step_before_and_after(migrated: Hv, tmp_path: Path) -> None:
    file = leave_a_folder(tmp_path, days=8)

    outcome = migrated("fsck", "--repair")

    assert outcome.status == 0
    _, before, after = (line.strip() for line in outcome.stdout.splitlines())
    assert (before, after) == ("now: remove them", "done: 1 files are removed")
    assert not file.exists()
    assert migrated("fsck").status == 0


def test_the_grace_period_can_be_chosen(migrated: Hv, tmp_path: Path) -> None:
    leave_a_folder(tmp_path, days=2)

    assert migrated("fsck").status == 0
    assert migrated("fsck", "--grace", "1d").status == 1


def test_the_findings_are_one_document(migrated: Hv, tmp_path: Path) -> None:
    leave_a_folder(tmp_path, days=8)

    outcome = migrated("fsck", "--json")

    document = json.loads(outcome.stdout)
    (damage,) = document["damages"]
    assert (document["videos"], document["left"]) == (0, 1)
    assert damage["kind"] == "folder-without-video"
    assert damage["path"] == "/".join(FOLDER.parts[2:4])
    assert (damage["repair"], damage["outcome"]) == ("remove them", None)


def test_nothing_is_given_up_without_saying_of_whom(migrated: Hv) -> None:
    outcome = migrated("fsck", "--repair", "--give-up")

    assert outcome.status == 2
    assert "--org or --video" in outcome.stderr


def test_a_video_that_there_is_not_is_a_message(migrated: Hv) -> None:
    outcome = migrated("fsck", "--video", "vid_" + "1" * 22)

    assert outcome.status == 1
    assert outcome.stderr.startswith("Error: ")


def test_personal_is_no_option_beside_repair(migrated: Hv) -> None:
    outcome = migrated("fsck", "--personal", "vid_" + "1" * 22, "--repair")

    assert outcome.status == 2
    assert "stands alone" in outcome.stderr
