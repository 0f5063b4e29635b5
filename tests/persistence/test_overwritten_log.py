"""
When SQLite's log of what was overwritten is emptied, and what is said if it is not.
"""

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from hvcore.persistence.engine import make_engine, writing
from hvcore.persistence.overwritten_log import TOLD_EVERY_S, OverwrittenLog

STARTED_S = 1000.0


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "db.sqlite3"


@pytest.fixture
def engine(path: Path) -> Iterator[sa.Engine]:
    made = make_engine(f"sqlite:///{path}")
    with writing(made) as connection:
        connection.exec_driver_sql("CREATE TABLE said (word TEXT)")
        connection.exec_driver_sql("INSERT INTO said VALUES ('erased')")
        connection.commit()
    yield made
    made.dispose()


@pytest.fixture
def now_s() -> list[float]:
    return [STARTED_S]


@pytest.fixture
def log(now_s: list[float]) -> OverwrittenLog:
    return OverwrittenLog(now_s=lambda: now_s[0])


@pytest.fixture
def reader(engine: sa.Engine, path: Path) -> Iterator[sqlite3.Connection]:
    """
    A shell that somebody has left open in the middle of a read.
    """
    with closing(sqlite3.connect(path)) as shell:
        shell.execute("BEGIN")
        shell.execute("SELECT * FROM said").fetchall()
        with writing(engine) as connection:
            connection.exec_driver_sql("DELETE FROM said")
            connection.commit()
        yield shell


def lines(caplog: pytest.LogCaptureFixture) -> list[logging.LogRecord]:
    return [one for one in caplog.records if "-wal file" in one.message]


def test_a_log_that_stays_full_is_told_once_an_hour(
    engine: sa.Engine,
    log: OverwrittenLog,
    reader: sqlite3.Connection,
    now_s: list[float],
    caplog: pytest.LogCaptureFixture,
) -> None:
    log.empty(engine)
    assert not lines(caplog), "a reader may be there once"

    for _ in range(3):
        now_s[0] += 60
        log.empty(engine)
    (line,) = lines(caplog)
    assert line.levelno == logging.WARNING
    assert vars(line)["hv_since_s"] == 60

    now_s[0] += TOLD_EVERY_S
    log.empty(engine)
    assert len(lines(caplog)) == 2
    reader.rollback()


def test_a_log_that_nobody_reads_is_empty_and_nothing_is_told(
    engine: sa.Engine,
    log: OverwrittenLog,
    reader: sqlite3.Connection,
    path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    log.empty(engine)
    reader.rollback()
    log.empty(engine)
    assert path.with_name(f"{path.name}-wal").stat().st_size == 0

    reader.execute("BEGIN")
    reader.execute("SELECT * FROM said").fetchall()
    with writing(engine) as connection:
        connection.exec_driver_sql("INSERT INTO said VALUES ('new')")
        connection.commit()
    log.empty(engine)

    assert not lines(caplog), "it was empty in between"
    reader.rollback()
