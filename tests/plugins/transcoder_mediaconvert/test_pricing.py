"""
What jobs cost, and what the daily limit says.
"""

from pathlib import Path

import attrs
import pytest

from hvcore.persistence.engine import make_engine
from hvcore.persistence.plugin_database import PluginDatabase
from hvcore_cloud_ladders.spending import (
    ABOVE_LIMIT,
    LIMIT_REACHED,
    SpendingBook,
    SpendingTables,
)
from hvcore_transcoder_mediaconvert.backend import MediaConvertTranscoder
from hvcore_transcoder_mediaconvert.job_calls import MediaConvertCalls
from hvcore_transcoder_mediaconvert.options import MediaConvertOptions
from hvcore_transcoder_mediaconvert.pricing import normalized_minutes
from tests.plugins.transcoder_mediaconvert.test_job_requests import (
    ACCOUNT,
    order_of,
    source,
)
from tests.support.fakes import SettableClock


def test_minutes_are_normalized_as_mediaconvert_bills_them() -> None:
    # 360p and 480p once, 720p twice, of a minute each.
    assert normalized_minutes(order_of()) == pytest.approx(4)
    assert normalized_minutes(order_of(two_pass=True)) == pytest.approx(10)
    short = attrs.evolve(source(), duration_s=1)
    assert normalized_minutes(order_of(short)) == pytest.approx(4 / 6)


def test_a_job_that_would_cost_too_much_is_declined_in_plain_words(
    tmp_path: Path,
) -> None:
    options = MediaConvertOptions(
        role=ACCOUNT.role,
        region="us-east-1",
        price_per_minute=0.01,
        daily_limit=0.05,
        currency="EUR",
    )
    engine = make_engine(f"sqlite:///{tmp_path}/hvcore.db")
    book = SpendingBook(
        database=PluginDatabase(engine),
        tables=SpendingTables("hv_kit"),
        limit=50_000,
        service="MediaConvert",
        currency="EUR",
    )
    transcoder = MediaConvertTranscoder(
        options=options,
        calls=MediaConvertCalls(options),
        clock=SettableClock(),
        book=book,
    )

    assert transcoder.declines(order_of()) == ""
    book.reserve("another", 20_000, transcoder.clock.now())
    assert transcoder.declines(order_of()) == LIMIT_REACHED
    longer = attrs.evolve(source(), duration_s=600)
    assert transcoder.declines(order_of(longer)) == ABOVE_LIMIT
    engine.dispose()
