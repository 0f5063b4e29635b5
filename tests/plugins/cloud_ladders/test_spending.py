"""
No more is spent in a day than the limit, whoever submits and whatever dies.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import pytest
from sqlalchemy.engine import Engine

from hvcore.persistence.engine import make_engine
from hvcore.persistence.plugin_database import PluginDatabase
from hvcore_cloud_ladders.spending import (
    ABOVE_LIMIT,
    LIMIT_REACHED,
    SpendingBook,
    SpendingTables,
)
from tests.support.servers import PostgresqlServer

NOW: Final = datetime(2026, 5, 4, 23, 30, tzinfo=UTC)


@pytest.fixture(
    params=["sqlite", pytest.param("postgresql", marks=pytest.mark.services)]
)
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    server: PostgresqlServer | None = None
    url = f"sqlite:///{tmp_path}/hvcore.db"
    if request.param == "postgresql":
        server = request.getfixturevalue("postgresql")
        assert server is not None
        url = server.new_database()
    made = make_engine(url)
    yield made
    made.dispose()
    if server is not None:
        server.drop_database(url)


def book_of(engine: Engine, name: str = "hv_kit") -> SpendingBook:
    return SpendingBook(
        database=PluginDatabase(engine),
        tables=SpendingTables(name),
        limit=100,
        service="a cloud",
        currency="EUR",
    )


@pytest.fixture
def book(engine: Engine) -> SpendingBook:
    return book_of(engine)


def test_what_is_over_the_limit_is_not_spent(book: SpendingBook) -> None:
    spent = [book.reserve(key, 40, NOW) for key in ("a", "b", "c")]

    assert spent == [True, True, False]
    assert book.left(NOW) == 20
    assert book.reserve("d", 20, NOW)


def test_what_no_day_has_money_for_is_not_put_off_until_tomorrow(
    book: SpendingBook,
) -> None:
    book.reserve("a", 80, NOW)

    assert book.objection(20, NOW) == ""
    assert book.objection(100, NOW) == LIMIT_REACHED
    assert book.objection(101, NOW) == ABOVE_LIMIT
    assert book.objection(100, NOW + timedelta(days=1)) == ""
    assert "tomorrow" not in ABOVE_LIMIT


def test_a_remote_job_that_is_tried_again_costs_nothing_again(
    book: SpendingBook,
) -> None:
    book.reserve("a", 80, NOW)

    assert book.reserve("a", 80, NOW + timedelta(days=1))
    assert book.left(NOW) == 20


def test_the_cost_of_a_remote_job_is_known_for_a_week(book: SpendingBook) -> None:
    week, later = NOW + timedelta(days=7), NOW + timedelta(days=8)
    book.reserve("a", 80, NOW)

    book.reserve("b", 1, week)
    book.reserve("a", 80, week)
    within = (book.left(NOW), book.left(week))
    book.reserve("c", 1, later)
    book.reserve("a", 80, later)

    assert within == (20, 99)
    assert (book.left(NOW), book.left(later)) == (100, 19)


def test_a_remote_job_that_was_not_submitted_costs_nothing_on_its_day(
    book: SpendingBook,
) -> None:
    tomorrow = NOW + timedelta(hours=1)
    book.reserve("a", 80, NOW)
    book.reserve("b", 80, tomorrow)

    for _ in range(2):
        book.release("a")

    assert (book.left(NOW), book.left(tomorrow)) == (100, 20)
    assert book.reserve("a", 100, NOW)


def test_a_refused_remote_job_may_come_the_next_day(book: SpendingBook) -> None:
    book.reserve("a", 80, NOW)
    assert not book.reserve("b", 80, NOW)

    assert book.reserve("b", 80, NOW + timedelta(hours=1))


def test_eight_who_submit_at_once_keep_the_limit(engine: Engine) -> None:
    def reserve(number: int) -> bool:
        # As eight processes, which have made no table yet.
        own = book_of(engine)
        return own.reserve(f"job-{number}", 30, NOW)

    with ThreadPoolExecutor(8) as pool:
        spent = list(pool.map(reserve, range(8)))

    assert sum(spent) == 3


def test_each_cloud_has_a_limit_of_its_own(engine: Engine) -> None:
    one, other = book_of(engine, "hv_one"), book_of(engine, "hv_other")

    one.reserve("a", 80, NOW)

    assert (one.left(NOW), other.left(NOW)) == (20, 100)
