"""
Videos: lists, search, progress.
"""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

import attrs
import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from hvcore.domain.access.tenants import Environment, EnvironmentKind
from hvcore.domain.ids import PublicId, VideoId, new_job_id
from hvcore.domain.videos.catalog import (
    SortBy,
    SortDir,
    VideoPage,
    VideoQuery,
    VideoSummary,
)
from hvcore.domain.videos.deletion import DeletionReason
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video
from hvcore.errors import UnavailableError
from hvcore.persistence import tables
from hvcore.persistence.engine import make_engine
from hvcore.persistence.json_columns import dump
from hvcore.persistence.playback.directory import SqlPlaybackDirectory
from hvcore.persistence.processing.published_media import MediaCache
from hvcore.persistence.rows import outline
from hvcore.persistence.unit_of_work import SqlUnitOfWork
from hvcore.persistence.videos.catalog import SqlVideoCatalog
from hvcore.ports.repositories.errors import AlreadyExistsError
from tests.persistence.samples import (
    ENV,
    NOW,
    ORG,
    OTHER_ORG,
    media,
    new_task,
    video,
)

ENVIRONMENT = Environment(
    id=ENV,
    org_id=ORG,
    name="dev",
    kind=EnvironmentKind.DEVELOPMENT,
    created_at=NOW,
)
NAMES = ("b", "B", "a", "Z", "z", "ä", "Ä", "_", "0", "~", "ß", "ss", "İ", "\U0001f600")


def _add(uow: SqlUnitOfWork, *videos: Video) -> None:
    with uow.write() as work:
        for made in videos:
            work.videos.add(made)
        work.commit()


def _page(uow: SqlUnitOfWork, query: VideoQuery) -> VideoPage:
    return _catalog(uow).page(ENVIRONMENT, query)


def _catalog(uow: SqlUnitOfWork) -> SqlVideoCatalog:
    return SqlVideoCatalog(uow._engine)


def _names(uow: SqlUnitOfWork, **query: Any) -> list[str]:  # noqa: ANN401 - fields
    wanted = VideoQuery(
        page=1, page_size=100, sort_by=SortBy.NAME, sort_dir=SortDir.ASC
    )
    return [v.name for v in _page(uow, attrs.evolve(wanted, **query)).videos]


def _finished(name: str = "done", **changes: Any) -> Video:  # noqa: ANN401 - fields
    return video(name, state=VideoState.READY, media=media(), **changes)


def test_a_video_comes_back_as_it_was_stored(uow: SqlUnitOfWork) -> None:
    made = _finished(
        description="d",
        is_public=True,
        deleted_at=NOW + timedelta(days=1),
        deletion_reason=DeletionReason.COPYRIGHT_CLAIM,
        upload_expires_at=NOW,
        failure_reason="f",
    )

    _add(uow, made)

    with uow.read() as work:
        assert work.videos.find(made.id) == made
        assert work.videos.find(made.public_id) == made
        assert work.videos.find("vid_\0") is None
        assert work.videos.find("vid_\ud800") is None


def test_a_video_is_added_once(uow: SqlUnitOfWork) -> None:
    made = video()
    _add(uow, made)

    with uow.write() as work, pytest.raises(AlreadyExistsError, match="videos: vid_"):
        work.videos.add(made)


def test_names_are_ordered_by_code_point_on_every_database(
    uow: SqlUnitOfWork,
) -> None:
    made = [video(name) for name in NAMES]
    _add(uow, *made)

    def key(one: Video) -> tuple[str, str]:
        return (one.name.casefold(), one.id)

    expected = [v.name for v in sorted(made, key=key)]
    assert _names(uow) == expected
    assert _names(uow, sort_dir=SortDir.DESC) == expected[::-1]


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("%", ["100%"]),
        ("_", ["a_b"]),
        ("\\", ["c\\d"]),
        ("STRASSE", ["Straße"]),
        ("straße", ["Straße"]),
        ("İ", ["İzmir"]),
        ("i\u0307", ["İzmir"]),
        ("nothing", []),
        ("\0", []),
        ("\ud800", []),
        ("", ["100%", "a_b", "axb", "c\\d", "Straße", "İzmir"]),
    ],
)
def test_a_search_takes_the_text_as_it_is(
    uow: SqlUnitOfWork, search: str, found: Sequence[str]
) -> None:
    _add(uow, *map(video, ("100%", "a_b", "axb", "c\\d", "Straße", "İzmir")))

    assert sorted(_names(uow, search=search)) == sorted(found)


def test_awaited_and_deleted_videos_are_never_listed(uow: SqlUnitOfWork) -> None:
    for state in VideoState:
        _add(uow, video(state.value, state=state))

    assert _names(uow) == ["failed", "ready", "transcoding"]
    assert _names(uow, state=VideoState.FAILED) == ["failed"]
    assert _names(uow, state=VideoState.DELETED) == []
    assert _names(uow, state=VideoState.AWAITING_UPLOAD) == []


def test_days_are_utc_and_inclusive(uow: SqlUnitOfWork) -> None:
    day = datetime(2026, 3, 4, tzinfo=UTC)
    microsecond = timedelta(microseconds=1)
    moments = {
        "before": day - microsecond,
        "first": day,
        "last": day + timedelta(days=1) - microsecond,
        "next": day + timedelta(days=1),
    }
    _add(uow, *(video(name, created_at=at) for name, at in moments.items()))

    assert _names(uow, since=day.date(), until=day.date()) == ["first", "last"]
    assert _names(uow, since=date(2026, 3, 5)) == ["next"]
    assert _names(uow, until=date(2026, 3, 3)) == ["before"]
    assert len(_names(uow, since=date.min, until=date.max)) == len(moments)


def test_lists_are_ordered_by_length_and_by_status(uow: SqlUnitOfWork) -> None:
    short = _finished("short")
    long = video("long", state=VideoState.READY, media=media(5))
    none = video("none", state=VideoState.FAILED)
    _add(uow, short, long, none)

    assert _names(uow, sort_by=SortBy.DURATION) == ["none", "short", "long"]
    by_status = _names(uow, sort_by=SortBy.STATUS, sort_dir=SortDir.DESC)
    assert by_status[-1] == "none"


def test_pages_do_not_overlap_and_count_all(uow: SqlUnitOfWork) -> None:
    _add(uow, *(video("same") for _ in range(5)))

    def ids(page: int) -> list[str]:
        found = _page(uow, VideoQuery(page=page, page_size=2))
        assert found.total == 5
        return [v.id for v in found.videos]

    assert len(set(ids(1) + ids(2) + ids(3))) == 5
    assert len(ids(3)) == 1
    assert ids(4) == []
    assert ids(2**80) == []


def test_an_environment_of_another_organization_is_not_listed(
    uow: SqlUnitOfWork,
) -> None:
    _add(uow, video("mine"), video("theirs", org_id=OTHER_ORG))

    assert _names(uow) == ["mine"]


def test_a_list_shows_a_summary(uow: SqlUnitOfWork) -> None:
    made = _finished(description="d")
    _add(uow, made)

    (listed,) = _page(uow, VideoQuery(page=1, page_size=1)).videos

    assert listed == VideoSummary(
        id=made.id,
        public_id=made.public_id,
        name=made.name,
        description="d",
        state=VideoState.READY,
        is_public=False,
        preset=made.settings.preset,
        created_at=NOW,
        duration_s=made.duration_s,
    )


def test_a_described_video_has_no_segments(uow: SqlUnitOfWork) -> None:
    made = _finished(
        description="d",
        is_public=True,
        deleted_at=NOW + timedelta(days=1),
        deletion_reason=DeletionReason.COPYRIGHT_CLAIM,
        upload_expires_at=NOW,
        failure_reason="f",
    )
    _add(uow, made)
    catalog = _catalog(uow)

    assert made.media is not None
    expected = attrs.evolve(made, media=outline(made.media))
    assert catalog.find(made.id) == expected
    assert catalog.find(made.public_id) == expected
    assert catalog.find("vid_" + "0" * 22) is None
    assert catalog.find("vid_\0") is None


def test_a_described_video_has_the_media_of_its_last_job(uow: SqlUnitOfWork) -> None:
    made = video()
    _add(uow, made)
    catalog = _catalog(uow)
    first = catalog.find(made.id)
    assert made.job_id is not None
    made.mark_ready(made.job_id, media())

    with uow.write() as work:
        work.videos.save(made)
        work.commit()

    second = catalog.find(made.id)
    assert first is not None
    assert second is not None
    assert (first.rungs, second.rungs) == ((), made.rungs)


def test_saving_a_described_video_keeps_its_segments(uow: SqlUnitOfWork) -> None:
    made = _finished()
    _add(uow, made)
    described = _catalog(uow).find(made.id)
    assert described is not None

    with uow.write() as work:
        work.videos.save(described)
        work.commit()

    with uow.read() as work:
        found = work.videos.find(made.id)
    assert found is not None
    assert found.media == made.media


def test_the_progress_is_that_of_the_current_jobs_parts(uow: SqlUnitOfWork) -> None:
    made, planned = video("a"), video("planned")
    parts = [
        new_task(made.id, payload={"weight": weight, "job": made.job_id})
        for weight in (0.6, 0.4)
    ]
    old = new_task(made.id, payload={"weight": 1.0, "job": new_job_id()})
    other = new_task(made.id, kind="transcode.plan")
    _add(uow, made, planned)
    with uow.write() as work:
        work.tasks.add([*parts, old, other])
        work.commit()

    with uow.write() as work:
        first, second = (work.tasks.lease(p.id, worker="w") for p in parts)
        assert first is not None
        assert second is not None
        work.tasks.finish(first)
        work.tasks.renew(second, progress=0.5)
        work.commit()

    catalog = _catalog(uow)
    described = [catalog.find(each.id) for each in (made, planned)]
    assert [d.progress for d in described if d] == [80, 0]
    with uow.write() as work:
        work.tasks.finish(second)
        found = work.videos.find(made.id)
    assert found is not None
    assert found.progress == 99


def test_parts_may_be_about_their_job(uow: SqlUnitOfWork) -> None:
    made = video()
    assert made.job_id is not None
    part = new_task(made.job_id, payload={"weight": 1.0})
    _add(uow, made)

    with uow.write() as work:
        work.tasks.add([part])
        leased = work.tasks.lease(part.id, worker="w")
        assert leased is not None
        work.tasks.renew(leased, progress=0.25)
        found = work.videos.find(made.id)

    assert found is not None
    assert found.progress == 25


def _first_page() -> VideoQuery:
    return VideoQuery(page=1, page_size=10)


def test_videos_whose_bytes_cannot_come_are_found(uow: SqlUnitOfWork) -> None:
    awaiting = VideoState.AWAITING_UPLOAD
    over = video("over", state=awaiting, upload_expires_at=NOW)
    later = video("later", state=awaiting, upload_expires_at=NOW + timedelta(hours=1))
    _add(uow, over, later, video())

    with uow.read() as work:
        assert [v.id for v in work.videos.expired(NOW, 10)] == [over.id]


def test_the_directory_sees_every_change_at_once(
    uow: SqlUnitOfWork, engine: Engine
) -> None:
    made = _finished()
    _add(uow, made)
    directory = SqlPlaybackDirectory(engine)
    entry = directory.find(made.id)
    assert entry is not None
    assert entry == directory.find(made.public_id)
    assert (entry.state, entry.load_media()) == (VideoState.READY, made.media)
    assert (entry.org_id, entry.env_id, entry.env_name) == (ORG, ENV, "dev")
    assert made.job_id is not None
    assert entry.media_root == f"media/{made.id}/{made.job_id}"

    with uow.write() as work:
        made.delete(NOW)
        work.videos.save(made)
        work.commit()

    deleted = directory.find(made.id)
    assert deleted is not None
    assert deleted.state is VideoState.DELETED


def test_the_directory_reads_the_media_once(uow: SqlUnitOfWork, engine: Engine) -> None:
    made = _finished()
    _add(uow, made)
    directory = SqlPlaybackDirectory(engine)
    first = directory.find(made.id)
    assert first is not None
    loaded = first.load_media()
    with engine.connect() as connection, connection.begin():
        connection.execute(sa.delete(tables.published_media))

    second = directory.find(made.id)

    assert second is not None
    assert loaded == made.media
    assert second.load_media() is loaded


def test_the_directory_knows_unfinished_videos_without_media(
    uow: SqlUnitOfWork, engine: Engine
) -> None:
    made = video()
    _add(uow, made)
    directory = SqlPlaybackDirectory(engine)

    entry = directory.find(made.id)

    assert entry is not None
    assert (entry.load_media(), entry.media_root) == (None, None)
    assert directory.find(VideoId("vid_none")) is None
    assert directory.find(PublicId("pubvid_\0")) is None


def test_the_directory_of_a_missing_database_is_unavailable() -> None:
    directory = SqlPlaybackDirectory(make_engine("sqlite:////nowhere/at/all.db"))

    with pytest.raises(UnavailableError, match="does not answer"):
        directory.find("vid_1")


def test_the_media_cache_is_bounded() -> None:
    cache = MediaCache(max_segments=250)
    texts = {f"v{n}": dump(media(90)) for n in range(4)}
    reads: list[str] = []

    def get(id_: str) -> None:
        def read() -> str:
            reads.append(id_)
            return texts[id_]

        assert cache.get((id_, "j"), read) == media(90)

    for id_ in ("v0", "v1", "v0", "v2", "v0", "v1"):
        get(id_)

    assert reads == ["v0", "v1", "v2", "v1"]
