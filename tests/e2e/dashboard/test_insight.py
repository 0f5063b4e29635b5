"""
Analytics, audit log, system and organizations in a real browser.
"""

import json
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, Page, expect

from hvcore.domain.access.roles import Role
from tests.e2e.browsing import watch_for_problems, watch_on
from tests.e2e.people import ORG, sign_in
from tests.support.live import LiveService, until

PAGES: Final = {
    "analytics": f"{ORG}/analytics",
    "audit": f"{ORG}/audit",
    "system": "system",
    "organizations": "organizations",
    "organization": f"organizations/{ORG}",
}


@pytest.fixture(scope="module")
def watched(service: LiveService, browser: Browser, short_id: str) -> LiveService:
    """
    The service after a video was played, once the API says so.
    """
    before = segments(service)
    signed = service.call("GET", f"/v1/videos/{short_id}/signed-url").body
    token = signed["signed_url"].partition("?")[2]
    page = browser.new_page()
    page.goto(f"{service.worker}/v1/embed/{short_id}?{token}")
    watch_on(page)
    until(lambda: segments(service) > before, within_s=30, what="a count")
    page.close()
    return service


def segments(service: LiveService) -> int:
    records = service.call("GET", "/v1/analytics/daily").body["dailyUsage"]
    return sum(record["segmentsServed"] for record in records)


def shown(page: Page) -> int:
    return int(page.locator("#segments").inner_text().replace(",", ""))


def open_page(page: Page, service: LiveService, name: str) -> None:
    page.goto(f"{service.api}/dashboard/{PAGES[name]}")


def test_views_just_made_are_shown_as_the_api_counts_them(
    watched: LiveService, page: Page, violations: list[str]
) -> None:
    problems = watch_for_problems(page)
    sign_in(page, watched, Role.VIEWER)

    def are_the_same() -> bool:
        # What others have played may still come in.
        open_page(page, watched, "analytics")
        return shown(page) == segments(watched)

    until(are_the_same, within_s=20, what="what the API counts")
    expect(page.locator("#daily-chart canvas")).to_be_visible()
    page.locator("#daily-chart .u-over").hover()
    expect(page.locator("#daily-day")).to_contain_text("1080p")
    # What follows by itself has come.
    expect(page.get_by_role("heading", name="Pages", exact=True)).to_be_visible()
    expect(page.get_by_role("region", name="Playback quality")).to_be_visible()
    with page.expect_download() as started:
        page.get_by_role("link", name="NDJSON of daily").click()
    lines = Path(started.value.path()).read_text().splitlines()
    records = [json.loads(line) for line in lines]
    assert sum(one["segmentsServed"] for one in records) == shown(page)
    assert len(records) == 30
    assert violations == []
    assert problems == []


def test_the_chart_is_as_wide_as_its_place(watched: LiveService, page: Page) -> None:
    sign_in(page, watched, Role.VIEWER)
    open_page(page, watched, "analytics")
    chart = page.locator("#daily-chart .u-wrap")
    expect(chart).to_be_visible()

    page.set_viewport_size({"width": 500, "height": 800})

    page.wait_for_function(
        "() => { const place = document.getElementById('daily-chart');"
        " return place.firstElementChild.offsetWidth === place.clientWidth; }"
    )


def test_an_operator_sees_what_is_wrong_and_what_runs(
    watched: LiveService, page: Page, violations: list[str]
) -> None:
    problems = watch_for_problems(page)
    sign_in(page, watched)

    open_page(page, watched, "system")

    checks = page.get_by_role("region", name="Checks")
    expect(checks.get_by_text("Broken")).to_have_count(0)
    expect(checks.locator("tr", has_text="storage")).to_contain_text("can be written")
    row = page.get_by_role("region", name="Processes").locator("tr", has_text="sweep")
    expect(row).to_contain_text("Runs")
    with page.expect_response("**/fragments/findings?anew=yes") as answered:
        page.get_by_role("button", name="Check again").click()
    assert answered.value.ok
    expect(page.get_by_role("button", name="Check again")).to_have_count(1)
    assert violations == []
    assert problems == []


def test_an_organization_is_made_limited_and_in_the_audit_log(
    watched: LiveService, page: Page, violations: list[str]
) -> None:
    sign_in(page, watched)
    open_page(page, watched, "organizations")

    page.get_by_role("button", name="New organization").click()
    page.get_by_role("dialog").get_by_label("Name").fill("org_new")
    page.get_by_role("button", name="Make organization").click()
    page.get_by_label("Name").fill("live")
    page.get_by_role("button", name="Make environment").click()
    expect(page.get_by_text("The environment live is there.")).to_be_visible()
    page.get_by_label("Stored").fill("5 XB")
    page.get_by_role("button", name="Set limits").click()
    expect(page.locator(".field-error")).to_contain_text("500 GB")
    page.get_by_label("Stored").fill("5 GB")
    page.get_by_role("button", name="Set limits").click()
    expect(page.get_by_text("The limits hold from now on.")).to_be_visible()

    page.goto(f"{watched.api}/dashboard/org_new/audit")
    expect(page.locator("tbody tr")).to_have_count(3)
    page.get_by_label("Search who, what or id").fill("set")
    expect(page.locator("tbody tr")).to_have_count(1)
    expect(page.locator("tbody tr")).to_contain_text("Olga Operator")
    assert page.url.endswith("?search=set")
    assert violations == []
