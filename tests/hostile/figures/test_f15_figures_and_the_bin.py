"""
Views by video, pictures at moments and the bin, asked for by those who may not.
"""

from typing import Final

import pytest

from hvcore.domain.access.keys import KeyType, Permission
from tests.conftest import SettableClock
from tests.delivery.test_app import outcome
from tests.services.analytics.served import serve
from tests.support.http.delivery_worker import make_worker
from tests.support.http.world import ORG, OTHER_ORG, World, problem_of
from tests.support.media_samples import VIDEO

REPORTS: Final = (
    "analytics/videos",
    "analytics/videos?by=day",
    "analytics/videos?format=csv",
    "analytics/videos?by=day&format=ndjson",
)
ODD: Final = (
    "%00",
    "1e999",
    "-0",
    "NaN",
    "9" * 5_000,
    "1;DROP TABLE videos",
    "%ff%fe",
    "[]",
)


@pytest.fixture(scope="module")
def api(shared: World) -> World:
    return shared


@pytest.fixture(scope="module")
def theirs(api: World) -> str:
    """
    A video of another organization, which somebody watched.
    """
    video = api.ready(api.other_env, name="their secret film")
    serve(api, video, times=3, env=api.other_env)
    mine = api.ready(name="mine")
    serve(api, mine, times=2)
    return video


@pytest.mark.parametrize("report", REPORTS)
def test_reports_by_video_name_nothing_of_others(
    api: World, theirs: str, report: str
) -> None:
    path, _, query = report.partition("?")
    full = api.make_key(KeyType.FULL_ACCESS)
    for root, key in (("/v1", api.key), (f"/v1/api/{ORG}", full)):
        answered = api.get(f"{root}/{path}", query, key=key)

        assert answered.status_code == 200
        assert "mine" in answered.text
        assert theirs not in answered.text
        assert "secret" not in answered.text


@pytest.mark.parametrize("report", REPORTS)
def test_reports_by_video_of_others_are_refused(
    api: World, theirs: str, report: str
) -> None:
    path, _, query = report.partition("?")
    for root in (
        f"/v1/api/{OTHER_ORG}",
        f"/v1/api/{OTHER_ORG}/environments/theirs",
        f"/v1/api/{ORG}/environments/dev",
    ):
        refused = api.get(f"{root}/{path}", query)

        assert refused.status_code in {403, 404}, root
        assert theirs not in refused.text


def test_a_video_s_days_are_told_to_nobody_else(api: World, theirs: str) -> None:
    outside = api.ready(api.dev)
    paths = [f"videos/{theirs}/analytics/daily", f"videos/{outside}/analytics/daily"]

    foreign, other_env = (api.get(f"/v1/{path}") for path in paths)

    problem_of(foreign, 404, "video_not_found")
    problem_of(other_env, 403, "forbidden")


@pytest.mark.parametrize("name", ["page", "pageSize", "startDate", "sortBy", "by"])
def test_odd_values_of_reports_are_refused(api: World, name: str) -> None:
    for value in ODD:
        refused = api.get("/v1/analytics/videos", f"{name}={value}")

        assert refused.status_code in {400, 422}, value
        assert len(refused.content) < 10_000


@pytest.mark.parametrize(
    # Minus zero is zero, which keeps nothing, as asked.
    "value",
    [*(odd for odd in ODD if odd != "-0"), "24", "-1", "1.5", "", "1&keepHours=2"],
)
def test_odd_hours_delete_nothing(api: World, value: str) -> None:
    video = api.ready()

    refused = api.call("DELETE", f"/v1/videos/{video}", query=f"keepHours={value}")

    assert refused.status_code in {400, 422}
    assert api.get(f"/v1/videos/{video}").status_code == 200


def test_the_bin_of_others_is_neither_listed_nor_emptied(api: World) -> None:
    system = api.system_key()
    video = api.ready(api.other_env)
    api.delete(f"/v1/api/{OTHER_ORG}/videos/{video}?keepHours=5", key=system)

    assert video not in api.get("/v1/videos/deleted").text
    problem_of(
        api.get(f"/v1/api/{OTHER_ORG}/environments/theirs/videos/deleted"),
        403,
        "forbidden",
    )
    for method, path in (("POST", f"{video}/restore"), ("DELETE", video)):
        refused = api.call(method, f"/v1/videos/{path}")
        problem_of(refused, 404, "video_not_found")
    again = api.call("POST", f"/v1/api/{OTHER_ORG}/videos/{video}/restore", key=system)
    assert again.status_code == 200


def test_a_key_without_the_permission_reads_no_figures(api: World) -> None:
    key = api.make_key(permissions=frozenset({Permission.VIDEOS_WRITE}))
    video = api.ready()

    for path in ("analytics/videos", f"videos/{video}/analytics/daily"):
        problem_of(api.get(f"/v1/{path}", key=key), 403, "forbidden")


@pytest.mark.parametrize("value", [*ODD, "-1", "1,5", "0x1", "1 2", "٣"])
def test_odd_moments_make_no_picture(clock: SettableClock, value: str) -> None:
    worker = make_worker(clock, None, is_public=True)

    for name, query in (
        ("64x64.jpg", f"time={value}"),
        ("animated.webp", f"start={value}"),
        ("animated.webp", f"end={value}"),
        ("animated.webp", f"end=1&width={value}"),
    ):
        refused = worker.get(f"/t/{VIDEO}/{name}", query)
        assert outcome(refused)[0] in {400, 404}, (name, query)
    assert worker.photographer.seen == []
    assert [*worker.storage.walk(f"media/{VIDEO}/moments")] == []
