"""
Names and tags are the same, composed or not, also those of older versions.
"""

import unicodedata
from collections.abc import Iterator

import orjson
import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from hvcore.domain.access.tenants import Environment, EnvironmentKind
from hvcore.domain.labels import Labels, tag_term
from hvcore.domain.videos.catalog import SortBy, SortDir, VideoQuery
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video
from hvcore.errors import UnavailableError
from hvcore.persistence.engine import make_engine, writing
from hvcore.persistence.migrate import is_broken_off, migrate
from hvcore.persistence.schema_version import (
    NEWEST_EXPAND,
    schema_version,
    set_versions,
)
from hvcore.persistence.tables import label_totals, video_labels, videos
from hvcore.persistence.unit_of_work import SqlUnitOfWork
from hvcore.persistence.videos.catalog import SqlVideoCatalog
from hvcore.persistence.videos.composed_names import compose_names
from hvcore.persistence.videos.recount import recount
from tests.persistence.samples import ENV, NOW, ORG, video

pytestmark = pytest.mark.services

DEV = Environment(
    id=ENV, org_id=ORG, name="dev", kind=EnvironmentKind.DEVELOPMENT, created_at=NOW
)
WINDOWS = "Café"
MACOS = unicodedata.normalize("NFD", WINDOWS)
BY_TAG = VideoQuery(page=1, page_size=9, terms=frozenset({tag_term(WINDOWS)}))


def add(uow: SqlUnitOfWork, *made: Video) -> None:
    with uow.write() as work:
        for one in made:
            work.videos.add(one)
        work.commit()


def found(engine: Engine, query: VideoQuery) -> list[str]:
    page = SqlVideoCatalog(engine).page(DEV, query)
    assert page.total == len(page.videos)
    return [one.id for one in page.videos]


def search(engine: Engine, text: str) -> set[str]:
    return set(found(engine, VideoQuery(page=1, page_size=9, search=text)))


def as_older_versions_do(engine: Engine, made: Video) -> None:
    """
    Store a video's name and tags as versions before 0023 did.
    """
    tags = [f"tag:{tag}" for tag in made.labels.tags]
    composed_tags = sorted(made.labels.terms)
    with writing(engine) as connection:
        connection.execute(
            sa.update(videos)
            .where(videos.c.id == made.id)
            .values(
                name_folded=made.name.casefold(),
                labels=orjson.dumps({"tags": made.labels.tags}).decode(),
            )
        )
        for table in (video_labels, label_totals):
            for old, new in zip(tags, composed_tags, strict=True):
                connection.execute(
                    sa.update(table).where(table.c.term == new).values(term=old)
                )
        connection.commit()


@pytest.fixture
def older(uow: SqlUnitOfWork, engine: Engine) -> Video:
    """
    A video that an older version has stored, before any migration of ours.
    """
    made = video(MACOS, state=VideoState.READY, labels=Labels(tags=(MACOS,)))
    add(uow, made)
    as_older_versions_do(engine, made)
    return made


@pytest.mark.parametrize("searched", [WINDOWS, MACOS, "CAFÉ", "fé"])
def test_a_name_of_macos_is_found_by_who_types_it(
    engine: Engine, uow: SqlUnitOfWork, searched: str
) -> None:
    made = [video(f"{name} am See") for name in (MACOS, WINDOWS)]

    add(uow, *made, video("Cafe am See"))

    assert search(engine, searched) == {one.id for one in made}


def test_a_list_by_name_has_names_of_macos_among_the_others(
    engine: Engine, uow: SqlUnitOfWork
) -> None:
    names = [f"{WINDOWS} 1", f"{MACOS} 2", f"{WINDOWS} 3", "Caff"]
    made = [video(name) for name in names]

    add(uow, *made)

    by_name = VideoQuery(page=1, page_size=9, sort_by=SortBy.NAME, sort_dir=SortDir.ASC)
    order = [made[3].id, made[0].id, made[1].id, made[2].id]
    assert found(engine, by_name) == order


def test_a_name_and_its_tags_are_kept_as_they_were_sent(
    engine: Engine, uow: SqlUnitOfWork
) -> None:
    made = video(MACOS, labels=Labels(tags=(MACOS, "beach")))

    add(uow, made)

    with uow.read() as work:
        stored = work.videos.find(made.id)
    assert stored is not None
    assert (stored.name, stored.labels.tags) == (MACOS, (MACOS, "beach"))
    assert found(engine, BY_TAG) == [made.id]


def test_case_counts_in_tags(engine: Engine, uow: SqlUnitOfWork) -> None:
    add(uow, video(labels=Labels(tags=(WINDOWS.upper(),))))

    assert found(engine, BY_TAG) == []


@pytest.mark.usefixtures("older")
def test_videos_of_older_versions_are_found_once_they_are_composed(
    engine: Engine, older: Video
) -> None:
    was = (search(engine, WINDOWS), found(engine, BY_TAG))

    compose_names(engine)

    assert was == (set(), [])
    assert (search(engine, WINDOWS), found(engine, BY_TAG)) == ({older.id}, [older.id])
    with SqlUnitOfWork(engine, lambda: NOW, None).read() as work:
        stored = work.videos.find(older.id)
    assert stored is not None
    assert (stored.name, stored.labels.tags) == (MACOS, (MACOS,))


def test_composing_again_changes_nothing(engine: Engine, older: Video) -> None:
    def rows() -> list[object]:
        with engine.connect() as connection:
            tables = (videos, video_labels, label_totals)
            return [
                row for table in tables for row in connection.execute(sa.select(table))
            ]

    compose_names(engine)
    once = rows()
    compose_names(engine)

    assert rows() == once
    recount(engine)
    assert found(engine, BY_TAG) == [older.id]


def test_a_deleted_video_of_an_older_version_has_no_tags_left(
    engine: Engine, uow: SqlUnitOfWork, older: Video
) -> None:
    with uow.write() as work:
        stored = work.videos.find(older.id, for_update=True)
        assert stored is not None
        stored.delete(NOW)
        work.videos.save(stored)
        work.commit()

    with engine.connect() as connection:
        for table in (video_labels, label_totals):
            assert connection.execute(sa.select(table)).all() == []


@pytest.fixture
def before(migrated_url: str) -> Iterator[Engine]:
    """
    A database of this version whose contract has not been run yet.
    """
    engine = make_engine(migrated_url)
    with writing(engine) as connection:
        set_versions(connection, [NEWEST_EXPAND])
        connection.commit()
    yield engine
    engine.dispose()


def test_names_count_as_composed_once_the_last_one_is(
    engine: Engine, uow: SqlUnitOfWork, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hvcore.persistence.videos.composed_names._BATCH", 1)
    made = [video(MACOS) for _ in range(2)]
    add(uow, *made)
    with writing(engine) as connection:
        set_versions(connection, [NEWEST_EXPAND])
        connection.commit()
    for one in made:
        as_older_versions_do(engine, one)
    saved: list[str] = []

    def end_at_the_second(
        _connection: object, _cursor: object, sql: str, *_: object
    ) -> None:
        saved.extend([sql] if sql.startswith("UPDATE videos") else [])
        if len(saved) == 2:
            raise TimeoutError

    sa.event.listen(engine, "before_cursor_execute", end_at_the_second)
    with pytest.raises(UnavailableError, match="does not answer"):
        migrate(engine)
    sa.event.remove(engine, "before_cursor_execute", end_at_the_second)
    was = is_broken_off(engine)
    migrate(engine)

    assert (was, is_broken_off(engine)) == (True, False)
    assert search(engine, WINDOWS) == {one.id for one in made}


def test_each_migration_until_the_contract_brings_along_what_older_versions_wrote(
    before: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    composed: list[Engine] = []
    monkeypatch.setattr("hvcore.persistence.migrate.compose_names", composed.append)

    for contracts in (False, False, True, True):
        migrate(before, contracts=contracts)

    assert composed == [before] * 3
    assert not schema_version(before).awaits_contract
