"""
Backups that are made while videos come and go.
"""

import json
import threading
from collections.abc import Callable, Iterator
from functools import partial
from io import BytesIO
from pathlib import Path

import attrs
import sqlalchemy as sa

from hvcore.assembly import Services, build
from hvcore.domain.ids import VideoId, new_video_id
from hvcore.domain.media_paths import media_prefix, media_root
from hvcore.domain.videos.states import VideoState
from hvcore.persistence.engine import make_engine
from hvcore.persistence.tables import videos
from hvcore.ports.storage import ObjectInfo
from hvcore.services.backups.object_copies import copy_objects
from hvcore.services.backups.object_list import PREFIXES, ListedObject
from hvcore.settings import load
from hvcore.testing.fakes import MemoryStorage
from tests.cli.commands.data.stocked_folder import (
    OBJECTS,
    object_path,
    store_objects,
    unpacked_lines,
)
from tests.cli.conftest import Hv
from tests.persistence.samples import fill_tenants, media, video
from tests.support.live import until

PUBLISHED = ("master.m3u8", "p0/a1/1.m4s")


def test_an_object_that_goes_while_it_is_copied_is_counted(tmp_path: Path) -> None:
    store_objects(tmp_path, OBJECTS)
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
        for path in map(
            object_path, unpacked_lines(tmp_path / "backup" / "objects.jsonl.gz")
        )
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
        listed = set(map(object_path, unpacked_lines(folder / "objects.jsonl.gz")))
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
