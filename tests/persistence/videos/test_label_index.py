"""
The index of labels: unique IDs, and lists that it finds.
"""

from datetime import timedelta

import attrs
import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from hvcore.domain.access.tenants import Environment, EnvironmentKind
from hvcore.domain.labels import Labels, tag_term
from hvcore.domain.videos.catalog import SortBy, SortDir, TagTotal, VideoQuery
from hvcore.domain.videos.states import VideoState
from hvcore.errors import ConflictError
from hvcore.persistence.tables import label_totals, video_labels, videos
from hvcore.persistence.unit_of_work import SqlUnitOfWork
from hvcore.persistence.videos import labelled_pages, tag_totals
from hvcore.persistence.videos.catalog import SqlVideoCatalog
from hvcore.persistence.videos.recount import recount
from tests.persistence.samples import ENV, NOW, ORG, at_once, video

DEV = Environment(
    id=ENV, org_id=ORG, name="dev", kind=EnvironmentKind.DEVELOPMENT, created_at=NOW
)


def contents(engine: Engine) -> list[list[tuple[object, ...]]]:
    with engine.connect() as connection:
        return [
            sorted(map(tuple, connection.execute(sa.select(table))))
            for table in (video_labels, label_totals)
        ]


def test_of_two_uploads_at_once_one_has_the_external_id(
    uow: SqlUnitOfWork, engine: Engine
) -> None:
    def add(number: int) -> None:
        with uow.write() as work:
            labels = Labels(external_id="same", tags=(f"t{number}",))
            work.videos.add(video(labels=labels))
            work.commit()

    results = at_once(add, threads=4)

    refused = [result for result in results if result is not None]
    assert [type(one) for one in refused] == [ConflictError] * 3
    rows, totals = contents(engine)
    assert len(rows) == len(totals) == 1


def test_of_two_changes_at_once_one_has_the_external_id(uow: SqlUnitOfWork) -> None:
    made = [video(), video()]
    with uow.write() as work:
        for one in made:
            work.videos.add(one)
        work.commit()

    def change(number: int) -> None:
        with uow.write() as work:
            found = work.videos.find(made[number].id, for_update=True)
            assert found is not None
            found.labels = Labels(external_id="same")
            work.videos.save(found)
            work.commit()

    results = at_once(change, threads=2)

    assert sorted(type(result) is ConflictError for result in results) == [False, True]


@pytest.mark.parametrize("few", [1000, 0])
def test_pages_and_totals_follow_the_videos(
    uow: SqlUnitOfWork, engine: Engine, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    # Few are put into order, among many the page is looked for.
    monkeypatch.setattr(labelled_pages, "FEW", few)
    made = [
        video(
            name=f"n{9 - number}",
            created_at=NOW + timedelta(seconds=number),
            labels=Labels(tags=("even" if number % 2 == 0 else "odd", "all")),
        )
        for number in range(6)
    ]
    with uow.write() as work:
        for one in made:
            work.videos.add(one)
        work.commit()
    with uow.write() as work:
        gone = work.videos.find(made[0].id)
        failed = work.videos.find(made[2].id)
        assert gone is not None
        assert failed is not None
        gone.delete(NOW)
        failed.state = VideoState.FAILED
        work.videos.save(gone)
        work.videos.save(failed)
        work.commit()
    catalog = SqlVideoCatalog(engine)
    asked = VideoQuery(page=1, page_size=2, terms=frozenset({tag_term("all")}))

    def ids(**changes: object) -> list[str]:
        query = attrs.evolve(asked, **changes)
        found = [one.id for one in catalog.page(DEV, query).videos]
        assert list(catalog.ids(DEV, query).ids) == found
        return found

    expected = [made[n].id for n in (5, 4, 3, 2, 1)]
    assert [*ids(), *ids(page=2), *ids(page=3), *ids(page=4)] == expected
    assert catalog.page(DEV, asked).total == 5
    assert ids(sort_dir=SortDir.ASC) == [made[1].id, made[2].id]
    assert ids(sort_by=SortBy.NAME, sort_dir=SortDir.ASC) == expected[:2]
    assert ids(state=VideoState.FAILED) == [made[2].id]
    duration = SortBy.DURATION
    assert ids(sort_by=duration, page=2) == sorted(expected, reverse=True)[2:4]
    assert ids(sort_by=SortBy.NAME, state=VideoState.FAILED) == [made[2].id]
    both = frozenset({tag_term("all"), tag_term("even")})
    assert ids(terms=both) == [made[4].id, made[2].id]
    assert ids(terms=both, sort_by=SortBy.NAME) == [made[2].id, made[4].id]
    assert catalog.page(DEV, attrs.evolve(asked, terms=both)).total == 2

    before = contents(engine)
    recount(engine)
    assert contents(engine) == before


def test_labels_that_older_processes_have_moved_are_counted_again(
    uow: SqlUnitOfWork, engine: Engine
) -> None:
    old = video(labels=Labels(external_id="a", tags=("t",)))
    with uow.write() as work:
        work.videos.add(old)
        work.commit()
    with engine.connect() as connection, connection.begin():
        connection.execute(sa.update(videos).values(state="deleted"))

    recount(engine)

    assert contents(engine) == [[], []]
    with uow.write() as work:
        work.videos.add(video(labels=Labels(external_id="a")))
        work.commit()


@pytest.mark.parametrize("state", [VideoState.AWAITING_UPLOAD, VideoState.DELETED])
def test_a_video_of_no_list_is_in_no_index(
    uow: SqlUnitOfWork, engine: Engine, state: VideoState
) -> None:
    with uow.write() as work:
        work.videos.add(video(state=state, labels=Labels(tags=("t",))))
        work.commit()

    assert contents(engine) == [[], []]


def test_tags_are_found_by_a_part_of_their_name_with_their_totals(
    uow: SqlUnitOfWork, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    labelled = [
        Labels(tags=("Über uns", "b"), metadata=(("uber", "u"),)),
        Labels(tags=("Über uns",)),
        Labels(tags=("tag:uber",)),
    ]
    with uow.write() as work:
        for labels in labelled:
            work.videos.add(video(labels=labels))
        work.commit()
    catalog = SqlVideoCatalog(engine)

    assert catalog.tags(DEV, "ÜBER", 9) == (TagTotal("Über uns", 2),)
    assert catalog.tags(DEV, "ub", 1) == (TagTotal("tag:uber", 1),)
    assert catalog.tags(DEV, "", 2) == (TagTotal("Über uns", 2), TagTotal("b", 1))
    assert catalog.tags(attrs.evolve(DEV, id="env_other"), "", 9) == ()
    assert catalog.tags(DEV, "a\x00", 9) == ()
    monkeypatch.setattr(tag_totals, "MOST_READ", 1)
    assert len(catalog.tags(DEV, "", 9)) == 1
