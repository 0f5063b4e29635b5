"""
Months, and what is left of limits.
"""

import math
from datetime import UTC, datetime, timedelta, timezone

import pytest

from hvcore.domain.access.quotas import (
    Quota,
    QuotaLimits,
    QuotaUse,
    minutes_left_ms,
    month_number,
    next_month,
)


@pytest.mark.parametrize(
    ("moment", "begins"),
    [
        (
            datetime(2026, 1, 31, 23, 59, 59, tzinfo=UTC),
            datetime(2026, 2, 1, tzinfo=UTC),
        ),
        (datetime(2026, 12, 1, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC)),
        # Still November in UTC.
        (
            datetime(2026, 12, 1, 1, tzinfo=timezone(timedelta(hours=2))),
            datetime(2026, 12, 1, tzinfo=UTC),
        ),
    ],
)
def test_the_next_month_begins_in_utc(moment: datetime, begins: datetime) -> None:
    assert next_month(moment) == begins
    assert month_number(begins) == month_number(moment) + 1
    assert month_number(begins - timedelta(microseconds=1)) == month_number(moment)


def test_every_quota_has_a_limit_and_a_use() -> None:
    limits = QuotaLimits(
        concurrent_encodes=1,
        encoded_minutes_per_month=2,
        stored_bytes=3,
        delivered_bytes_per_month=4,
        caption_minutes_per_month=5,
    )
    use = QuotaUse(
        concurrent_encodes=5,
        encoded_ms=90_000,
        stored_bytes=7,
        delivered_bytes=8,
        caption_ms=30_000,
    )

    assert [limits.of(quota) for quota in Quota] == [1, 2, 3, 4, 5]
    assert [use.of(quota) for quota in Quota] == [5, 1.5, 7, 8, 0.5]


def test_minutes_are_left_for_ever_without_a_limit() -> None:
    assert minutes_left_ms(None, 10**12) == math.inf
    assert minutes_left_ms(2, 119_999) == 1
    assert minutes_left_ms(2, 120_000) == 0
