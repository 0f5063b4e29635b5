"""
Entries of the playback directory: one object while nothing changes.
"""

import gc
import sqlite3
import weakref
from contextlib import nullcontext
from functools import partial

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video
from hvcore.persistence.fast_reads.reads import FastReads
from hvcore.persistence.playback.directory import SqlPlaybackDirectory
from hvcore.persistence.processing.published_media import MediaCache
from hvcore.persistence.tables import (
    environments,
    organizations,
    published_media,
    videos,
)
from hvcore.persistence.unit_of_work import SqlUnitOfWork
from hvcore.ports.repositories.playback import PlaybackEntry
from tests.persistence.samples import ENV, NOW, at_once, media, video


@pytest.fixture
def ready(uow: SqlUnitOfWork) -> Video:
    return add_ready(uow)


def add_ready(uow: SqlUnitOfWork) -> Video:
    made = video(state=VideoState.READY, media=media(3))
    with uow.write() as work:
        work.videos.add(made)
        work.commit()
    return made


def commit(engine: Engine, *statements: sa.Executable) -> None:
    with engine.begin() as connection:
        for statement in statements:
            connection.execute(statement)


def another_organization(number: int) -> sa.Executable:
    return sa.insert(organizations).values(id=f"org_{number}", created_at=NOW)


def test_an_entry_is_one_object_while_nothing_changes(
    engine: Engine, ready: Video
) -> None:
    directory = SqlPlaybackDirectory(engine)
    with directory.moment():
        first = directory.find(ready.id)
        public = directory.find(ready.public_id)
    assert first is not None
    assert public is not None

    for number in range(3):
        with directory.moment():
            assert directory.find(ready.id) is first
            assert directory.find(ready.id) is first
            assert directory.find(ready.public_id) is public
        assert directory.find(ready.id) is first
        assert at_once(lambda _: directory.find(ready.id), threads=2) == [first] * 2
        # What another writes costs one look more, and changes nothing.
        commit(engine, another_organization(number))


CHANGES = [
    sa.update(videos).values(is_public=True),
    sa.update(videos).values(name="another name"),
    sa.update(videos).values(poster_path="posters/another.jpg"),
    sa.update(environments).values(name="another").where(environments.c.id == ENV),
    sa.update(videos).values(state=VideoState.DELETED.value),
]


@pytest.mark.parametrize("looks_in_moments", [True, False])
def test_an_entry_is_another_object_once_it_has_changed(
    engine: Engine, ready: Video, *, looks_in_moments: bool
) -> None:
    directory = SqlPlaybackDirectory(engine)
    names = (ready.id, ready.public_id)

    def found() -> list[PlaybackEntry | None]:
        with directory.moment() if looks_in_moments else nullcontext():
            return [directory.find(name) for name in names]

    before = found()
    for change in CHANGES:
        commit(engine, change)
        after = found()
        assert None not in after
        for old, new in zip(before, after, strict=True):
            assert old != new
            assert old is not new
        before = after


def test_a_video_that_is_gone_is_not_found_by_who_knew_it(
    engine: Engine, ready: Video
) -> None:
    directory = SqlPlaybackDirectory(engine)
    for name in (ready.id, ready.public_id):
        with directory.moment():
            assert directory.find(name) is not None
    commit(engine, sa.delete(published_media), sa.delete(videos))

    for name in (ready.id, ready.public_id):
        with directory.moment():
            assert directory.find(name) is None
        assert directory.find(name) is None


def test_versions_are_equal_until_something_is_committed(engine: Engine) -> None:
    reads = FastReads(engine)
    is_known = engine.dialect.name == "sqlite"

    def version() -> object:
        with reads.moment():
            return reads.version

    first = version()
    assert (first is not None) == is_known
    assert version() == first
    assert reads.version is None
    others = at_once(lambda _: version(), threads=2)
    # Two connections count for themselves.
    assert not is_known or len({first, *others}) == 3

    commit(engine, another_organization(1))

    assert version() != first or not is_known


def test_an_entry_keeps_nothing_large(
    engine: Engine, uow: SqlUnitOfWork, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = partial(MediaCache, max_segments=1)
    monkeypatch.setattr("hvcore.persistence.playback.directory.MediaCache", cache)
    directory = SqlPlaybackDirectory(engine)
    entry, other = (directory.find(add_ready(uow).id) for _ in range(2))
    assert entry is not None
    assert other is not None
    large = entry.load_media()
    assert large is not None
    kept = weakref.ref(large)
    del large

    assert other.load_media() is not None

    assert kept() is None
    assert entry.load_media() is not None


def test_a_thread_that_has_ended_keeps_no_connection(
    engine: Engine, ready: Video
) -> None:
    directory = SqlPlaybackDirectory(engine)

    def look(_: int) -> None:
        with directory.moment():
            assert directory.find(ready.id) is not None

    look(0)
    before = count_connections()
    gc.disable()
    try:
        at_once(look, threads=5)
        assert count_connections() <= before
    finally:
        gc.enable()


def count_connections() -> int:
    # Their files say nothing: SQLite closes those later.
    return sum(isinstance(one, sqlite3.Connection) for one in gc.get_objects())
