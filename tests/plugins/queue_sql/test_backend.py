"""
What the queue in the database does besides what every queue promises.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest
import sqlalchemy as sa

from hvcore.assembly import Services, build
from hvcore.domain.ids import new_task_id
from hvcore.errors import PluginError, UnavailableError
from hvcore.persistence.engine import make_engine
from hvcore.persistence.plugin_database import PluginDatabase
from hvcore.plugin_api import Lane
from hvcore.settings import load
from hvcore_checks.backend_checks import queue as check_queue
from hvcore_queue_sql.backend import SqlQueue
from hvcore_queue_sql.presence import Presence
from hvcore_queue_sql.statements import COUNTS_FOR_S, FORGOTTEN_AFTER_S, MESSAGE_LIVES_S
from hvcore_queue_sql.tables import consumers, messages

PLAIN: Final = """
from hvcore.plugin_api import QueueBackend, hookimpl
from tests.support.fakes import MemoryQueue

@hookimpl
def hvcore_queues():
    yield QueueBackend(name="plain", factory=lambda *_: MemoryQueue(), prepares=True)
"""


@pytest.fixture
def database(tmp_path: Path) -> Iterator[PluginDatabase]:
    engine = make_engine(f"sqlite:///{tmp_path}/hvcore.db")
    yield PluginDatabase(engine)
    engine.dispose()


@pytest.fixture
def queue(database: PluginDatabase) -> SqlQueue:
    made = SqlQueue(database)
    made.prepare()
    return made


def services_with(folder: Path, backend: str, plugins: str) -> Services:
    environ = {
        "HV_PLUGINS": f"{plugins},hvcore_analytics_sql.plugin",
        "HV_QUEUE__BACKEND": backend,
    }
    settings = load(config_path=None, environ=environ, data_dir=folder).settings
    return build(settings, rings=False)


def age(database: PluginDatabase, column: sa.Column[int], seconds: int) -> None:
    with database.writing() as connection:
        connection.execute(
            sa.update(column.table).values({column: column - seconds * 1000})
        )
        connection.commit()


def put(queue: SqlQueue) -> None:
    queue.put(new_task_id(), kind="test", lane=Lane.LIGHT)


def test_migrating_makes_its_tables(tmp_path: Path) -> None:
    with services_with(tmp_path, "sql", "hvcore_queue_sql.plugin") as services:
        with pytest.raises(UnavailableError, match="hv migrate"):
            services.queue.ping()
        (told,) = check_queue(services)
        assert "hv migrate" in told.found

        services.migrate()

        services.queue.ping()
        assert services.is_migrated()
        with services.engine.begin() as connection:
            messages.drop(connection)
        assert not services.is_migrated()


def test_a_queue_inside_one_process_is_none_for_hv(tmp_path: Path) -> None:
    with services_with(tmp_path, "local", "hvcore_queue_local.plugin") as services:
        (told,) = check_queue(services)

    assert told.state == "broken"
    assert "rq or sql" in told.fix


def test_a_backend_that_says_it_prepares_must_be_able_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "acme_plain.py").write_text(PLAIN, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))

    with (
        services_with(tmp_path, "plain", "acme_plain") as services,
        pytest.raises(PluginError, match="SupportsPrepare"),
    ):
        services.migrate()


def test_rings_of_a_task_that_waits_are_joined(queue: SqlQueue) -> None:
    task_id = new_task_id()

    for _ in range(3):
        queue.put(task_id, kind="test", lane=Lane.LIGHT)

    assert queue.depth(Lane.LIGHT) == 1


def test_what_nobody_takes_is_forgotten(
    queue: SqlQueue, database: PluginDatabase
) -> None:
    put(queue)
    age(database, messages.c.put_ms, MESSAGE_LIVES_S + 1)
    put(queue)

    with Presence(database, [Lane.ENCODE]):
        pass

    assert queue.depth(Lane.LIGHT) == 1


def test_a_killed_consumer_is_not_counted_for_long(
    queue: SqlQueue, database: PluginDatabase
) -> None:
    with Presence(database, [Lane.ENCODE, Lane.ENCODE]):
        queue.consume(lambda _: None, lanes=[Lane.LIGHT], until=lambda: counted(queue))

        age(database, consumers.c.seen_ms, COUNTS_FOR_S + 1)
        assert queue.workers(Lane.ENCODE) == 0

        age(database, consumers.c.seen_ms, FORGOTTEN_AFTER_S)
        with Presence(database, [Lane.PLAN]):
            pass
        rows = database.ask(sa.select(consumers.c.lane), {})

    assert [lane for (lane,) in rows] == []


def counted(queue: SqlQueue) -> bool:
    return queue.workers(Lane.ENCODE) == 1


def test_a_consumer_that_ends_is_not_counted(queue: SqlQueue) -> None:
    queue.consume(lambda _: None, lanes=[Lane.ENCODE], until=lambda: counted(queue))

    assert queue.workers(Lane.ENCODE) == 0


@pytest.mark.parametrize(
    "ask",
    [put, lambda queue: queue.depth(Lane.ENCODE), lambda q: q.workers(Lane.ENCODE)],
    ids=["put", "depth", "workers"],
)
def test_a_queue_that_was_made_before_a_fork_says_so(
    queue: SqlQueue, monkeypatch: pytest.MonkeyPatch, ask: Callable[[SqlQueue], object]
) -> None:
    monkeypatch.setattr(os, "getpid", lambda: 1)

    with pytest.raises(UnavailableError, match="before a fork"):
        ask(queue)
