"""
The kept totals of videos equal a recount, whatever happens at once.
"""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import date, datetime, timedelta

import attrs
import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from hvcore.domain.access.tenants import Environment, EnvironmentKind
from hvcore.domain.ids import EnvId, VideoId, new_job_id
from hvcore.domain.processing.encoding import EncodingSettings, Preset
from hvcore.domain.videos.catalog import SortBy, SortDir, VideoPage, VideoQuery
from hvcore.domain.videos.states import LISTED_STATES, VideoState
from hvcore.domain.videos.video import Video
from hvcore.persistence import tables
from hvcore.persistence.json_columns import load
from hvcore.persistence.unit_of_work import SqlUnitOfWork
from hvcore.persistence.videos.catalog import SqlVideoCatalog
from hvcore.persistence.videos.pages import DEEP_OFFSET
from hvcore.persistence.videos.recount import recount
from hvcore.ports.repositories.errors import ConcurrentUpdateError
from tests.persistence.samples import (
    ENV,
    NOW,
    ORG,
    OTHER_ORG,
    at_once,
    media,
    video,
)

# Threads and databases, at random and for long: one interpreter only.
pytestmark = pytest.mark.matrix

Group = tuple[str, str, str, str]
Day = tuple[str, str, int]
THREADS = 4
STEPS = 25


def _totals(engine: Engine) -> dict[Group, tuple[int, int]]:
    columns = tables.video_totals.c
    with engine.connect() as connection:
        rows = connection.execute(sa.select(tables.video_totals)).all()
    assert columns.keys()[:4] == ["org_id", "env_id", "state", "preset"]
    return {tuple(row[:4]): (row[4], row[5]) for row in rows if row[4] or row[5]}


def _counted(engine: Engine) -> dict[Group, tuple[int, int]]:
    counts: Counter[Group] = Counter()
    durations: Counter[Group] = Counter()
    with engine.connect() as connection:
        for row in connection.execute(sa.select(tables.videos)):
            preset = load(row.settings, EncodingSettings).preset.value
            group = (row.org_id, row.env_id, row.state, preset)
            counts[group] += 1
            durations[group] += round(row.duration_s * 1000)
    return {group: (counts[group], durations[group]) for group in counts}


def _upload_totals(engine: Engine) -> dict[Day, tuple[int, datetime]]:
    with engine.connect() as connection:
        rows = connection.execute(sa.select(tables.video_uploads)).all()
    return {
        (row.org_id, row.env_id, row.day): (row.videos, row.first_at) for row in rows
    }


def _counted_uploads(engine: Engine) -> dict[Day, tuple[int, datetime]]:
    found: dict[Day, tuple[int, datetime]] = {}
    with engine.connect() as connection:
        for row in connection.execute(sa.select(tables.videos)):
            is_deleted = row.state == VideoState.DELETED.value
            if row.state == VideoState.AWAITING_UPLOAD.value or (
                is_deleted and row.job_id is None
            ):
                continue
            day = (row.created_at.date() - date(1970, 1, 1)).days
            key = (row.org_id, row.env_id, day)
            count, first_at = found.get(key, (0, row.created_at))
            found[key] = (count + 1, min(first_at, row.created_at))
    return found


def _made(chance: random.Random) -> Video:
    state = chance.choice([VideoState.AWAITING_UPLOAD, VideoState.TRANSCODING])
    is_awaited = state is VideoState.AWAITING_UPLOAD
    return video(
        created_at=NOW - timedelta(hours=chance.randint(0, 60)),
        job_id=None if is_awaited else new_job_id(),
        org_id=chance.choice([ORG, OTHER_ORG]),
        settings=EncodingSettings(preset=chance.choice(list(Preset))),
        state=state,
    )


def _move(chance: random.Random, found: Video) -> None:
    job_id = found.job_id or new_job_id()
    preset = EncodingSettings(preset=chance.choice(list(Preset)))
    moves: list[Callable[[], object]] = [
        lambda: found.start_processing(new_job_id()),
        lambda: found.mark_ready(job_id, media(segments=chance.randint(1, 3))),
        lambda: found.mark_failed(job_id, "f"),
        lambda: found.retry(new_job_id(), preset),
        lambda: found.delete(NOW),
        found.expire,
        lambda: setattr(found, "name", "another"),
    ]
    # Most states refuse most moves.
    with suppress(Exception):
        chance.choice(moves)()


def _act(uow: SqlUnitOfWork, chance: random.Random, ids: list[VideoId]) -> None:
    """
    Add and change some videos in one transaction, or give it up.
    """
    with suppress(ConcurrentUpdateError), uow.write() as work:
        added = [_made(chance) for _ in range(chance.randint(0, 2))]
        for made in added:
            work.videos.add(made)
        # Sorted: else two transactions would wait for each other's videos.
        chosen = chance.sample(ids, min(len(ids), chance.randint(0, 2)))
        for video_id in sorted(chosen):
            found = work.videos.find(video_id)
            if found is not None:
                _move(chance, found)
                work.videos.save(found)
        if chance.random() > 0.2:
            work.commit()
            ids += [made.id for made in added]


@pytest.mark.cases(2)
@pytest.mark.parametrize("seed", [0, 100, 200])
def test_totals_equal_a_recount(uow: SqlUnitOfWork, engine: Engine, seed: int) -> None:
    ids: list[VideoId] = []

    def run(number: int) -> None:
        chance = random.Random(seed + number)  # noqa: S311 - no secrets
        for _ in range(STEPS):
            _act(uow, chance, ids)

    assert at_once(run, threads=THREADS) == [None] * THREADS
    assert _totals(engine) == _counted(engine)
    assert _upload_totals(engine) == _counted_uploads(engine)


def test_a_refused_save_counts_nothing(uow: SqlUnitOfWork, engine: Engine) -> None:
    made = video()
    with uow.write() as work:
        work.videos.add(made)
        work.commit()
    made.version = 7
    made.delete(NOW)

    with uow.write() as work:
        with pytest.raises(ConcurrentUpdateError):
            work.videos.save(made)
        work.commit()

    assert _totals(engine) == _counted(engine)
    assert _upload_totals(engine) == _counted_uploads(engine)


def test_an_unfinished_transaction_counts_nothing(
    uow: SqlUnitOfWork, engine: Engine
) -> None:
    with uow.write() as work:
        work.videos.add(video())

    assert _totals(engine) == {}
    assert _upload_totals(engine) == {}


@pytest.mark.cases(3)
@pytest.mark.parametrize("sort_by", list(SortBy))
@pytest.mark.parametrize("state", [None, *LISTED_STATES])
def test_pages_join_into_the_whole_list(
    uow: SqlUnitOfWork,
    engine: Engine,
    sort_by: SortBy,
    state: VideoState | None,
) -> None:
    """
    Those far behind are found in another way than the first ones.
    """
    chance = random.Random(1)  # noqa: S311 - no secrets
    with uow.write() as work:
        for number in range(DEEP_OFFSET + 30):
            work.videos.add(
                video(
                    f"n{chance.randint(0, 50)}",
                    state=chance.choice([*LISTED_STATES, VideoState.READY]),
                    media=media(segments=chance.randint(1, 3)),
                    created_at=NOW + timedelta(seconds=number // 3),
                )
            )
        work.videos.add(video(state=VideoState.DELETED))
        work.videos.add(video(state=VideoState.AWAITING_UPLOAD))
        work.videos.add(video(org_id=OTHER_ORG))
        work.commit()
    catalog = SqlVideoCatalog(engine)
    env = Environment(
        id=EnvId(ENV),
        org_id=ORG,
        name="dev",
        kind=EnvironmentKind.DEVELOPMENT,
        created_at=NOW,
    )

    def pages(sort_dir: SortDir) -> Sequence[VideoPage]:
        wanted = VideoQuery(
            page=1, page_size=45, sort_by=sort_by, sort_dir=sort_dir, state=state
        )
        return [
            catalog.page(env, attrs.evolve(wanted, page=number))
            for number in range(1, 8)
        ]

    keys = {
        SortBy.CREATED_AT: lambda v: (v.created_at, v.id),
        SortBy.NAME: lambda v: (v.name.casefold(), v.id),
        SortBy.DURATION: lambda v: (v.duration_s, v.id),
        SortBy.STATUS: lambda v: (v.state.value, v.id),
    }
    for sort_dir in SortDir:
        found = pages(sort_dir)
        listed = [video for page in found for video in page.videos]
        reverse = sort_dir is SortDir.DESC
        assert listed == sorted(listed, key=keys[sort_by], reverse=reverse)
        assert len({video.id for video in listed}) == len(listed)
        assert {page.total for page in found} == {len(listed)}
        if state is None:
            assert len(listed) == DEEP_OFFSET + 30
        else:
            assert {video.state for video in listed} == {state}


# A half of a millisecond goes to the even neighbour, above as below.
DURATIONS_S = (0.0625, 0.1875, 2.0004, 2.0006, 6.006, 7199.9996)


def test_a_recount_corrects_totals_that_nobody_kept(
    uow: SqlUnitOfWork, engine: Engine
) -> None:
    chance = random.Random(5)  # noqa: S311 - no secrets
    with uow.write() as work:
        for _ in range(30):
            work.videos.add(_made(chance))
        work.commit()
    with engine.begin() as connection:
        columns = tables.videos.c
        found = connection.execute(sa.select(columns.id)).scalars().all()
        for number, video_id in enumerate(found):
            connection.execute(
                sa.update(tables.videos)
                .where(columns.id == video_id)
                .values(
                    state=chance.choice(list(VideoState)).value,
                    duration_s=DURATIONS_S[number % len(DURATIONS_S)],
                )
            )
    drifted = _totals(engine) != _counted(engine)
    uploads_drifted = _upload_totals(engine) != _counted_uploads(engine)

    recount(engine)

    assert drifted
    assert uploads_drifted
    assert _totals(engine) == _counted(engine)
    assert _upload_totals(engine) == _counted_uploads(engine)


def test_a_recount_of_no_videos_leaves_no_totals(engine: Engine) -> None:
    recount(engine)

    assert _totals(engine) == {}
    assert _upload_totals(engine) == {}


def test_a_recount_may_happen_while_videos_change(
    uow: SqlUnitOfWork, engine: Engine
) -> None:
    ids: list[VideoId] = []

    def run(number: int) -> None:
        chance = random.Random(number)  # noqa: S311 - no secrets
        for _ in range(STEPS):
            if number:
                _act(uow, chance, ids)
            else:
                recount(engine)

    assert at_once(run, threads=THREADS) == [None] * THREADS
    assert _totals(engine) == _counted(engine)
    assert _upload_totals(engine) == _counted_uploads(engine)
