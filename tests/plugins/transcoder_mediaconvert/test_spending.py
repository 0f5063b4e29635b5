"""
No more is spent in a day than the limit, whoever submits and whatever dies.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import attrs
import pytest
from sqlalchemy.engine import Engine

from hv_transcoder_mediaconvert.backend import LIMIT_REACHED, MediaConvertTranscoder
from hv_transcoder_mediaconvert.job_calls import MediaConvertCalls
from hv_transcoder_mediaconvert.options import MediaConvertOptions
from hv_transcoder_mediaconvert.spending import SpendingBook, normalized_minutes
from hvcore.persistence.engine import make_engine
from hvcore.persistence.plugin_database import PluginDatabase
from tests.fakes import SettableClock
from tests.plugins.transcoder_mediaconvert.test_job_requests import (
    ACCOUNT,
    order_of,
    source,
)
from tests.servers import PostgresqlServer

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


@pytest.fixture
def book(engine: Engine) -> SpendingBook:
    return SpendingBook(database=PluginDatabase(engine), limit=100)


def test_what_is_over_the_limit_is_not_spent(book: SpendingBook) -> None:
    spent = [book.reserve(key, 40, NOW) for key in ("a", "b", "c")]

    assert spent == [True, True, False]
    assert book.left(NOW) == 20
    assert book.reserve("d", 20, NOW)


def test_a_submission_that_is_tried_again_costs_nothing_again(
    book: SpendingBook,
) -> None:
    book.reserve("a", 80, NOW)

    assert book.reserve("a", 80, NOW + timedelta(days=1))
    assert book.left(NOW) == 20


def test_a_refused_submission_may_come_the_next_day(book: SpendingBook) -> None:
    book.reserve("a", 80, NOW)
    assert not book.reserve("b", 80, NOW)

    assert book.reserve("b", 80, NOW + timedelta(hours=1))


def test_eight_who_submit_at_once_keep_the_limit(engine: Engine) -> None:
    def reserve(number: int) -> bool:
        # As eight processes, which have made no table yet.
        own = SpendingBook(database=PluginDatabase(engine), limit=100)
        return own.reserve(f"job-{number}", 30, NOW)

    with ThreadPoolExecutor(8) as pool:
        spent = list(pool.map(reserve, range(8)))

    assert sum(spent) == 3


def test_minutes_are_normalized_as_mediaconvert_bills_them() -> None:
    # 360p and 480p once, 720p twice, of a minute each.
    assert normalized_minutes(order_of()) == pytest.approx(4)
    assert normalized_minutes(order_of(two_pass=True)) == pytest.approx(10)
    short = attrs.evolve(source(), duration_s=1)
    assert normalized_minutes(order_of(short)) == pytest.approx(4 / 6)


def test_a_job_that_would_cost_too_much_is_declined_in_plain_words(
    engine: Engine,
) -> None:
    options = MediaConvertOptions(
        role=ACCOUNT.role,
        region="us-east-1",
        price_per_minute=0.01,
        daily_limit=0.05,
        currency="EUR",
    )
    book = SpendingBook(database=PluginDatabase(engine), limit=50_000)
    transcoder = MediaConvertTranscoder(
        options=options,
        calls=MediaConvertCalls(options),
        clock=SettableClock(),
        book=book,
    )

    assert transcoder.declines(order_of()) == ""
    book.reserve("another", 20_000, transcoder.clock.now())
    assert transcoder.declines(order_of()) == LIMIT_REACHED
