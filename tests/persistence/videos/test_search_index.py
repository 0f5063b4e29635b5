"""
Names are found alike by the index, by walking through a list, and without either.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from itertools import islice, product
from typing import Any

import attrs
import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from hvcore.domain.access.tenants import Environment, EnvironmentKind
from hvcore.domain.videos.catalog import SortBy, SortDir, VideoPage, VideoQuery
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video, VideoChanges
from hvcore.persistence.engine import writing
from hvcore.persistence.fast_reads.reads import FastReads
from hvcore.persistence.tables import videos
from hvcore.persistence.unit_of_work import SqlUnitOfWork
from hvcore.persistence.videos import pages, search_index
from hvcore.persistence.videos.catalog import SqlVideoCatalog
from hvcore.persistence.videos.pages import VideoPages
from hvcore.persistence.videos.recount import recount
from hvcore.persistence.videos.search_index import (
    NAME_INDEX,
)
from tests.persistence.samples import ENV, NOW, ORG, OTHER_ORG, video

pytestmark = pytest.mark.services

ENVIRONMENT = Environment(
    id=ENV,
    org_id=ORG,
    name="dev",
    kind=EnvironmentKind.DEVELOPMENT,
    created_at=NOW,
)
WORDS = (
    *("summer", "Sommer", "STRASSE", "straße", "日本語の映画", "İzmir", "a_b", "100%"),
    *("c\\d", 'say "so"', "it's", "ﬁn", "👩‍👩‍👧", "aaa", "aaaa", "ab", "x" * 700),
)
SEARCHES = (
    *("summer", "mme", "STRASSE", "straße", "の映画", "i\u0307z", "a_b", "00%", "c\\d"),
    *(
        '"so"',
        "it's",
        "fin",
        "👩‍👩",
        "aaa",
        "aaaa",
        "ab",
        "a",
        "x" * 600,
        "none at all",
    ),
    *("a summer", "%%%", "___", '"""', "*", "AND", "NEAR(a b)", "^sum", "name:sum"),
)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Let 40 videos be many.
    """
    monkeypatch.setattr(pages, "FEW", 6)


@pytest.fixture
def made(uow: SqlUnitOfWork) -> list[Video]:
    """
    Videos of three states, and others that no list shows.
    """
    chance = random.Random(7)  # noqa: S311 - repeatable
    states = [VideoState.READY] * 5 + list(VideoState)
    videos = [
        video(
            " ".join(chance.choices(WORDS, k=chance.randint(1, 3))),
            state=chance.choice(states),
            created_at=NOW + timedelta(hours=chance.randint(0, 60)),
            org_id=chance.choice([ORG, ORG, ORG, OTHER_ORG]),
            is_public=chance.random() < 0.3,
        )
        for _ in range(80)
    ]
    with uow.write() as work:
        for one in videos:
            work.videos.add(one)
        work.commit()
    return videos


def expected(made: Sequence[Video], query: VideoQuery) -> list[str]:
    """
    Say what the law says, in Python.
    """
    keys: dict[SortBy, Callable[[Video], Any]] = {
        SortBy.CREATED_AT: lambda v: v.created_at,
        SortBy.NAME: lambda v: v.name.casefold(),
        SortBy.DURATION: lambda v: v.media.duration_s if v.media else 0,
        SortBy.STATUS: lambda v: v.state.value,
    }
    listed = {VideoState.TRANSCODING, VideoState.READY, VideoState.FAILED}
    found = [
        v
        for v in made
        if v.org_id == ORG
        and v.state in ({query.state} if query.state else listed)
        and (query.search or "").casefold() in v.name.casefold()
        and (query.since is None or v.created_at.date() >= query.since)
        and query.is_public in {None, v.is_public}
    ]
    found.sort(
        key=lambda v: (keys[query.sort_by](v), v.id),
        reverse=query.sort_dir is SortDir.DESC,
    )
    return [v.id for v in found]


def queries() -> Iterator[VideoQuery]:
    """
    Yield what can be asked for.
    """
    days = (None, (NOW + timedelta(days=1)).date())
    for search in SEARCHES:
        for sort_by in SortBy:
            for state in (None, VideoState.READY, VideoState.FAILED):
                for since, is_public in product(days, (None, True, False)):
                    yield VideoQuery(
                        page=1,
                        page_size=100,
                        search=search,
                        sort_by=sort_by,
                        sort_dir=SortDir.ASC if len(search) % 2 else SortDir.DESC,
                        state=state,
                        since=since,
                        is_public=is_public,
                    )


def read(catalog: SqlVideoCatalog, query: VideoQuery) -> VideoPage:
    return catalog.page(ENVIRONMENT, query)


def ids(page: VideoPage) -> list[str]:
    return [one.id for one in page.videos]


@pytest.mark.usefixtures("small")
def test_every_way_finds_the_same(engine: Engine, made: list[Video]) -> None:
    assert NAME_INDEX.is_in(engine)
    catalog = SqlVideoCatalog(engine)

    for query in queries():
        found = read(catalog, query)
        assert ids(found) == expected(made, query), query
        assert found.total == len(found.videos)


@pytest.mark.usefixtures("small")
def test_ids_are_found_without_the_rest_of_their_videos(
    engine: Engine, made: list[Video]
) -> None:
    catalog = SqlVideoCatalog(engine)
    read_rows = VideoPages(engine, FastReads(engine), has_ids_alone=True).read

    # A part of them: the statements are those of whole videos but for what they read.
    for query in islice(queries(), 0, None, 5):
        found = catalog.ids(ENVIRONMENT, query)
        assert list(found.ids) == expected(made, query), query
        assert found.total == len(found.ids)
        rows, _ = read_rows(ENVIRONMENT, query)
        # The total may stand beside the id.
        assert {len(row) for row in rows} <= {1, 2}


def test_chosen_videos_are_those_of_the_environment_that_lists_show(
    engine: Engine, made: list[Video]
) -> None:
    everything = VideoQuery(page=1, page_size=100)
    chosen = [*(one.id for one in made), "vid_none", "x\0y"]

    found = SqlVideoCatalog(engine).listed(ENVIRONMENT, chosen)

    assert found == set(expected(made, everything))
    assert SqlVideoCatalog(engine).listed(ENVIRONMENT, []) == frozenset()


@pytest.mark.usefixtures("small")
def test_without_the_index_the_same_is_found(engine: Engine, made: list[Video]) -> None:
    with writing(engine) as connection:
        NAME_INDEX.drop(connection)
        connection.commit()
    catalog = SqlVideoCatalog(engine)

    assert not NAME_INDEX.is_in(engine)
    for query in queries():
        assert ids(read(catalog, query)) == expected(made, query), query


@pytest.mark.usefixtures("small")
def test_an_index_that_is_made_later_has_what_was_there(
    engine: Engine, uow: SqlUnitOfWork, made: list[Video]
) -> None:
    with writing(engine) as connection:
        NAME_INDEX.drop(connection)
        connection.commit()
    made += [video("summer and more")]
    with uow.write() as work:
        work.videos.add(made[-1])
        work.commit()

    assert NAME_INDEX.repair(engine)
    assert NAME_INDEX.repair(engine)

    catalog = SqlVideoCatalog(engine)
    for query in queries():
        assert ids(read(catalog, query)) == expected(made, query), query


@pytest.mark.usefixtures("small")
def test_the_index_follows_every_change(
    engine: Engine, uow: SqlUnitOfWork, made: list[Video]
) -> None:
    """
    Names that are changed, videos that come into lists, and those that leave them.
    """
    for number, one in enumerate(made):
        with uow.write() as work:
            found = work.videos.find(one.id, for_update=True)
            assert found is not None
            one.name = found.name = f"{one.name} {WORDS[number % len(WORDS)]}"
            if number % 3 == 0 and found.state is not VideoState.DELETED:
                found.delete(NOW)
            one.state = found.state
            work.videos.save(found)
            work.commit()

    catalog = SqlVideoCatalog(engine)
    for query in queries():
        assert ids(read(catalog, query)) == expected(made, query), query


@pytest.mark.usefixtures("small")
def test_a_change_that_is_rolled_back_is_not_found(
    engine: Engine, uow: SqlUnitOfWork, made: list[Video]
) -> None:
    with uow.write() as work:
        work.videos.add(video("never committed"))

    query = VideoQuery(page=1, page_size=10, search="never")
    assert ids(read(SqlVideoCatalog(engine), query)) == expected(made, query) == []


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("sort_by", SortBy)
def test_many_found_ones_are_all_counted(
    engine: Engine, uow: SqlUnitOfWork, sort_by: SortBy
) -> None:
    made = [video(f"summer {n}", created_at=NOW + timedelta(n)) for n in range(17)]
    with uow.write() as work:
        for one in made:
            work.videos.add(one)
        work.commit()
    catalog = SqlVideoCatalog(engine)
    wanted = VideoQuery(page=1, page_size=5, search="summer", sort_by=sort_by)
    order = expected(made, wanted)

    shown: list[str] = []
    totals = []
    for page in range(1, 6):
        query = VideoQuery(page=page, page_size=5, search="summer", sort_by=sort_by)
        found = read(catalog, query)
        shown += ids(found)
        totals.append(found.total)

    assert shown == order
    assert totals == [17] * 5


def test_names_of_one_environment_are_found_among_those_of_many(
    engine: Engine, uow: SqlUnitOfWork, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "FEW", 2)
    mine = [video(f"clip {n}") for n in range(3)] + [video("other") for _ in range(3)]
    theirs = [video("clip", org_id=OTHER_ORG) for _ in range(9)]
    with uow.write() as work:
        for one in (*mine, *theirs):
            work.videos.add(one)
        work.commit()

    found = read(SqlVideoCatalog(engine), VideoQuery(page=1, page_size=9, search="cli"))

    assert set(ids(found)) == {one.id for one in mine[:3]}
    assert found.total == 3


@pytest.mark.parametrize(
    "refused", ["CREATE NONSENSE", "CREATE EXTENSION none_of_this_name"]
)
def test_a_database_that_refuses_the_index_is_migrated_all_the_same(
    empty_engine: Engine, monkeypatch: pytest.MonkeyPatch, refused: str
) -> None:
    from hvcore.persistence.migrate import migrate  # noqa: PLC0415
    from hvcore.persistence.schema_version import is_current  # noqa: PLC0415

    refusing = attrs.evolve(
        NAME_INDEX,
        sqlite=(*NAME_INDEX.sqlite, refused),
        postgresql=(*NAME_INDEX.postgresql, refused),
    )
    monkeypatch.setattr(search_index, "NAME_INDEX", refusing)

    migrate(empty_engine)

    assert is_current(empty_engine)
    assert not NAME_INDEX.is_in(empty_engine)
    assert NAME_INDEX.repair(empty_engine)
    assert NAME_INDEX.is_in(empty_engine)


def test_a_table_that_was_made_anew_has_lost_the_index(engine: Engine) -> None:
    if engine.dialect.name != "sqlite":
        return
    with engine.begin() as connection:
        connection.execute(sa.text("DROP TRIGGER video_search_rename"))

    assert not NAME_INDEX.is_in(engine)
    assert NAME_INDEX.repair(engine)
    assert NAME_INDEX.is_in(engine)


@pytest.mark.usefixtures("small")
def test_a_total_that_is_known_is_counted_anew_after_each_change(
    engine: Engine, uow: SqlUnitOfWork
) -> None:
    """
    A new video, another name, another state, and none of another environment.
    """
    made = [video(f"summer {n}", state=VideoState.READY) for n in range(9)]
    with uow.write() as work:
        for one in made:
            work.videos.add(one)
        work.commit()
    catalog = SqlVideoCatalog(engine)
    asked = (
        VideoQuery(page=1, page_size=5, search="summer"),
        VideoQuery(page=1, page_size=5, search="summer", state=VideoState.READY),
        VideoQuery(page=1, page_size=5, search="um", since=NOW.date()),
        VideoQuery(page=1, page_size=5, search="none of them"),
    )

    def totals() -> list[int]:
        return [read(catalog, query).total for query in asked]

    def change(number: int, change: Callable[[Video], object]) -> None:
        with uow.write() as work:
            found = work.videos.find(made[number].id, for_update=True)
            assert found is not None
            change(found)
            work.videos.save(found)
            work.commit()

    assert totals() == [9, 9, 9, 0]
    with uow.write() as work:
        work.videos.add(video("late summer", state=VideoState.FAILED))
        work.videos.add(video("summer elsewhere", org_id=OTHER_ORG))
        work.commit()
    assert totals() == [10, 9, 10, 0]
    change(0, lambda v: v.change(VideoChanges(name="winter, none of them")))
    assert totals() == [9, 8, 9, 1]
    change(1, lambda v: v.delete(NOW))
    assert totals() == [8, 7, 8, 1]
    with writing(engine) as connection:
        connection.execute(sa.update(videos).values(name_folded="spring"))
        connection.commit()
    recount(engine)
    assert totals() == [0, 0, 0, 0]


@pytest.mark.usefixtures("small")
def test_nothing_is_counted_again_while_nothing_changes(
    engine: Engine, uow: SqlUnitOfWork
) -> None:
    with uow.write() as work:
        for number in range(9):
            work.videos.add(video(f"summer {number}"))
        work.commit()
    catalog = SqlVideoCatalog(engine)
    query = VideoQuery(page=1, page_size=2, search="summer")
    assert read(catalog, query).total == 9

    with writing(engine) as connection:
        # Past all that keeps account of changes.
        connection.execute(sa.update(videos).values(name_folded="summer? no"))
        connection.execute(sa.delete(videos).where(videos.c.name == "summer 3"))
        connection.commit()

    assert read(catalog, query).total == 9
