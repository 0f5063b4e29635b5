"""
Days are added up: players' reports, and where segments went.
"""

from datetime import date

from hvcore.domain.analytics.breakdown import (
    BreakdownBy,
    BreakdownDay,
    EnvironmentBreakdown,
)
from hvcore.domain.analytics.playback_metrics import PlaybackQuality, PlayerReport
from hvcore.domain.analytics.playback_quality import PlaybackQualityDay, sum_of

FIRST, SECOND = date(2026, 1, 1), date(2026, 1, 2)
REPORTS = (
    PlayerReport(has_starved=True, throughput_kbps=400, buffer_ms=5),
    PlayerReport(is_startup=True, throughput_kbps=25_000),
    PlayerReport(bitrate_kbps=3_200, throughput_kbps=900),
)


def test_the_sum_of_days_is_that_of_all_their_reports() -> None:
    days = [
        PlaybackQualityDay(day=FIRST, quality=PlaybackQuality.of(REPORTS[:1])),
        PlaybackQualityDay(day=SECOND, quality=PlaybackQuality.of(REPORTS[1:])),
    ]

    assert sum_of(days) == PlaybackQuality.of(REPORTS)


def test_the_sum_of_no_days_has_no_reports() -> None:
    assert sum_of([]) == PlaybackQuality.of([])


def test_places_of_all_days_together_the_most_first() -> None:
    rows = [
        BreakdownDay(day=FIRST, value="DE", segments=3),
        BreakdownDay(day=FIRST, value=None, segments=4),
        BreakdownDay(day=SECOND, value="DE", segments=2),
        BreakdownDay(day=SECOND, value="AT", segments=4),
    ]

    found = EnvironmentBreakdown(by=BreakdownBy.COUNTRY, rows=rows, is_stored=True)

    assert found.totals == [("DE", 5), (None, 4), ("AT", 4)]
