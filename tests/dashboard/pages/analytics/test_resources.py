"""
What was watched: the pages' figures are the API's.
"""

import json
import re
from datetime import timedelta
from typing import Final

import pytest
from falcon.testing import Result

from hvcore.domain.access.roles import Role
from hvcore.domain.analytics.cmcd import player_report
from hvcore.domain.playback.viewer import Viewer
from tests.api.resources.test_video_reports import ON, play
from tests.dashboard.opened import Dashboard, ids_in
from tests.services.analytics.served import A_ENV, NOW, A, serve
from tests.support.http.world import ORG

PAGE = f"/dashboard/{ORG}/analytics"
DAYS = "startDate=2025-12-30&endDate=2026-01-02"
DAY = timedelta(days=1)


@pytest.fixture
def watched(dashboard: Dashboard) -> Dashboard:
    world = dashboard.world
    video_id = world.ready()
    serve(world, video_id, 1080, times=3)
    serve(world, video_id, 720, times=2, at=NOW - DAY)
    serve(world, world.ready(), 360, times=1, at=NOW - 3 * DAY)
    serve(world, world.ready(world.dev), 480, times=40, env=world.dev)
    play(world, video_id, viewer("DE", "https://blog.example/x"), details=ON)
    return dashboard


def viewer(country: str, referer: str, report: str = "bl=1500,bs,mtp=4000") -> Viewer:
    return Viewer(
        countries=(("cf-ipcountry", country),),
        referer=referer,
        report=player_report(report),
    )


def rows_of(answer: Result, table: str) -> list[list[str]]:
    """
    Return the texts of the cells of a table, row by row.
    """
    body = answer.text.partition(f'id="{table}"')[2].partition("</table>")[0]
    rows = re.findall(r"<tr data-.*?</tr>", body, re.DOTALL)
    return [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in rows]


REPORTS: Final = {
    "daily": ("daily", f"{DAYS}&fill=true"),
    "videos": ("videos", DAYS),
    "resolutions": ("resolution-distribution", DAYS),
    "storage": ("storage", ""),
    "usage": ("usage", "periodDays=4"),
    "minutes": ("viewers", "records=minutes"),
}
"""By the dashboard's name: the API's route, and what it is asked."""


@pytest.mark.parametrize("form", ["csv", "ndjson"])
@pytest.mark.parametrize("covers", ["environment", "organization"])
def test_a_file_has_the_bytes_of_the_api(
    watched: Dashboard, form: str, covers: str
) -> None:
    root = A if covers == "organization" else A_ENV
    key = watched.world.system_key()
    person = watched.sign_in(Role.VIEWER)

    for report, (route, query) in REPORTS.items():
        asked = f"{DAYS}&covers={covers}&format={form}"
        ours = person.get(f"{PAGE}/files/{report}", asked)
        theirs = watched.world.client.simulate_get(
            f"{root}/analytics/{route}",
            query_string=f"{query}&format={form}",
            headers={"X-Api-Key": key.value},
        )

        assert ours.status_code == theirs.status_code == 200
        assert ours.content == theirs.content, report
        for name in ("content-type", "cache-control"):
            assert ours.headers[name] == theirs.headers[name]
        name = f"{route.replace('viewers', 'minutes')}-{'live' if covers == 'environment' else 'all'}"
        named = f'filename="{name}-2025-12-30-2026-01-02.{form}"'
        assert ours.headers["content-disposition"] == f"attachment; {named}"


def test_the_page_shows_the_figures_of_the_api(watched: Dashboard) -> None:
    api = watched.world.get(f"{A_ENV}/analytics/daily", f"{DAYS}&fill=true")
    records = api.json["body"]["dailyUsage"]

    answer = watched.sign_in(Role.VIEWER).get(PAGE, DAYS)

    assert rows_of(answer, "daily") == [
        [
            str(record[name])
            for name in (
                "deliveryDate",
                "segmentsServed",
                "hdSegments",
                "sdSegments",
                "ldSegments",
                "uniqueVideosServed",
            )
        ]
        for record in reversed(records)
    ]
    assert '<dd id="segments">7</dd>' in answer.text
    assert sum(record["segmentsServed"] for record in records) == 7
    ids_in(answer)


def test_the_page_is_about_the_chosen_environments(watched: Dashboard) -> None:
    person = watched.sign_in(Role.VIEWER)

    dev = person.get(PAGE, "env=dev")
    everything = person.get(PAGE, "covers=organization")

    assert '<dd id="segments">40</dd>' in dev.text
    assert '<dd id="segments">47</dd>' in everything.text
    assert f'href="{PAGE}/files/daily?env=dev&amp;days=30' in dev.text


@pytest.mark.parametrize(
    ("query", "first", "last"),
    [
        ("", "2025-12-04", "2026-01-02"),
        ("days=7", "2025-12-27", "2026-01-02"),
        ("days=8", "2025-12-04", "2026-01-02"),
        ("days=" + "9" * 5000, "2025-12-04", "2026-01-02"),
        ("endDate=2025-06-30", "2025-06-01", "2025-06-30"),
        ("startDate=2025-12-01", "2025-12-01", "2026-01-02"),
        ("startDate=0001-01-01", "2025-01-02", "2026-01-02"),
        ("endDate=0001-01-05", "0001-01-01", "0001-01-05"),
        ("startDate=9999-12-31", "9999-12-31", "9999-12-31"),
    ],
)
def test_a_range_may_be_given_in_part(
    shared: Dashboard, query: str, first: str, last: str
) -> None:
    answer = shared.sign_in(Role.VIEWER).get(PAGE, query)

    assert answer.status_code == 200
    assert f'name="startDate" value="{first}"' in answer.text
    assert f'name="endDate" value="{last}"' in answer.text


@pytest.mark.parametrize(
    "query",
    [
        "startDate=2026-02-01&endDate=2026-01-01",
        "startDate=2020-01-01&endDate=2026-01-01",
        "startDate=soon",
    ],
)
def test_a_range_that_cannot_be_is_told_and_no_file(
    shared: Dashboard, query: str
) -> None:
    person = shared.sign_in(Role.VIEWER)

    page, file = person.get(PAGE, query), person.get(f"{PAGE}/files/daily", query)

    assert page.status_code == 400
    assert 'role="alert"' in page.text
    assert 'value="2025-12-04"' in page.text
    assert file.status_code == 400


def test_nothing_watched_says_what_to_do(dashboard: Dashboard) -> None:
    answer = dashboard.sign_in(Role.VIEWER).get(PAGE)

    assert "Nothing was watched in these days" in answer.text
    assert 'id="daily"' not in answer.text


def test_an_organization_without_environments_has_a_page(
    dashboard: Dashboard,
) -> None:
    dashboard.world.services.tenants.create_organization("org_new")
    person = dashboard.sign_in(Role.VIEWER, org="org_new")
    root = "/dashboard/org_new/analytics"

    page = person.get(root)
    fragments = [
        person.fragment(f"{root}/fragments/{name}")
        for name in ("viewers", "places", "quality")
    ]

    assert "There is no environment yet" in page.text
    assert [one.status_code for one in fragments] == [200, 200, 200]
    for report in ("usage", "country", "quality"):
        assert person.get(f"{root}/files/{report}").status_code == 200


def test_viewers_move_by_themselves(watched: Dashboard) -> None:
    person = watched.sign_in(Role.VIEWER)

    page = person.get(PAGE)
    fragment = person.fragment(f"{PAGE}/fragments/viewers", DAYS)

    for answer in (page, fragment):
        assert "<dt>Viewer now</dt><dd>1</dd>" in answer.text
        assert 'hx-trigger="every 10s"' in answer.text
    assert "startDate=2025-12-30" in fragment.text


def test_countries_and_pages_are_those_of_the_api(watched: Dashboard) -> None:
    person = watched.sign_in(Role.VIEWER)

    shown = person.fragment(f"{PAGE}/fragments/places", DAYS).text
    files = {
        name: person.get(f"{PAGE}/files/{name}", f"{DAYS}&format=ndjson")
        for name in ("country", "referrer")
    }

    assert '<span data-country="DE">DE</span>' in shown
    assert "blog.example" in shown
    for by, file in files.items():
        ours = [json.loads(line) for line in file.content.splitlines()]
        assert sorted(map(str, ours)) == sorted(map(str, api_places(watched, by)))
    named = {name: file.headers["content-disposition"] for name, file in files.items()}
    assert "countries-live-2025-12-30-2026-01-02.ndjson" in named["country"]
    assert "pages-live-2025-12-30-2026-01-02.ndjson" in named["referrer"]


def api_places(watched: Dashboard, by: str) -> list[dict[str, object]]:
    """
    Add up what the API says of each video.
    """
    found: dict[tuple[str, str], int] = {}
    for video in watched.world.get("/v1/videos").json["body"]["videos"]:
        path = f"/v1/videos/{video['id']}/analytics/breakdown"
        answer = watched.world.get(path, f"{DAYS}&by={by}")
        for record in answer.json["body"]["breakdown"]:
            key = (record["deliveryDate"], record["value"])
            found[key] = found.get(key, 0) + record["segmentsServed"]
    return [
        {"deliveryDate": day, "value": value, "segmentsServed": segments}
        for (day, value), segments in found.items()
    ]


def test_places_that_are_not_noted_say_how_to_switch_them_on(
    dashboard: Dashboard,
) -> None:
    serve(dashboard.world, dashboard.world.ready())

    shown = dashboard.sign_in(Role.VIEWER).fragment(f"{PAGE}/fragments/places")

    assert "HV_ANALYTICS__COUNTRY_HEADER" in shown.text
    assert "HV_ANALYTICS__REFERRERS" in shown.text


def test_quality_is_what_players_reported(watched: Dashboard) -> None:
    other = viewer("FR", "https://b.example/", "bl=500,mtp=2000")
    play(watched.world, watched.world.ready(), other, NOW - DAY, ON)
    person = watched.sign_in(Role.VIEWER)

    shown = person.fragment(f"{PAGE}/fragments/quality", DAYS)
    file = person.get(f"{PAGE}/files/quality", f"{DAYS}&format=ndjson")

    assert "2 segments were asked for with a report, on 2 days" in shown.text
    cells = re.findall(r'<td class="number">([^<]*)</td>', shown.text)
    assert cells[:2] == ["1", "50.0 %"]
    assert cells[6:9] == ["3,000 kbit/s", "2,000 kbit/s", "4,000 kbit/s"]
    records = [json.loads(line) for line in file.content.splitlines()]
    assert [one["avgBufferMs"] for one in records] == [500.0, 1500.0]


def test_what_is_no_report_is_not_found(shared: Dashboard) -> None:
    person = shared.sign_in(Role.VIEWER)

    assert person.get(f"{PAGE}/files/nothing").status_code == 404
    assert person.get(f"{PAGE}/fragments/nothing").status_code == 404
    assert person.get(f"{PAGE}/files/daily", "format=json").status_code == 400
