"""
The analytics of a video on its page.
"""

import re
from datetime import timedelta

import pytest
from falcon.testing import Result

from hvcore.domain.access.roles import Role
from hvcore.domain.analytics.cmcd import player_report
from hvcore.domain.playback.viewer import Viewer
from tests.api.resources.test_video_reports import ON, play
from tests.dashboard.opened import VIDEOS, Dashboard
from tests.services.analytics.served import NOW, serve
from tests.support.http.world import ORG

DAYS = "startDate=2025-12-30&endDate=2026-01-02"


def viewer(country: str, referer: str, report: str = "") -> Viewer:
    return Viewer(
        countries=(("cf-ipcountry", country),),
        referer=referer,
        report=player_report(report),
    )


def rows_of(answer: Result, label: str) -> list[list[str]]:
    """
    Return the texts of the cells of a table, row by row, without its head.
    """
    body = answer.text.partition(f'aria-label="{label}"')[2].partition("</table>")[0]
    rows = re.findall(r"<tr>(.*?)</tr>", body.partition("<tbody>")[2], re.DOTALL)
    cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in rows]
    return [[re.sub(r"<[^>]*>", "", cell).strip() for cell in row] for row in cells]


def test_analytics_of_nothing_say_what_to_do(dashboard: Dashboard) -> None:
    path = f"{VIDEOS}/{dashboard.world.ready()}"
    person = dashboard.sign_in(Role.VIEWER)

    empty, days = person.get(f"{path}/analytics"), "startDate=2026-13-01"
    wrong = person.get(f"{path}/analytics", days)
    viewers = person.fragment(f"{path}/viewers")

    assert "Nothing was watched yet" in empty.text
    assert wrong.status_code == 200
    assert 'role="alert"' in wrong.text
    assert 'id="viewers"' in viewers.text


def test_countries_and_pages_are_summed_over_the_days_and_the_most_served_is_first(
    dashboard: Dashboard,
) -> None:
    world = dashboard.world
    video_id, at = world.ready(), NOW - timedelta(days=1)
    play(world, video_id, viewer("FR", "https://b.example/"), details=ON)
    for moment in (NOW, at, at):
        play(world, video_id, viewer("DE", ""), moment, details=ON)

    shown = dashboard.sign_in(Role.VIEWER).get(f"{VIDEOS}/{video_id}/analytics", DAYS)

    assert rows_of(shown, "Countries") == [["DE", "3"], ["FR", "1"]]
    assert rows_of(shown, "Pages") == [["(unknown)", "3"], ["b.example", "1"]]


def test_playback_quality_is_the_mean_of_all_reports_of_the_days(
    dashboard: Dashboard,
) -> None:
    world = dashboard.world
    video_id, before = world.ready(), NOW - timedelta(days=1)
    for at, report in (
        (NOW, "bl=1500,bs,mtp=4000,br=1000"),
        (before, "bl=500,mtp=1000,br=4000"),
        (before, "bl=1000,mtp=1000,br=4000"),
    ):
        play(world, video_id, viewer("DE", "", report), at, details=ON)

    shown = dashboard.sign_in(Role.VIEWER).get(f"{VIDEOS}/{video_id}/analytics", DAYS)

    figures = dict(re.findall(r"<dt>([^<]*)</dt><dd>([^<]*)</dd>", shown.text))
    assert {name: figures[name] for name in list(figures)[-5:]} == {
        "Reports": "3",
        "After the buffer ran empty": "33.3 %",
        "Bitrate, mean": "3,000 kbit/s",
        "Throughput, mean": "2,000 kbit/s",
        "Buffer, mean": "1.0 s",
    }
    days = rows_of(shown, "Playback quality by day")
    assert [row[:3] for row in days] == [
        ["2026-01-02", "1", "1"],
        ["2026-01-01", "2", "0"],
    ]


def test_reports_without_buffer_and_bitrate_have_no_mean_of_these(
    dashboard: Dashboard,
) -> None:
    world = dashboard.world
    video_id = world.ready()
    play(world, video_id, viewer("DE", "", "mtp=4000"), details=ON)

    shown = dashboard.sign_in(Role.VIEWER).get(f"{VIDEOS}/{video_id}/analytics", DAYS)

    assert "Throughput, mean" in shown.text
    assert "Buffer, mean" not in shown.text
    assert "Bitrate, mean" not in shown.text


@pytest.mark.parametrize("form", ["csv", "ndjson"])
def test_the_file_of_a_video_has_its_views_of_each_day(
    dashboard: Dashboard, form: str
) -> None:
    world = dashboard.world
    video_id = world.ready(world.dev)
    play(world, video_id, viewer("DE", ""), details=ON)
    person = dashboard.sign_in(Role.VIEWER)

    file = person.get(f"{VIDEOS}/{video_id}/analytics/file", f"{DAYS}&format={form}")
    api = world.client.simulate_get(
        f"/v1/api/{ORG}/videos/{video_id}/analytics/daily",
        query_string=f"{DAYS}&fill=true&format={form}",
        headers={"X-Api-Key": world.system_key().value},
    )

    assert file.status_code == 200
    assert file.content == api.content
    name = f"daily-{video_id}-dev-2025-12-30-2026-01-02.{form}"
    assert file.headers["content-disposition"] == f'attachment; filename="{name}"'


def test_a_file_of_days_that_are_none_is_refused(dashboard: Dashboard) -> None:
    path = f"{VIDEOS}/{dashboard.world.ready()}/analytics/file"

    refused = dashboard.sign_in(Role.VIEWER).get(
        path, "startDate=2026-13-01&format=csv"
    )

    assert refused.status_code == 400
    assert "startDate" in refused.text


def test_a_video_of_which_nothing_was_reported_has_no_quality(
    dashboard: Dashboard,
) -> None:
    world = dashboard.world
    video_id = world.ready()
    serve(world, video_id, 720, times=3)

    shown = dashboard.sign_in(Role.VIEWER).get(f"{VIDEOS}/{video_id}/analytics")

    assert "Playback quality" not in shown.text
    assert '<dd id="views">' in shown.text
