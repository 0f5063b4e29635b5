"""
Statements that a connection has prepared, and tables that change afterwards.
"""

from collections.abc import Iterator

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from hvcore.errors import UnavailableError
from hvcore.persistence.engine import make_engine, reading, writing
from hvcore.persistence.fast_reads.postgresql import PostgresqlReader
from hvcore.persistence.fast_reads.readers import Query
from tests.support.servers import PostgresqlServer

pytestmark = pytest.mark.services

ENOUGH = 7
"""Psycopg prepares a statement when it is asked for the sixth time."""
QUESTION = "SELECT * FROM things"
CHANGE = "ALTER TABLE things ALTER COLUMN name TYPE varchar(99)"


@pytest.fixture
def things(postgresql: PostgresqlServer) -> Iterator[Engine]:
    """
    A database with one table.
    """
    url = postgresql.new_database()
    engine = make_engine(url, connections=5)
    with writing(engine) as connection:
        connection.exec_driver_sql("CREATE TABLE things (name text)")
        connection.exec_driver_sql("INSERT INTO things VALUES ('one')")
        connection.commit()
    yield engine
    engine.dispose()
    postgresql.drop_database(url)


def changed(engine: Engine) -> None:
    other = sa.create_engine(engine.url)
    with other.begin() as connection:
        connection.exec_driver_sql(CHANGE)
    other.dispose()


def test_a_read_is_asked_again_after_a_column_has_changed(things: Engine) -> None:
    with reading(things) as connection:
        for _ in range(ENOUGH):
            connection.exec_driver_sql(QUESTION)
        changed(things)

        assert connection.exec_driver_sql(QUESTION).all() == [("one",)]


def test_a_fast_read_is_asked_again_after_a_column_has_changed(things: Engine) -> None:
    reader = PostgresqlReader(things)
    question = Query(QUESTION, ())
    for _ in range(ENOUGH):
        reader.ask(question, {})
    changed(things)

    assert reader.ask(question, {}) == [("one",)]
    assert reader.ask(question, {}) == [("one",)]


def test_a_transaction_after_a_column_has_changed_may_be_tried_again(
    things: Engine,
) -> None:
    def ask() -> object:
        with writing(things) as connection:
            return connection.exec_driver_sql(QUESTION).all()

    # Rolled back, a connection forgets what it has prepared.
    with writing(things) as connection:
        for _ in range(ENOUGH):
            connection.exec_driver_sql(QUESTION)
        connection.commit()
    changed(things)

    with pytest.raises(UnavailableError, match="does not answer"):
        ask()
    assert ask() == [("one",)]
