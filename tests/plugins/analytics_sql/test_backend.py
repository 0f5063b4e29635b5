"""
The analytics store ``sql``, on SQLite and on PostgreSQL.
"""

import threading
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from hv_analytics_sql.backend import SqlAnalytics
from hv_analytics_sql.tables import schema_version
from hvcore.domain.analytics import (
    ALL_TIME,
    BatchId,
    DateRange,
    DayCount,
    EnvironmentScope,
    EnvironmentServed,
    HeightCount,
    SegmentPlace,
    SegmentServed,
    ServedBatch,
    ServedTotals,
    VideoScope,
    roll_up,
)
from hvcore.domain.ids import EnvId, OrgId, VideoId
from hvcore.errors import ConfigError, UnavailableError
from hvcore.persistence.engine import make_engine
from hvcore.persistence.plugin_database import PluginDatabase
from hvcore.ports.analytics import BatchRefusedError
from tests.servers import PostgresqlServer

T0 = datetime(2026, 1, 1, 12, tzinfo=UTC)
T1 = T0 + timedelta(hours=1)
T2 = T0 + timedelta(days=1)
T3 = T0 + timedelta(days=5)
DAY0, DAY1, DAY5 = (date(2026, 1, 1), date(2026, 1, 2), date(2026, 1, 6))


@pytest.fixture(
    params=["sqlite", pytest.param("postgresql", marks=pytest.mark.services)]
)
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    if request.param == "sqlite":
        made = make_engine(f"sqlite:///{tmp_path}/hvcore.db")
        yield made
        made.dispose()
        return
    server: PostgresqlServer = request.getfixturevalue("postgresql")
    url = server.new_database()
    made = make_engine(url)
    yield made
    made.dispose()
    server.drop_database(url)


@pytest.fixture
def store(engine: Engine) -> SqlAnalytics:
    made = SqlAnalytics(PluginDatabase(engine))
    made.prepare()
    return made


def place(
    video: str = "vid_1", height_px: int = 720, env: str = "dev", org: str = "org_a"
) -> SegmentPlace:
    return SegmentPlace(
        org_id=OrgId(org),
        env_id=EnvId(env),
        video_id=VideoId(video),
        height_px=height_px,
    )


def batch(
    *served: tuple[SegmentPlace, datetime], file: str = "f.log", start: int = 0
) -> ServedBatch:
    return ServedBatch(
        id=BatchId(file=file, start=start, end=start + 10 * len(served)),
        counts=roll_up(SegmentServed(place=where, at=at) for where, at in served),
    )


def in_env(*envs: str, org: str = "org_a") -> EnvironmentScope:
    return EnvironmentScope(
        org_id=OrgId(org), env_ids=frozenset(EnvId(env) for env in envs)
    )


def served_of(store: SqlAnalytics, video: str = "vid_1") -> int:
    return store.served([VideoId(video)]).get(VideoId(video), 0)


def test_a_query_right_after_a_write_sees_it(store: SqlAnalytics) -> None:
    store.write(batch((place(), T0), (place(height_px=360), T0)))

    assert served_of(store) == 2
    assert store.position("f.log") == 20


def test_the_same_batch_twice_counts_once(store: SqlAnalytics) -> None:
    for _ in range(2):
        store.write(batch((place(), T0)))

    assert served_of(store) == 1
    assert store.totals(in_env("dev"), ALL_TIME).segments == 1


def test_batches_of_one_file_add_up(store: SqlAnalytics) -> None:
    store.write(batch((place(), T0)))
    store.write(batch((place(), T1), (place(), T2), start=10))

    assert served_of(store) == 3
    assert store.position("f.log") == 30


@pytest.mark.parametrize(("start", "count"), [(5, 1), (0, 2), (20, 1)])
def test_a_batch_that_does_not_follow_is_refused(
    store: SqlAnalytics, start: int, count: int
) -> None:
    store.write(batch((place(), T0)))

    with pytest.raises(BatchRefusedError, match=r"f\.log"):
        store.write(batch(*[(place(), T0)] * count, start=start))

    assert served_of(store) == 1
    assert store.position("f.log") == 10


def test_a_batch_without_counts_moves_the_position(store: SqlAnalytics) -> None:
    store.write(ServedBatch(id=BatchId(file="f.log", start=0, end=99), counts=()))

    assert store.position("f.log") == 99


def test_files_do_not_know_each_other(store: SqlAnalytics) -> None:
    store.write(batch((place(), T0), file="a.log"))
    store.write(batch((place(), T0), file="b.log"))

    assert served_of(store) == 2


def test_a_forgotten_file_keeps_its_counts(store: SqlAnalytics) -> None:
    store.write(batch((place(), T0)))

    store.forget("f.log")

    assert (served_of(store), store.position("f.log")) == (1, 0)


def test_counts_survive_the_store(store: SqlAnalytics, engine: Engine) -> None:
    store.write(batch((place(), T0)))
    store.close()

    again = SqlAnalytics(PluginDatabase(engine))
    again.prepare()

    assert served_of(again) == 1


def test_many_writers_at_once_lose_nothing(store: SqlAnalytics) -> None:
    failures: list[BaseException] = []

    def write(number: int) -> None:
        # In opposite orders: whoever locks as it comes, deadlocks.
        rows = [(place(f"vid_{n}"), T0) for n in range(40)]
        if number % 2:
            rows.reverse()
        try:
            for start in range(0, 4_000, 400):
                store.write(batch(*rows, file=f"{number}.log", start=start))
        except BaseException as exc:  # noqa: BLE001 - shown below
            failures.append(exc)

    threads = [threading.Thread(target=write, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert failures == []
    assert served_of(store, "vid_7") == 40
    assert store.totals(in_env("dev"), ALL_TIME).segments == 1_600


def test_the_same_batch_at_the_same_time_counts_once(store: SqlAnalytics) -> None:
    start = threading.Barrier(4)

    def write() -> None:
        start.wait()
        store.write(batch((place(), T0)))

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert served_of(store) == 1


def test_environments_are_told_apart(store: SqlAnalytics) -> None:
    store.write(
        batch(
            (place(), T0),
            (place(), T2),
            (place("vid_2", env="live"), T3),
            (place("vid_3", org="org_b"), T3),
        )
    )

    found = store.by_environment(in_env("dev", "live", "empty"), DAY1)

    assert found == {
        "dev": EnvironmentServed(segments=2, segments_since=1, last_at=T2),
        "live": EnvironmentServed(segments=1, segments_since=1, last_at=T3),
    }


def test_days_have_heights_and_different_videos(store: SqlAnalytics) -> None:
    store.write(
        batch(
            (place(height_px=720), T0),
            (place(height_px=720), T1),
            (place(height_px=1080), T1),
            (place("vid_2", height_px=720), T1),
            (place("vid_2", height_px=720, env="live"), T2),
            (place("vid_9", env="other"), T2),
        )
    )

    assert store.daily(in_env("dev", "live"), ALL_TIME) == [
        DayCount(day=DAY0, videos=2, heights={720: 3, 1080: 1}),
        DayCount(day=DAY1, videos=1, heights={720: 1}),
    ]


@pytest.mark.parametrize(
    ("days", "found"),
    [
        (ALL_TIME, [DAY0, DAY1, DAY5]),
        (DateRange(first=DAY1), [DAY1, DAY5]),
        (DateRange(last=DAY1), [DAY0, DAY1]),
        (DateRange(first=DAY1, last=DAY1), [DAY1]),
        (DateRange(first=date(2026, 1, 3), last=date(2026, 1, 5)), []),
    ],
)
def test_both_ends_of_a_range_belong_to_it(
    store: SqlAnalytics, days: DateRange, found: list[date]
) -> None:
    store.write(batch((place(), T0), (place(), T2), (place(), T3)))

    assert [count.day for count in store.daily(in_env("dev"), days)] == found
    assert store.totals(in_env("dev"), days).days == len(found)
    assert store.totals(VideoScope(video_id=VideoId("vid_1")), days).days == len(found)
    assert sum(c.days for c in store.by_height(in_env("dev"), days)) == len(found)


def test_heights_of_environments(store: SqlAnalytics) -> None:
    store.write(
        batch(
            (place(height_px=720), T0),
            (place(height_px=720), T2),
            (place("vid_2", height_px=720, env="live"), T1),
            (place("vid_2", height_px=360, env="live"), T1),
        )
    )

    assert store.by_height(in_env("dev", "live"), ALL_TIME) == [
        HeightCount(
            height_px=360, segments=1, videos=1, days=1, first_at=T1, last_at=T1
        ),
        HeightCount(
            height_px=720, segments=3, videos=2, days=2, first_at=T0, last_at=T2
        ),
    ]
    assert store.by_height(in_env("dev", "live"), DateRange(first=DAY1)) == [
        HeightCount(
            height_px=720, segments=1, videos=1, days=1, first_at=T2, last_at=T2
        ),
    ]


def test_heights_and_totals_of_a_video(store: SqlAnalytics) -> None:
    store.write(
        batch(
            (place(height_px=720), T0),
            (place(height_px=360), T1),
            (place(height_px=360), T3),
            (place("vid_2"), T2),
        )
    )
    scope = VideoScope(video_id=VideoId("vid_1"))

    assert store.totals(scope, ALL_TIME) == ServedTotals(
        segments=3, days=2, first_at=T0, last_at=T3
    )
    assert [
        (c.height_px, c.segments, c.days, c.videos)
        for c in store.by_height(scope, ALL_TIME)
    ] == [
        (360, 2, 2, 1),
        (720, 1, 1, 1),
    ]
    assert store.daily(scope, DateRange(last=DAY0)) == [
        DayCount(day=DAY0, videos=1, heights={360: 1, 720: 1})
    ]


def test_an_empty_store_answers(store: SqlAnalytics) -> None:
    scope = in_env("dev")

    assert store.served([VideoId("vid_1")]) == {}
    assert store.served([]) == {}
    assert store.by_environment(scope, DAY0) == {}
    assert store.totals(scope, ALL_TIME) == ServedTotals()
    assert store.daily(scope, ALL_TIME) == []
    assert store.by_height(scope, ALL_TIME) == []
    assert store.by_height(in_env(), ALL_TIME) == []


def test_preparing_twice_changes_nothing(store: SqlAnalytics) -> None:
    store.write(batch((place(), T0)))

    store.prepare()

    assert store.is_prepared()
    assert served_of(store) == 1


def test_several_processes_may_prepare_at_once(engine: Engine) -> None:
    store = SqlAnalytics(PluginDatabase(engine))
    failures: list[BaseException] = []

    def prepare() -> None:
        try:
            store.prepare()
        except BaseException as exc:  # noqa: BLE001 - shown below
            failures.append(exc)

    threads = [threading.Thread(target=prepare) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert failures == []
    assert store.is_prepared()


def test_an_unprepared_database_says_what_to_do(engine: Engine) -> None:
    store = SqlAnalytics(PluginDatabase(engine))

    assert not store.is_prepared()
    with pytest.raises(UnavailableError, match="hv migrate"):
        store.ping()


def test_tables_of_a_newer_version_are_left_alone(
    store: SqlAnalytics, engine: Engine
) -> None:
    with PluginDatabase(engine).writing() as connection:
        connection.execute(sa.update(schema_version).values(version=99))
        connection.commit()

    with pytest.raises(ConfigError, match="newer version"):
        store.prepare()
