"""
hv fsck, without a running service.
"""

import json
import os
from pathlib import Path

import attrs
import pytest

from hvcore.assembly import build
from hvcore.domain.ids import VideoId
from hvcore.domain.videos.states import VideoState
from hvcore.settings import load
from tests.cli.conftest import Hv
from tests.persistence.samples import fill_tenants, video

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


def keep_a_video(tmp_path: Path) -> Path:
    """
    Store a file of a video that the database knows.
    """
    video_id = VideoId("vid_" + "1" * 22)
    data = tmp_path / "hv-data"
    settings = load(config_path=None, environ={}, data_dir=data).settings
    with build(settings, rings=False) as services:
        fill_tenants(services.engine)
        with services.uow.write() as work:
            made = video(id=video_id, state=VideoState.DELETED)
            work.videos.add(attrs.evolve(made, deleted_at=services.clock.now()))
            work.commit()
        services.recount()
    file = data / "storage" / "media" / video_id / "job_1" / "0.m4s"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"known")
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
    assert second.strip().startswith("--repair would put them in quarantine")
    assert file.exists()


def test_a_repair_says_each_step_before_and_after(migrated: Hv, tmp_path: Path) -> None:
    keep_a_video(tmp_path)
    file = leave_a_folder(tmp_path, days=8)

    outcome = migrated("fsck", "--repair")

    assert outcome.status == 0, outcome.stderr
    _, before, after = (line.strip() for line in outcome.stdout.splitlines())
    assert before.startswith("now: put them in quarantine")
    assert after == "done: 1 files are in quarantine"
    assert not file.exists()
    assert migrated("fsck").status == 0


def test_what_a_repair_removes_can_be_brought_back_for_a_week(
    migrated: Hv, tmp_path: Path
) -> None:
    keep_a_video(tmp_path)
    file = leave_a_folder(tmp_path, days=8)
    migrated("fsck", "--repair")

    outcome = migrated("fsck", "--bring-back")

    assert (outcome.status, "1 files are" in outcome.stderr) == (0, True)
    assert file.read_bytes() == b"whose"


def test_a_database_that_knows_few_of_the_stored_videos_repairs_nothing(
    migrated: Hv, tmp_path: Path
) -> None:
    file = leave_a_folder(tmp_path, days=8)

    empty = migrated("fsck", "--repair")
    known = keep_a_video(tmp_path)
    another = known.parents[1].with_name("vid_" + "2" * 22)
    another.mkdir()
    (another / "0.m4s").write_bytes(b"whose")
    old = migrated("fsck", "--repair")
    of_an_organization = migrated("fsck", "--repair", "--org", "org_a")

    assert [empty.status, old.status, of_an_organization.status] == [1, 1, 1]
    assert "1 videos, and the database knows 0 of them" in empty.stderr
    assert "3 videos, and the database knows 1 of them" in old.stderr
    assert file.exists()
    # A look is allowed, and so is a repair of one video that is named.
    assert "folder-without-video" in migrated("fsck").stdout
    assert migrated("fsck", "--repair", "--video", FOLDER.parts[3]).status == 0
    assert not file.exists()


def test_a_storage_of_another_installation_is_not_repaired(
    migrated: Hv, tmp_path: Path
) -> None:
    keep_a_video(tmp_path)
    assert migrated("fsck", "--repair").status == 0
    assert migrated("fsck", "--repair").status == 0
    (tmp_path / "hv-data" / "storage" / "installation" / "id").write_text("another")
    file = leave_a_folder(tmp_path, days=8)

    outcome = migrated("fsck", "--repair")

    assert (outcome.status, "installation another" in outcome.stderr) == (1, True)
    assert migrated("fsck", "--repair", "--video", FOLDER.parts[3]).status == 1
    assert file.exists()


def test_a_database_that_knows_few_of_the_stored_uploads_repairs_nothing(
    migrated: Hv, tmp_path: Path
) -> None:
    file = tmp_path / "hv-data" / "storage" / "uploads" / "org_a" / "env_a" / "up_1"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"whose")
    os.utime(file, (0, 0))

    outcome = migrated("fsck", "--repair")

    assert (outcome.status, "1 uploads" in outcome.stderr) == (1, True)
    assert file.exists()


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
    assert "quarantine" in damage["repair"]
    assert damage["outcome"] is None


def test_nothing_is_given_up_without_saying_of_whom(migrated: Hv) -> None:
    outcome = migrated("fsck", "--repair", "--give-up")

    assert outcome.status == 2
    assert "--org or --video" in outcome.stderr


def test_a_video_that_there_is_not_is_a_message(migrated: Hv) -> None:
    outcome = migrated("fsck", "--video", "vid_" + "1" * 22)

    assert outcome.status == 1
    assert outcome.stderr.startswith("Error: ")


BESIDE = [
    *(("--org", "org_a"), ("--hashes",), ("--repair",), ("--give-up",)),
    *(("--grace", "1d"),),
]


@pytest.mark.parametrize("words", BESIDE, ids=" ".join)
@pytest.mark.parametrize(
    "alone", [("--personal", "vid_" + "1" * 22), ("--bring-back",)]
)
def test_some_options_stand_alone(
    hv: Hv, alone: tuple[str, ...], words: tuple[str, ...]
) -> None:
    outcome = hv("fsck", *alone, *words)

    assert outcome.status == 2
    assert "stands alone" in outcome.stderr


def test_files_of_one_video_are_brought_back(migrated: Hv, tmp_path: Path) -> None:
    keep_a_video(tmp_path)
    file = leave_a_folder(tmp_path, days=8)
    migrated("fsck", "--repair")

    other = migrated("fsck", "--bring-back", "--video", "vid_" + "1" * 22)
    stays = file.exists()
    own = migrated("fsck", "--bring-back", "--video", FOLDER.parts[3])

    assert ("0 files are" in other.stderr, stays) == (True, False)
    assert ("1 files are" in own.stderr, file.exists()) == (True, True)


def test_a_repair_says_how_many_damages_are_left(migrated: Hv, tmp_path: Path) -> None:
    keep_a_video(tmp_path)
    leave_a_folder(tmp_path, days=8)

    look, repair = migrated("fsck"), migrated("fsck", "--repair", "--json")

    (record,) = json.loads(repair.stdout)["damages"]
    assert "1 found, 0 repaired or ordered." in look.stderr
    assert "1 found, 1 repaired or ordered." in repair.stderr
    assert record["outcome"] == "1 files are in quarantine"
    assert (record["givesUp"], record["whyNot"]) == (False, None)
