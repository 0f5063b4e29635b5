"""
Who writes to SQLite waits as long as it takes, and nobody is passed by.
"""

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

import pytest
from sqlalchemy import event
from sqlalchemy.engine import Connection, Engine

from hvcore.errors import UnavailableError
from hvcore.persistence import engine as engine_module
from hvcore.persistence.engine import make_engine, write_queue, writing
from hvcore.persistence.migrate import migrate
from hvcore.persistence.plugin_database import PluginDatabase
from hvcore.persistence.videos.recount import recount
from hvcore.throttling.turns import having_turn, work_for
from hvcore_analytics_sql.backend import SqlAnalytics
from tests.support.live import until

BEGINS: Final = "BEGIN IMMEDIATE"
SWITCHES: Final = "PRAGMA journal_mode=WAL"
WITHIN_S: Final = 60


def _prepare(engine: Engine) -> None:
    SqlAnalytics(PluginDatabase(engine)).prepare()


def _note(connection: Connection, word: str) -> None:
    connection.exec_driver_sql("INSERT INTO noted VALUES (?)", (word,))
    connection.commit()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "hvcore.db"


@pytest.fixture
def engine(path: Path) -> Iterator[Engine]:
    made = make_engine(f"sqlite:///{path}")
    yield made
    made.dispose()


@contextmanager
def other_process_writes(path: Path) -> Iterator[sqlite3.Connection]:
    """
    Hold the write lock as another process does; whoever waits must ask.
    """
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(BEGINS)
        yield connection
        connection.execute("COMMIT")


def asked_of(engine: Engine) -> list[str]:
    """
    Return a list that fills with the statements of new connections.
    """
    asked: list[str] = []

    def listen(driver: sqlite3.Connection, _: object) -> None:
        driver.set_trace_callback(asked.append)

    event.listen(engine, "connect", listen, insert=True)
    return asked


class Worker(threading.Thread):
    """
    Does something, and tells how it ended.
    """

    def __init__(self, work: Callable[[], None]) -> None:
        super().__init__()
        self.failure: BaseException | None = None
        self._work = work
        self.start()

    def run(self) -> None:
        try:
            self._work()
        except BaseException as exc:  # noqa: BLE001 - the test shows it
            self.failure = exc


def test_a_writers_connection_waits_for_others_as_before(engine: Engine) -> None:
    def waits_ms(connection: Connection) -> object:
        return connection.exec_driver_sql("PRAGMA busy_timeout").scalar_one()

    with engine.connect() as connection:
        before_ms = waits_ms(connection)
    with writing(engine) as connection:
        connection.exec_driver_sql("CREATE TABLE noted (word TEXT)")

        assert waits_ms(connection) == before_ms != 0


def test_a_writer_that_comes_back_at_once_goes_behind_those_who_wait(
    engine: Engine,
) -> None:
    with writing(engine) as connection:
        connection.exec_driver_sql("CREATE TABLE noted (word TEXT)")
        connection.commit()
    others = []

    def note(word: str) -> None:
        with writing(engine) as mine:
            _note(mine, word)

    queue = write_queue(engine)
    with writing(engine) as connection:
        for number in range(4):
            others.append(Worker(lambda number=number: note(f"other {number}")))
            until(lambda count=number + 1: queue.waiting == count, within_s=WITHIN_S)
        _note(connection, "first")
    note("back")
    for other in others:
        other.join()

    with engine.connect() as connection:
        words = connection.exec_driver_sql("SELECT word FROM noted ORDER BY rowid")
        assert list(words.scalars()) == [
            "first",
            *(f"other {number}" for number in range(4)),
            "back",
        ]
    assert [other.failure for other in others] == [None] * 4


def test_a_turn_that_does_not_come_is_given_up(engine: Engine) -> None:
    with (
        writing(engine),
        pytest.raises(UnavailableError, match="does not answer"),
        writing(engine, timeout_ms=1),
    ):
        pass

    assert not write_queue(engine).waiting
    with writing(engine) as connection:
        connection.commit()


def test_a_turn_ends_also_if_the_lock_was_not_free(engine: Engine, path: Path) -> None:
    with writing(engine) as connection:
        connection.commit()

    with (
        other_process_writes(path),
        pytest.raises(UnavailableError, match="does not answer"),
        writing(engine, timeout_ms=1),
    ):
        pass

    with writing(engine) as connection:
        connection.commit()


def test_a_writer_that_waits_for_another_process_ends_its_turn(
    engine: Engine, path: Path
) -> None:
    has_ended = threading.Event()

    def write() -> None:
        with having_turn("a", end=has_ended.set), writing(engine) as connection:
            connection.commit()

    with other_process_writes(path):
        worker = Worker(write)
        assert has_ended.wait(WITHIN_S)
    worker.join()

    assert worker.failure is None


def test_a_writer_that_waits_for_its_own_process_ends_its_turn(
    engine: Engine,
) -> None:
    has_ended = threading.Event()

    def write() -> None:
        with having_turn("a", end=has_ended.set), writing(engine) as connection:
            connection.commit()

    with writing(engine):
        worker = Worker(write)
        assert has_ended.wait(WITHIN_S)
    worker.join()

    assert worker.failure is None


def test_a_writer_that_need_not_wait_keeps_its_turn(engine: Engine) -> None:
    has_ended = threading.Event()

    with having_turn("a", end=has_ended.set), writing(engine) as connection:
        connection.commit()

    assert not has_ended.is_set()


@pytest.mark.parametrize("work", [migrate, recount, _prepare])
def test_an_operators_command_waits_longer_than_a_request(
    engine: Engine,
    path: Path,
    monkeypatch: pytest.MonkeyPatch,
    work: Callable[[Engine], None],
) -> None:
    if work is recount:
        migrate(engine)
    else:
        with writing(engine) as connection:
            connection.commit()
    engine.dispose()
    monkeypatch.setattr(engine_module, "BUSY_TIMEOUT_MS", 0)
    asked = asked_of(engine)

    with other_process_writes(path):
        with pytest.raises(UnavailableError, match="does not answer"), writing(engine):
            pass
        asked.clear()
        worker = Worker(lambda: work(engine))
        until(
            lambda: asked.count(BEGINS) > 1 or not worker.is_alive(),
            within_s=WITHIN_S,
        )
        waited = worker.is_alive()
    worker.join()

    assert worker.failure is None
    assert waited


def test_a_new_database_may_be_opened_while_another_process_makes_it(
    engine: Engine, path: Path
) -> None:
    """
    Switching to WAL is refused at once, without SQLite's own waiting.
    """
    asked = asked_of(engine)

    with other_process_writes(path) as connection:
        connection.execute("CREATE TABLE other (id INTEGER)")
        worker = Worker(lambda: engine.connect().close())
        until(
            lambda: asked.count(SWITCHES) > 1 or not worker.is_alive(),
            within_s=WITHIN_S,
        )
    worker.join()

    assert worker.failure is None
    with engine.connect() as opened:
        mode = opened.exec_driver_sql("PRAGMA journal_mode").scalar_one()
        assert mode == "wal"


def test_a_client_with_one_change_waits_for_one_of_each_other_client(
    engine: Engine,
) -> None:
    order: list[str] = []

    def write(client: str) -> None:
        with having_turn("an address", end=bool):
            work_for(client)
            with writing(engine) as connection:
                order.append(client)
                connection.commit()

    workers = []
    with writing(engine):
        for number, client in enumerate("aaabc", start=1):
            workers.append(Worker(lambda client=client: write(client)))
            until(
                lambda count=number: write_queue(engine).waiting == count,
                within_s=WITHIN_S,
            )
    for worker in workers:
        worker.join()

    assert order == ["a", "b", "c", "a", "a"]
