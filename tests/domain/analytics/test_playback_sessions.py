"""
The figures of playback sessions, and the classes of devices.
"""

import math
from collections import Counter
from datetime import date

import pytest

from hvcore.domain.analytics.playback_sessions import (
    MAX_STARTUP_MS,
    QUANTILE_ERROR,
    DeviceClass,
    SessionFigures,
    SessionSums,
    device_of,
)
from tests.domain.analytics.simulated_sessions import SUMMED, simulated


def sums_of(told: list[SessionFigures]) -> SessionSums:
    measures: Counter[str] = Counter()
    for figures in told:
        measures.update(figures.measures())
    return SessionSums(day=date(2026, 1, 2), measures=measures)


def test_the_figures_of_ten_thousand_sessions_are_right() -> None:
    """Sums are exact, and quantiles within the stated error."""
    told = list(simulated(10_000))

    sums = sums_of(told)

    for name in SUMMED:
        assert sums.of(name) == sum(getattr(one, name) for one in told)
    startups = sorted(one.startup_ms or 0 for one in told)
    for part in (0.05, 0.5, 0.95, 0.99):
        exact = startups[math.ceil(part * len(startups)) - 1]
        found = sums.startup_quantile_ms(part)
        assert found == pytest.approx(exact, rel=QUANTILE_ERROR)


def test_each_startup_time_is_found_within_the_stated_error() -> None:
    for startup_ms in (*range(3_000), *range(3_000, MAX_STARTUP_MS + 1, 97)):
        found = sums_of([SessionFigures(startup_ms=startup_ms)])
        allowed = max(1.0, QUANTILE_ERROR * startup_ms)
        assert abs(found.startup_quantile_ms(0.5) - startup_ms) <= allowed


def test_the_lowest_quantile_is_the_shortest_startup_time() -> None:
    found = sums_of([SessionFigures(startup_ms=ms) for ms in (9_000, 1_000)])

    assert found.startup_quantile_ms(0.0) == found.startup_quantile_ms(0.5)
    assert abs(found.startup_quantile_ms(0.0) - 1_000) <= QUANTILE_ERROR * 1_000


def test_no_sessions_have_no_share_and_no_startup_time() -> None:
    sums = sums_of([])

    assert (sums.reported_share, sums.rebuffering_share) == (0.0, 0.0)
    assert (sums.mean_startup_ms, sums.startup_quantile_ms(0.5)) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("user_agent", "device"),
    [
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 17_0) Mobile/15E148", DeviceClass.PHONE),
        ("Mozilla/5.0 (Linux; Android 14; Pixel) Mobile Safari", DeviceClass.PHONE),
        ("Mozilla/5.0 (Linux; Android 14; SM-X710) Safari", DeviceClass.TABLET),
        ("Mozilla/5.0 (iPad; CPU OS 12_0) Mobile", DeviceClass.TABLET),
        ("Mozilla/5.0 (Windows NT 10.0; Win64)", DeviceClass.DESKTOP),
        ("Mozilla/5.0 (SMART-TV; Linux; Tizen 6.0)", DeviceClass.TV),
        ("curl/8", DeviceClass.OTHER),
        ("", DeviceClass.OTHER),
    ],
)
def test_a_browser_has_a_device_class(user_agent: str, device: DeviceClass) -> None:
    assert device_of(user_agent) is device
