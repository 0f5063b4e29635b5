"""
hv restore: what it restores, refuses and continues.
"""

import json
import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import attrs
import pytest

from hvcore import failpoints
from hvcore.assembly import build
from hvcore.domain.ids import VideoId
from hvcore.domain.tasks.kinds import VIDEO_PURGE
from hvcore.domain.videos.deletion import BinStay
from hvcore.domain.videos.states import VideoState
from hvcore.services.videos.bin_stays import LATE_WRITES_AFTER, order_purges
from hvcore.settings import load
from tests.cli.commands.data.stocked_folder import (
    OBJECTS,
    backup_rows,
    change_a_row,
    cut_off_end,
    store_objects,
    stored_rows,
)
from tests.cli.conftest import Hv
from tests.persistence.samples import fill_tenants, video
from tests.support.databases.filled_database import filled_database


@pytest.mark.parametrize("name", ["backup", "backup.tar"])
def test_everything_is_there_again_elsewhere(
    stocked: Hv, tmp_path: Path, name: str
) -> None:
    made = stocked("backup", name, "--objects", "--json")
    restored = stocked("--data", "other", "restore", name, "--json")

    assert (made.status, restored.status) == (0, 0), made.stderr + restored.stderr
    assert stored_rows(tmp_path / "other") == stored_rows(tmp_path / "hv-data")
    for path, data in OBJECTS.items():
        assert (tmp_path / "other" / "storage" / path).read_bytes() == data
    for secret in ("secrets.json", "first-keys.json"):
        there = tmp_path / "other" / secret
        assert there.read_bytes() == (tmp_path / "hv-data" / secret).read_bytes()
        assert there.stat().st_mode & 0o777 == 0o600
    assert json.loads(made.stdout)["objects"] == len(OBJECTS)
    assert json.loads(restored.stdout)["missingObjects"] == 0
    assert (tmp_path / name).stat().st_mode & 0o077 == 0
    left = {one.name for one in tmp_path.iterdir()}
    assert left == {"hv-data", "other", name}


@pytest.mark.services
def test_a_backup_goes_into_another_kind_of_database(
    stocked: Hv, tmp_path: Path, empty_postgresql: str
) -> None:
    assert stocked("backup", "backup").status == 0

    restored = stocked(
        "--data", "other", "restore", "backup", HV_DATABASE__URL=empty_postgresql
    )
    back = stocked(
        "--data", "other", "backup", "again", HV_DATABASE__URL=empty_postgresql
    )

    assert (restored.status, back.status) == (0, 0), restored.stderr + back.stderr
    assert backup_rows(tmp_path / "again") == backup_rows(tmp_path / "backup")


def test_objects_that_the_storage_lacks_are_told_with_their_videos(
    migrated: Hv, tmp_path: Path
) -> None:
    data = tmp_path / "hv-data"
    store_objects(data, {**OBJECTS, "media/vid_gone/job/1.m4s": b"purged"})
    settings = load(config_path=None, environ={}, data_dir=data).settings
    with build(settings, rings=False) as services:
        fill_tenants(services.engine)
        with services.uow.write() as work:
            work.videos.add(video(id=VideoId("vid_a")))
            gone = video(id=VideoId("vid_gone"), state=VideoState.DELETED)
            work.videos.add(attrs.evolve(gone, deleted_at=services.clock.now()))
            work.commit()
    assert migrated("backup", "backup").status == 0
    storage = tmp_path / "elsewhere"
    store_objects(storage, {**OBJECTS, "media/vid_b/job_b/1.m4s": b"later"})
    (storage / "storage" / "media/vid_a/job_a/video/1.m4s").write_bytes(b"cut")
    (storage / "storage" / "uploads/org_a/dev/up_a").unlink()

    restored = migrated(
        *("--data", "other", "restore", "backup", "--json"),
        HV_STORAGE__OPTIONS__URL=(storage / "storage").as_uri(),
    )

    told = json.loads(restored.stdout)
    assert told["missing"] == [
        "media/vid_a/job_a/video/1.m4s",
        "media/vid_gone/job/1.m4s",
        "uploads/org_a/dev/up_a",
    ]
    assert told["missingVideos"] == ["vid_a"]
    assert told["unlistedObjects"] == 1
    assert f"lacks 3 of {len(OBJECTS) + 1} objects" in restored.stderr


@pytest.mark.cases(2)
@pytest.mark.parametrize("cut_at", ["", "copy.checked", "copy.finished"])
def test_a_video_of_an_old_backup_stays_in_the_bin_for_as_long_as_it_had(
    migrated: Hv, tmp_path: Path, cut_at: str
) -> None:
    data = tmp_path / "hv-data"
    with build(load(config_path=None, environ={}, data_dir=data).settings) as services:
        fill_tenants(services.engine)
        taken_at = services.clock.now() - timedelta(days=2)
        for name, hours in (("vid_a", 17), ("vid_b", -1)):
            stay = BinStay(
                state=VideoState.READY, ends_at=taken_at + timedelta(hours=hours)
            )
            made = video(
                id=VideoId(name),
                state=VideoState.DELETED,
                deleted_at=stay.ends_at - timedelta(hours=20),
                bin_stay=stay,
            )
            with services.uow.write() as work:
                work.videos.add(made)
                order_purges(work, made)
                work.commit()
    assert migrated("backup", "backup").status == 0
    _date_back(tmp_path / "backup/backup.json", taken_at.isoformat())

    if cut_at:
        failpoints.arm(f"{cut_at}=raise*1")
        assert migrated("--data", "other", "restore", "backup").status == 1
        failpoints.arm("")
    restored = migrated("--data", "other", "restore", "backup", "--json")

    assert restored.status == 0, restored.stderr
    assert json.loads(restored.stdout)["binnedVideos"] == ["vid_a"]
    assert "1 videos were in the bin at the moment of the backup" in restored.stderr
    assert "hv videos deleted" in restored.stderr
    settings = load(config_path=None, environ={}, data_dir=tmp_path / "other").settings
    with build(settings) as services:
        services.erasure.sweep()
        with services.uow.read() as work:
            kept = work.videos.find(VideoId("vid_a"))
            purges = work.tasks.unended("vid_a", kind=VIDEO_PURGE)
        assert kept is not None
        assert kept.bin_stay is not None
        rest = kept.bin_stay.ends_at - services.clock.now()
        assert timedelta(hours=16, minutes=50) < rest < timedelta(hours=17)
        assert [task.not_before - kept.bin_stay.ends_at for task in purges] == [
            timedelta(),
            LATE_WRITES_AFTER,
        ]


@pytest.mark.usefixtures("backup")
def test_tables_of_plugins_that_are_not_chosen_are_named(hv: Hv) -> None:
    restored = hv("--data", "other", "restore", "backup", HV_QUEUE__BACKEND="rq")

    assert restored.status == 0
    assert "no plugin that is chosen has this table: hv_queue_messages" in (
        restored.stderr
    )


def _set_format(path: Path) -> None:
    path.write_text(json.dumps({"format": 2, "version": "9.9"}))


def _date_back(path: Path, taken_at: str) -> None:
    document = json.loads(path.read_text())
    path.write_text(json.dumps({**document, "created_at": taken_at}))


def _set_schema(path: Path) -> None:
    document = json.loads(path.read_text())
    path.write_text(json.dumps({**document, "schema_version": "0001"}))


def _lead_out(path: Path) -> None:
    document = json.loads(path.read_text())
    document["secrets"][0]["file"] = "../backup/secrets.json"
    path.write_text(json.dumps(document))


@pytest.mark.parametrize(
    ("file", "damage", "said"),
    [
        ("tables/videos.jsonl.gz", cut_off_end, "videos.jsonl.gz is damaged"),
        ("tables/videos.jsonl.gz", change_a_row, "videos.jsonl.gz is damaged"),
        ("tables/videos.jsonl.gz", Path.unlink, "videos.jsonl.gz cannot be read"),
        ("objects.jsonl.gz", cut_off_end, "objects.jsonl.gz is damaged"),
        ("secrets.json", cut_off_end, "secrets.json is damaged"),
        ("backup.json", cut_off_end, "backup.json is damaged"),
        ("backup.json", Path.unlink, "hv backup has not ended"),
        ("backup.json", _set_format, "written by a newer hvcore (9.9)"),
        ("backup.json", _set_schema, "(0001, here 00"),
        ("backup.json", _lead_out, "backup.json is damaged"),
    ],
)
def test_a_damaged_backup_makes_nothing(
    hv: Hv, backup: Path, file: str, damage: Callable[[Path], None], said: str
) -> None:
    damage(backup / file)

    restored = hv("--data", "other", "restore", "backup")

    assert (restored.status, said in restored.stderr) == (1, True), restored.stderr
    assert not Path("other").exists()


def test_nothing_that_is_there_is_replaced(
    stocked: Hv, backup: Path, tmp_path: Path
) -> None:
    assert backup.is_dir()
    before = stored_rows(tmp_path / "hv-data")

    twice = stocked("backup", "backup")
    into_itself = stocked("restore", "backup")
    same_database = stocked(
        *("--data", "other", "restore", "backup"),
        HV_DATABASE__URL=f"sqlite:///{tmp_path}/hv-data/hvcore.sqlite3",
    )

    assert [twice.status, into_itself.status, same_database.status] == [1, 1, 1]
    assert "is there already" in twice.stderr
    assert "is not empty" in into_itself.stderr
    assert "has records of a service already" in same_database.stderr
    assert stored_rows(tmp_path / "hv-data") == before


def test_a_backup_is_restored_beside_plugins_that_are_there_already(
    hv: Hv, backup: Path, tmp_path: Path
) -> None:
    assert backup.is_dir()
    plugin = tmp_path / "other" / "plugins" / "acme.py"
    plugin.parent.mkdir(parents=True)
    plugin.write_text("")

    restored = hv("--data", "other", "restore", "backup")

    assert restored.status == 0, restored.stderr
    assert plugin.is_file()
    assert (tmp_path / "other" / "secrets.json").is_file()


RESTORE_POINTS = (
    *("restore.marked", "copy.claimed", "copy.prepared", "copy.begun", "copy.page"),
    *("copy.checked", "copy.finished"),
)


@pytest.mark.cases(3)
@pytest.mark.parametrize("point", RESTORE_POINTS)
def test_a_restore_that_was_cut_off_goes_on(
    hv: Hv, backup: Path, tmp_path: Path, point: str
) -> None:
    _make_another(backup, tmp_path / "second")

    failpoints.arm(f"{point}=raise*1")
    cut = hv("--data", "other", "restore", "backup")
    failpoints.arm("")
    started = [hv("--data", "other", word) for word in ("migrate", "prepare", "doctor")]
    another = hv("--data", "other", "restore", "second")
    again = hv("--data", "other", "restore", "backup", "--json")

    assert [cut.status, another.status] == [1, 1]
    for one in started:
        assert (one.status, "has not ended" in one.stderr) == (1, True), one.stderr
    assert again.status == 0, again.stderr
    assert json.loads(again.stdout)["missingObjects"] == len(OBJECTS)
    assert stored_rows(tmp_path / "other") == filled_database().rows
    assert hv("--data", "other", "signing-keys", "list").status == 0


def test_a_restore_whose_mark_was_cut_off_goes_on(
    hv: Hv, backup: Path, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "restore-unfinished").touch()

    assert hv("--data", "other", "migrate").status == 1
    assert hv("--data", "other", "restore", "backup").status == 0
    assert backup.is_dir()


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
@pytest.mark.services
def test_no_other_machine_starts_on_a_database_that_is_being_restored(
    hv: Hv, backup: Path, tmp_path: Path, empty_postgresql: str, kind: str
) -> None:
    url = f"sqlite:///{tmp_path}/shared.sqlite3"
    environ = {"HV_DATABASE__URL": empty_postgresql if kind == "postgresql" else url}

    failpoints.arm("copy.claimed=raise*1")
    cut = hv("--data", "other", "restore", "backup", **environ)
    failpoints.arm("")
    elsewhere = hv("--data", "elsewhere", "prepare", **environ)
    again = hv("--data", "other", "restore", "backup", **environ)

    assert (cut.status, elsewhere.status, again.status) == (1, 1, 0), again.stderr
    assert "unfinished copy" in elsewhere.stderr
    assert backup.is_dir()


def _make_another(backup: Path, other: Path) -> None:
    shutil.copytree(backup, other)
    document = json.loads((other / "backup.json").read_text())
    (other / "backup.json").write_text(json.dumps({**document, "id": "another"}))
