"""
The analytics store ``sql``, on SQLite and on PostgreSQL.
"""

import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from hvcore.domain.analytics.breakdown import MAX_HOSTS, BreakdownBy
from hvcore.domain.analytics.playback_metrics import PlayerReport
from hvcore.domain.analytics.segments import ALL_TIME, DateRange, VideoScope
from hvcore.errors import UnavailableError
from hvcore.persistence.engine import make_engine
from hvcore.persistence.plugin_database import PluginDatabase
from hvcore.testing.analytics import (
    AnalyticsStoreConformance,
    BreakdownConformance,
    IgnoredConformance,
    MinutesConformance,
    QualityConformance,
    Reopened,
    ViewersConformance,
)
from hvcore.testing.analytics.served import (
    ENV,
    NOON,
    VIDEO,
    batch,
    came_from,
    ignored,
    in_env,
    minute_of,
    reported,
    seen,
    segment,
)
from hvcore_analytics_sql import live
from hvcore_analytics_sql.backend import SqlAnalytics
from hvcore_analytics_sql.gaps import count_anew
from hvcore_analytics_sql.tables import (
    environment_videos,
    gaps,
    ignored_days,
    metadata,
    minutes,
    origin_days,
    prepare,
    quality_days,
    schema_version,
    sessions,
)
from tests.support.servers import PostgresqlServer

RANGES = (
    ALL_TIME,
    DateRange(first=NOON.date() + timedelta(days=1)),
    DateRange(
        first=NOON.date() + timedelta(days=1), last=NOON.date() + timedelta(days=5)
    ),
)


def prepared(engine: Engine) -> SqlAnalytics:
    made = SqlAnalytics(PluginDatabase(engine))
    made.prepare()
    return made


class TestEveryPromise(
    AnalyticsStoreConformance,
    IgnoredConformance,
    MinutesConformance,
    ViewersConformance,
    QualityConformance,
    BreakdownConformance,
):
    @pytest.fixture
    def store(self, engine: Engine) -> SqlAnalytics:
        return prepared(engine)

    @pytest.fixture
    def reopened(self, store: SqlAnalytics, engine: Engine) -> Iterator[Reopened]:
        others: list[Engine] = []

        def reopen() -> SqlAnalytics:
            # Connections of its own, as another process has them.
            others.append(make_engine(engine.url.render_as_string(hide_password=False)))
            return SqlAnalytics(PluginDatabase(others[-1]))

        yield reopen
        for other in others:
            other.dispose()

    @pytest.fixture
    def unreachable(self, engine: Engine, tmp_path: Path) -> Iterator[SqlAnalytics]:
        url = (
            f"sqlite:///{tmp_path}/gone/hvcore.db"
            if engine.dialect.name == "sqlite"
            # Nobody listens there.
            else engine.url.set(host="127.0.0.1", port=1, query={}).render_as_string()
        )
        made = make_engine(url)
        yield SqlAnalytics(PluginDatabase(made))
        made.dispose()

    @pytest.fixture
    def elsewhere(self, tmp_path: Path) -> Iterator[SqlAnalytics]:
        made = make_engine(f"sqlite:///{tmp_path}/elsewhere.db")
        yield prepared(made)
        made.dispose()

    @pytest.fixture
    def unprepared(self, tmp_path: Path) -> Iterator[SqlAnalytics]:
        made = make_engine(f"sqlite:///{tmp_path}/unprepared.db")
        yield SqlAnalytics(PluginDatabase(made))
        made.dispose()


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


def test_a_migration_that_breaks_off_leaves_the_old_version(engine: Engine) -> None:
    store = prepared(engine)
    store.write(batch(segment()))
    metadata.drop_all(engine, tables=[environment_videos, gaps])
    database = PluginDatabase(engine)
    with database.writing() as connection:
        connection.execute(sa.update(schema_version).values(version=2))
        connection.commit()

    def complete(connection: sa.Connection) -> None:
        count_anew(connection)
        raise UnavailableError("The disk is full.")

    with pytest.raises(UnavailableError, match="disk is full"):
        prepare(database, complete)

    assert not sa.inspect(engine).has_table(gaps.name)
    assert not store.is_prepared()
    store.prepare()
    assert [day.videos for day in store.daily(in_env(ENV), ALL_TIME)] == [1]


@pytest.mark.services
def test_a_migration_may_take_longer_than_a_request(
    postgresql: PostgresqlServer,
) -> None:
    url = postgresql.new_database()
    # Of a request; as those of hvcore, but sooner over.
    short = make_engine(f"{url}&options=-cstatement_timeout%3D250ms")

    def complete(connection: sa.Connection) -> None:
        connection.exec_driver_sql("SELECT pg_sleep(0.5)")

    try:
        prepare(PluginDatabase(short), complete)

        assert SqlAnalytics(PluginDatabase(short)).is_prepared()
    finally:
        short.dispose()
        postgresql.drop_database(url)


def test_an_unprepared_database_says_what_to_do(engine: Engine) -> None:
    store = SqlAnalytics(PluginDatabase(engine))

    assert not store.is_prepared()
    with pytest.raises(UnavailableError, match="hv migrate"):
        store.ping()


def test_tables_of_a_newer_version_are_used_and_left_alone(engine: Engine) -> None:
    store = prepared(engine)
    with PluginDatabase(engine).writing() as connection:
        connection.execute(sa.update(schema_version).values(version=99))
        connection.commit()

    store.prepare()

    assert store.is_prepared()
    with PluginDatabase(engine).reading() as connection:
        assert connection.execute(sa.select(schema_version.c.version)).scalar() == 99


@pytest.mark.parametrize(
    ("version", "later"),
    [
        (
            1,
            [
                *(ignored_days, minutes, sessions),
                *(environment_videos, gaps, quality_days, origin_days),
            ],
        ),
        (2, [environment_videos, gaps, quality_days, origin_days]),
    ],
)
def test_tables_of_an_older_version_are_brought_up_with_their_counts(
    engine: Engine, version: int, later: list[sa.Table]
) -> None:
    store = prepared(engine)
    store.write(batch(segment()))
    metadata.drop_all(engine, tables=later)
    with PluginDatabase(engine).writing() as connection:
        connection.execute(sa.update(schema_version).values(version=version))
        connection.commit()
    was_prepared = store.is_prepared()

    store.prepare()
    report = reported(PlayerReport(is_startup=True))
    went = came_from(country="DE")
    store.write(batch(segment(), ignored(), seen("a"), report, went, start=10))

    scope = VideoScope(video_id=VIDEO)
    assert (was_prepared, store.is_prepared()) == (False, True)
    assert store.served([VIDEO]) == {VIDEO: 2}
    assert len(store.ignored(scope, ALL_TIME)) == 1
    assert [day.quality.startups for day in store.quality(scope, ALL_TIME)] == [1]
    rows = store.breakdown(scope, ALL_TIME, BreakdownBy.COUNTRY)
    assert {(row.value, row.segments) for row in rows} == {("DE", 1), (None, 1)}
    assert [day.videos for day in store.daily(in_env(ENV), ALL_TIME)] == [1]
    assert [one.videos for one in store.by_height(in_env(ENV), ALL_TIME)] == [1]


@pytest.mark.parametrize(
    "name", ['a"b', "a\\", "{a,b}", "NULL", "", " a ", "a,b", "ä€😀", "a\nb"]
)
def test_names_are_kept_as_they_are(engine: Engine, name: str) -> None:
    store = prepared(engine)

    store.write(batch(segment(env=name), segment("vid_kit_2", env="other")))

    assert store.totals(in_env(name), ALL_TIME).segments == 1


def test_several_that_write_at_once_keep_the_hosts_few(engine: Engine) -> None:
    store = prepared(engine)
    start = threading.Barrier(3)
    failures: list[BaseException] = []

    def write(number: int) -> None:
        hosts = [f"host{number}-{n}.example" for n in range(MAX_HOSTS - 20)]
        notes = [note for h in hosts for note in (segment(), came_from(referrer=h))]
        try:
            start.wait()
            store.write(batch(*notes, file=f"kit-{number}.log"))
        except BaseException as exc:  # noqa: BLE001 - shown below
            failures.append(exc)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    rows = store.breakdown(VideoScope(video_id=VIDEO), ALL_TIME, BreakdownBy.REFERRER)
    assert failures == []
    assert len(rows) == MAX_HOSTS + 1
    assert sum(row.segments for row in rows) == 3 * (MAX_HOSTS - 20)


def test_what_an_older_version_wrote_meanwhile_is_counted_by_the_next_migration(
    engine: Engine,
) -> None:
    store = prepared(engine)
    days = [NOON + timedelta(days=number) for number in (0, 1, 40)]
    store.write(batch(*(segment(at=at) for at in days), segment("vid_kit_2")))
    expected = [store.by_height(in_env(ENV), asked) for asked in RANGES]
    daily = store.daily(in_env(ENV), ALL_TIME)
    with PluginDatabase(engine).writing() as connection:
        connection.execute(sa.delete(gaps).where(gaps.c.day > days[0].date()))
        connection.execute(sa.delete(environment_videos))
        connection.commit()
    was_consistent = store.is_consistent()

    store.prepare()

    assert (was_consistent, store.is_consistent()) == (False, True)
    assert [one.videos for one in daily] == [2, 1, 1]
    assert [[one.videos for one in found] for found in expected] == [[2], [1], [1]]
    assert store.daily(in_env(ENV), ALL_TIME) == daily
    assert [store.by_height(in_env(ENV), asked) for asked in RANGES] == expected


def test_what_is_old_goes_in_small_transactions(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "FORGET_AT_ONCE", 2)
    store = prepared(engine)
    ones = [segment(f"vid_kit_{number}") for number in range(3)]
    store.write(batch(*ones, *(seen(f"s{number}") for number in range(3))))
    later = minute_of(ones[0].at) + 1
    after = ones[0].at + timedelta(minutes=1)

    assert [store.forget_minutes(later) for _ in range(2)] == [True, False]
    assert [store.forget_sessions(after) for _ in range(2)] == [True, False]
    with engine.connect() as connection:
        for table in (minutes, sessions):
            left = connection.execute(sa.select(sa.func.count()).select_from(table))
            assert left.scalar_one() == 0
