"""
The three questions of a product owner, each answered in three clicks and by one call.
"""

import csv
import io
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urljoin

import pytest
from falcon.testing import Result

from hvcore.domain.access.roles import Role
from tests.dashboard.opened import Dashboard, PersonClient
from tests.services.analytics.served import NOW, report, serve
from tests.support.http.world import ORG

ROOT = Path(__file__).parents[4]
START = f"/dashboard/{ORG}/videos"
DECEMBER = datetime(2025, 12, 10, 12, tzinfo=UTC)


@pytest.fixture
def asked(dashboard: Dashboard) -> tuple[Dashboard, str, str]:
    world = dashboard.world
    long, short = world.ready(name="long", duration_s=60), world.ready(name="short")
    serve(world, long, times=20, at=DECEMBER)
    serve(world, long, times=10, at=DECEMBER - timedelta(days=60))
    serve(world, short, times=26, at=DECEMBER)
    serve(world, short, times=100, at=NOW)
    return dashboard, long, short


def clicked(
    person: PersonClient, shown: Result, link: str, *, under: str = ""
) -> Result:
    """
    Follow the link with a text, as a click does.
    """
    found = re.search(
        rf'href="([^"]+{under}[^"]*)"[^>]*>(?:(?:(?!</a>).)*>)?{link}<',
        shown.text,
        re.DOTALL,
    )
    assert found is not None, link
    # Links of the list of videos are relative to it.
    address = urljoin(START, found.group(1).replace("&amp;", "&"))
    path, _, query = address.partition("?")
    return person.get(path, query)


def loaded(person: PersonClient, shown: Result) -> Result:
    """
    Return the fragment with the most watched videos, which the page loads by itself.
    """
    found = re.search(r'hx-get="([^"]+fragments/videos[^"]*)"', shown.text)
    assert found is not None
    path, _, query = found.group(1).replace("&amp;", "&").partition("?")
    return person.fragment(path, query)


def test_the_top_ten_of_last_month_takes_three_clicks(
    asked: tuple[Dashboard, str, str],
) -> None:
    dashboard, long, short = asked
    person = dashboard.sign_in(Role.VIEWER)

    page = clicked(person, person.get(START), "(?:[^<]*)Analytics")
    month = clicked(person, page, "Last month")
    top = loaded(person, month)

    found = re.findall(
        r'<tr data-video="([^"]+)">.*?<td class="number">(\d+)', top.text, re.DOTALL
    )
    assert found == [(short, "2"), (long, "2")]


def test_the_top_ten_of_last_month_takes_one_call(
    asked: tuple[Dashboard, str, str],
) -> None:
    dashboard, long, short = asked

    found = report(
        dashboard.world,
        "/v1/analytics/videos",
        "startDate=2025-12-01&endDate=2025-12-31&pageSize=10",
    )

    assert [(one["videoID"], one["estimatedViews"]) for one in found["videos"]] == [
        (short, 2),
        (long, 2),
    ]


def test_views_by_day_of_a_video_take_three_clicks(
    asked: tuple[Dashboard, str, str],
) -> None:
    dashboard, _, short = asked
    person = dashboard.sign_in(Role.VIEWER)

    video = clicked(person, person.get(START), "(?:<bdi>)?short")
    tab = clicked(person, video, "Analytics", under=short)

    rows = re.findall(
        r'<tr data-day="([^"]+)">.*?<td class="number">(\d+)', tab.text, re.DOTALL
    )
    assert [row for row in rows if row[1] != "0"] == [
        ("2026-01-02", "8"),
        ("2025-12-10", "2"),
    ]
    file = clicked(person, tab, "CSV")
    assert f"daily-{short}-live-" in file.headers["content-disposition"]
    assert len(list(csv.DictReader(io.StringIO(file.text)))) == len(rows)


def test_views_by_day_of_a_video_take_one_call(
    asked: tuple[Dashboard, str, str],
) -> None:
    dashboard, _, short = asked

    found = report(dashboard.world, f"/v1/videos/{short}/analytics/daily")

    assert [one["estimatedViews"] for one in found["dailyUsage"]] == [2, 8]


def test_a_quarter_by_video_and_day_takes_three_clicks(
    asked: tuple[Dashboard, str, str],
) -> None:
    dashboard, long, short = asked
    person = dashboard.sign_in(Role.VIEWER)

    page = clicked(person, person.get(START), "(?:[^<]*)Analytics")
    quarter = clicked(person, page, "Last quarter")
    file = clicked(person, loaded(person, quarter), "CSV by video and day")

    rows = list(csv.DictReader(io.StringIO(file.text)))
    assert [(row["deliveryDate"], row["videoID"], row["segments"]) for row in rows] == [
        ("2025-10-11", long, "10"),
        *sorted([("2025-12-10", long, "20"), ("2025-12-10", short, "26")]),
    ]
    name = "videos-by-day-live-2025-10-01-2025-12-31.csv"
    assert f'filename="{name}"' in file.headers["content-disposition"]


def test_a_quarter_by_video_and_day_takes_one_call(
    asked: tuple[Dashboard, str, str],
) -> None:
    dashboard, _, _ = asked

    answered = dashboard.world.get(
        "/v1/analytics/videos",
        "startDate=2025-10-01&endDate=2025-12-31&by=day&format=csv",
    )

    rows = list(csv.DictReader(io.StringIO(answered.text)))
    assert rows[0]["segments"] == "10"
    assert sum(int(row["segments"]) for row in rows) == 56


def test_every_call_of_the_page_about_views_is_answered(
    asked: tuple[Dashboard, str, str],
) -> None:
    dashboard, long, _ = asked
    page = (ROOT / "docs/how-to/views.md").read_text("utf-8")

    calls = re.findall(r'"\$API(/v1/[^"?]+)\?([^"]+)"', page)

    assert len(calls) == 3
    for path, query in calls:
        answered = dashboard.world.get(path.replace("$VIDEO", long), query)
        assert answered.status_code == 200
