"""
hv backup and hv restore.
"""

import gzip
import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from io import BytesIO
from pathlib import Path

import attrs
import pytest
import sqlalchemy as sa

from hvcore import failpoints
from hvcore.assembly import Services, build
from hvcore.domain.ids import VideoId, new_video_id
from hvcore.domain.media_paths import media_prefix, media_root
from hvcore.domain.videos.states import VideoState
from hvcore.persistence.engine import make_engine
from hvcore.persistence.tables import leaders, videos
from hvcore.ports.storage import ObjectInfo
from hvcore.services.backups.new_backup import new_backup
from hvcore.services.backups.object_copies import copy_objects
from hvcore.services.backups.object_list import PREFIXES, ListedObject
from hvcore.settings import load
from hvcore.testing.fakes import MemoryStorage
from hvcore_cli.main import run
from tests.cli.conftest import Hv
from tests.persistence.samples import fill_tenants, media, video
from tests.support.databases.filled_database import contents, filled_database
from tests.support.live import until
from tests.support.servers import PostgresqlServer

OBJECTS: Mapping[str, bytes] = {
    "media/vid_a/job_a/master.m3u8": b"#EXTM3U",
    "media/vid_a/job_a/video/1.m4s": b"moof",
    "uploads/org_a/dev/up_a": b"source",
}
PUBLISHED = ("master.m3u8", "p0/a1/1.m4s")


@pytest.fixture
def stocked(hv: Hv, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hv:
    """
    A service with rows in every table, and some objects.
    """
    monkeypatch.setenv("HV_QUEUE__BACKEND", "sql")
    _stock(tmp_path / "hv-data")
    return hv


@pytest.fixture(scope="module")
def _backup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("backup")
    _stock(folder / "data")
    words = ["--data", str(folder / "data"), "backup", str(folder / "backup")]
    assert run(words) == 0
    return folder / "backup"


@pytest.fixture
def backup(_backup: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """
    A backup of such a service.
    """
    monkeypatch.setenv("HV_QUEUE__BACKEND", "sql")
    return Path(shutil.copytree(_backup, tmp_path / "backup"))


@pytest.mark.parametrize("name", ["backup", "backup.tar"])
def test_everything_is_there_again_elsewhere(
    stocked: Hv, tmp_path: Path, name: str
) -> None:
    made = stocked("backup", name, "--objects", "--json")
    restored = stocked("--data", "other", "restore", name, "--json")

    assert (made.status, restored.status) == (0, 0), made.stderr + restored.stderr
    assert _contents(tmp_path / "other") == _contents(tmp_path / "hv-data")
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


@pytest.fixture
def empty_postgresql(postgresql: PostgresqlServer) -> Iterator[str]:
    url = postgresql.new_database()
    yield url
    postgresql.drop_database(url)


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
    assert _rows(tmp_path / "again") == _rows(tmp_path / "backup")


def test_objects_that_the_storage_lacks_are_told_with_their_videos(
    migrated: Hv, tmp_path: Path
) -> None:
    data = tmp_path / "hv-data"
    _store(data, {**OBJECTS, "media/vid_gone/job/1.m4s": b"purged"})
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
    _store(storage, {**OBJECTS, "media/vid_b/job_b/1.m4s": b"later"})
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
    assert "lacks 3 of 4 objects" in restored.stderr


@pytest.mark.usefixtures("backup")
def test_tables_of_plugins_that_are_not_chosen_are_named(hv: Hv) -> None:
    restored = hv("--data", "other", "restore", "backup", HV_QUEUE__BACKEND="rq")

    assert restored.status == 0
    assert "no plugin that is chosen has this table: hv_queue_messages" in (
        restored.stderr
    )


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


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def _change_a_row(path: Path) -> None:
    rows = gzip.decompress(path.read_bytes())
    path.write_bytes(gzip.compress(rows.replace(b"name 0", b"name 9")))


@pytest.mark.parametrize("name", ["backup", "backup.tar"])
def test_a_whole_backup_is_verified(stocked: Hv, name: str) -> None:
    assert stocked("backup", name, "--objects").status == 0

    outcome = stocked("backup", "--verify", name)

    assert (outcome.status, "is whole" in outcome.stderr) == (0, True), outcome.stderr


@pytest.mark.parametrize(
    ("file", "damage"),
    [
        ("tables/videos.jsonl.gz", _cut),
        ("objects.jsonl.gz", _cut),
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


def _set_format(path: Path) -> None:
    path.write_text(json.dumps({"format": 2, "version": "9.9"}))


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
        ("tables/videos.jsonl.gz", _cut, "videos.jsonl.gz is damaged"),
        ("tables/videos.jsonl.gz", _change_a_row, "videos.jsonl.gz is damaged"),
        ("tables/videos.jsonl.gz", Path.unlink, "videos.jsonl.gz cannot be read"),
        ("objects.jsonl.gz", _cut, "objects.jsonl.gz is damaged"),
        ("secrets.json", _cut, "secrets.json is damaged"),
        ("backup.json", _cut, "backup.json is damaged"),
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
    before = _contents(tmp_path / "hv-data")

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
    assert _contents(tmp_path / "hv-data") == before


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
    assert _contents(tmp_path / "other") == filled_database().rows
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


def test_an_object_that_goes_while_it_is_copied_is_counted(tmp_path: Path) -> None:
    _store(tmp_path, OBJECTS)
    settings = load(config_path=None, environ={}, data_dir=tmp_path).settings
    listed = [ListedObject(path=path, size_bytes=1) for path in [*OBJECTS, "media/x/y"]]

    with build(settings, rings=False) as services:
        gone = copy_objects(services.storage, listed, tmp_path / "copies")

    assert gone == 1
    copied = tmp_path / "copies" / "media/vid_a/job_a/master.m3u8"
    assert copied.read_bytes() == OBJECTS["media/vid_a/job_a/master.m3u8"]


@attrs.define
class _Load:
    """
    Publishes and deletes videos, files first and files last, until it is stopped.
    """

    services: Services
    deleted: int = 0
    stops: threading.Event = attrs.field(factory=threading.Event)

    def run(self) -> None:
        kept: list[VideoId] = []
        while not self.stops.is_set():
            kept.append(self.publish())
            if len(kept) > 3:
                self.delete(kept.pop(0))

    def has_gone_on(self, deleted: int) -> bool:
        return self.deleted > deleted

    def publish(self) -> VideoId:
        made = video(id=new_video_id(), state=VideoState.READY, media=media(2))
        assert made.job_id is not None
        for name in PUBLISHED:
            path = f"{media_root(made.id, made.job_id)}/{name}"
            self.services.storage.write(path, BytesIO(b"x"), content_type="video/mp4")
        with self.services.uow.write() as work:
            work.videos.add(made)
            work.commit()
        return made.id

    def delete(self, video_id: VideoId) -> None:
        with self.services.uow.write() as work:
            found = work.videos.find(video_id, for_update=True)
            assert found is not None
            found.delete(self.services.clock.now())
            work.videos.save(found)
            work.commit()
        self.services.storage.delete_tree(media_prefix(video_id))
        self.deleted += 1


class _WhileListing(MemoryStorage):
    """
    Something happens at the end of each list of it all.
    """

    def __init__(self) -> None:
        super().__init__()
        self.happens: list[Callable[[], object]] = []

    def walk(self, prefix: str) -> Iterator[ObjectInfo]:
        yield from super().walk(prefix)
        if prefix == PREFIXES[-1] and self.happens:
            self.happens.pop(0)()


def test_what_comes_and_goes_between_the_lists_is_listed_or_named(
    migrated: Hv, tmp_path: Path
) -> None:
    del migrated
    data = tmp_path / "hv-data"
    settings = load(config_path=None, environ={}, data_dir=data).settings
    storage = _WhileListing()
    overrides = {"storage": storage}
    (tmp_path / "backup").mkdir()
    with build(settings, rings=False, overrides=overrides) as services:
        fill_tenants(services.engine)
        work = _Load(services)
        stays, goes_before, goes_after = (work.publish() for _ in range(3))
        came: list[VideoId] = []

        def after_the_first() -> None:
            came.append(work.publish())
            work.delete(goes_before)

        storage.happens[:] = [after_the_first, lambda: work.delete(goes_after)]
        manifest = services.back_up(
            tmp_path / "backup", with_objects=False, outside=[], tell=str
        )

    listed = {
        path.split("/")[1]
        for path in map(_path_of, _lines(tmp_path / "backup" / "objects.jsonl.gz"))
    }
    assert {stays, *came, goes_after} <= listed
    assert list(manifest.deleted_meanwhile) == [goes_after]


def test_all_that_its_rows_need_is_listed_whatever_happens_meanwhile(
    migrated: Hv, tmp_path: Path
) -> None:
    settings = load(
        config_path=None, environ={}, data_dir=tmp_path / "hv-data"
    ).settings
    with build(settings, rings=False) as services:
        fill_tenants(services.engine)
        load_ = _Load(services)
        thread = threading.Thread(target=load_.run)
        thread.start()
        try:
            for number in range(2):
                until(partial(load_.has_gone_on, 5 * number), within_s=30)
                assert migrated("backup", f"backup-{number}").status == 0
        finally:
            load_.stops.set()
            thread.join()

    for number in range(2):
        folder = tmp_path / f"backup-{number}"
        data = f"other-{number}"
        assert migrated("--data", data, "restore", str(folder)).status == 0
        listed = set(map(_path_of, _lines(folder / "objects.jsonl.gz")))
        meanwhile = json.loads((folder / "backup.json").read_text())[
            "deleted_meanwhile"
        ]
        needed = dict(_ready(tmp_path / data))
        assert needed
        for video_id, root in needed.items():
            assert video_id in meanwhile or {f"{root}/{n}" for n in PUBLISHED} <= listed


def _ready(data: Path) -> Iterator[tuple[VideoId, str]]:
    engine = make_engine(f"sqlite:///{data}/hvcore.sqlite3")
    with engine.connect() as connection:
        asked = sa.select(videos.c.id, videos.c.job_id).where(videos.c.state == "ready")
        rows = connection.execute(asked).all()
    engine.dispose()
    for row in rows:
        yield row.id, media_root(row.id, row.job_id)


def _make_another(backup: Path, other: Path) -> None:
    shutil.copytree(backup, other)
    document = json.loads((other / "backup.json").read_text())
    (other / "backup.json").write_text(json.dumps({**document, "id": "another"}))


def _stock(data: Path) -> None:
    _store(data, OBJECTS)
    (data / "hvcore.sqlite3").write_bytes(filled_database().file)
    (data / "first-keys.json").write_text('{"orgID": "org_local"}')


def _store(data: Path, objects: Mapping[str, bytes]) -> None:
    for path, content in objects.items():
        file = data / "storage" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)


def _contents(data: Path) -> Mapping[str, list[str]]:
    engine = make_engine(f"sqlite:///{data}/hvcore.sqlite3")
    with engine.begin() as connection:
        # Of what was made since.
        connection.execute(sa.delete(leaders).where(leaders.c.name == "backup"))
    found = contents(engine)
    engine.dispose()
    return found


def _path_of(line: bytes) -> str:
    return str(json.loads(line)["path"])


def _lines(path: Path) -> list[bytes]:
    return gzip.decompress(path.read_bytes()).splitlines()


def _rows(backup: Path) -> Mapping[str, list[bytes]]:
    return {file.name: sorted(_lines(file)) for file in (backup / "tables").iterdir()}
