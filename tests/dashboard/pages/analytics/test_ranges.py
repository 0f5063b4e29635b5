"""
The days that an analytics page covers.
"""

from datetime import date, timedelta

import falcon
import pytest
from falcon.testing import create_environ

from hvcore_dashboard.pages.analytics.ranges import (
    ReportRange,
    presets_at,
    read_range,
)

TODAY = date(2026, 3, 15)


def read(query: str, *, today: date = TODAY) -> ReportRange:
    return read_range(falcon.Request(create_environ(query_string=query)), today)


@pytest.mark.parametrize(
    ("today", "month", "last_month", "quarter"),
    [
        ("2026-01-01", "2026-01-01 2026-01-31", "2025-12-01 2025-12-31", "2025-10-01"),
        ("2026-03-31", "2026-03-01 2026-03-31", "2026-02-01 2026-02-28", "2025-10-01"),
        ("2026-04-01", "2026-04-01 2026-04-30", "2026-03-01 2026-03-31", "2026-01-01"),
        ("2026-12-31", "2026-12-01 2026-12-31", "2026-11-01 2026-11-30", "2026-07-01"),
    ],
)
def test_presets_are_whole_months_and_the_quarter_that_has_ended(
    today: str, month: str, last_month: str, quarter: str
) -> None:
    found = presets_at(date.fromisoformat(today))

    shown = [f"{one.first} {one.last}" for one in found]
    assert [one.title for one in found] == [
        *("This month", "Last month", "Last quarter")
    ]
    assert shown[:2] == [month, last_month]
    assert str(found[2].first) == quarter
    after = found[2].last + timedelta(days=1)
    assert (after.day, (after - found[2].first).days in {90, 91, 92}) == (1, True)


@pytest.mark.parametrize(
    ("query", "days"), [("", 30), ("days=7", 7), ("days=365", 365), ("days=8", 30)]
)
def test_a_period_ends_today_and_counts_its_first_day(query: str, days: int) -> None:
    found = read(query)

    assert ((found.last - found.first).days + 1, found.last) == (days, TODAY)
    assert found.period_days == found.days_until(TODAY) == days
    assert found.sent == {"days": days, "covers": None}


@pytest.mark.parametrize(
    ("query", "first", "last"),
    [
        ("startDate=2026-01-02&endDate=2026-01-03", "2026-01-02", "2026-01-03"),
        ("startDate=2026-03-01", "2026-03-01", "2026-03-15"),
        ("startDate=2026-04-01", "2026-04-01", "2026-04-01"),
        ("endDate=2026-01-30", "2026-01-01", "2026-01-30"),
        ("startDate=2020-01-01", "2025-03-15", "2026-03-15"),
    ],
)
def test_an_open_side_of_a_range_is_closed_within_a_year(
    query: str, first: str, last: str
) -> None:
    found = read(f"{query}&covers=organization&days=7")

    assert (str(found.first), str(found.last)) == (first, last)
    assert (found.period_days, found.complaint, found.is_of_all) == (None, "", True)
    assert found.sent == {
        "startDate": first,
        "endDate": last,
        "covers": "organization",
    }
    assert (found.days.first, found.days.last) == (found.first, found.last)
    assert found.file_name("views", "live") == f"views-all-{first}-{last}"


def test_a_range_that_cannot_be_read_is_the_usual_one_with_a_complaint() -> None:
    found = read("startDate=2026-02-30")

    assert (found.period_days, found.last) == (30, TODAY)
    assert "startDate" in found.complaint
    assert found.file_name("views", "live").startswith("views-live-2026-02-14-")


def test_a_range_covers_at_least_today_and_at_most_a_year_until_today() -> None:
    assert read("startDate=2026-04-01").days_until(TODAY) == 1
    assert read("startDate=2025-03-15").days_until(TODAY) == 365
