"""
A deleted video plays no more, and is back with everything after Undo or Restore.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from hvcore.domain.access.roles import Role
from tests.e2e.browsing import barriers, watch_for_problems, watch_for_violations
from tests.e2e.people import ORG, enter
from tests.support.live import LiveService
from tests.support.live import request as send

LISTED = f"/dashboard/{ORG}/videos"


@pytest.fixture(scope="module")
def film(service: LiveService, short_clip: Path) -> str:
    made = service.made(short_clip, allowPublicAccess=False, videoName="Sea film")
    return str(made["id"])


@pytest.fixture(
    params=[
        pytest.param((390, "dark"), id="narrow"),
        pytest.param((1360, "light"), id="wide", marks=pytest.mark.long),
    ]
)
def context(
    request: pytest.FixtureRequest, service: LiveService, browser: Browser
) -> Iterator[BrowserContext]:
    width_px, scheme = request.param
    context = browser.new_context(
        viewport={"width": width_px, "height": 900}, color_scheme=scheme
    )
    enter(context, service, Role.EDITOR)
    yield context
    context.close()


def statuses(addresses: list[str]) -> list[int]:
    return [send("GET", address).status for address in addresses]


def check(page: Page, axe: str) -> None:
    viewport = page.viewport_size
    assert viewport is not None
    assert page.evaluate("document.documentElement.scrollWidth") == viewport["width"]
    assert barriers(page, axe) == {}


def test_a_deletion_is_undone(
    service: LiveService, context: BrowserContext, axe: str, film: str
) -> None:
    video = f"/v1/videos/{film}"
    signed = service.call("GET", f"{video}/signed-url").body["signed_url"]
    key = service.call("POST", f"{video}/edge-keys", {}).body["edgeKey"]
    share = service.call("POST", f"{video}/share", {"maxViews": 50}).body
    playing = [
        signed,
        f"{service.worker}/v1/{key}/master.m3u8",
        share["shareURL"],
        share["deliveryURL"],
    ]
    assert statuses(playing) == [200, 200, 200, 200]
    page = context.new_page()
    violations, problems = watch_for_violations(page), watch_for_problems(page)

    page.goto(f"{service.api}{LISTED}/{film}")
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page.get_by_text("It can be restored for 20 hours")).to_be_visible()
    check(page, axe)
    page.get_by_role("button", name="Delete video").click()
    expect(page.get_by_text("Sea film was deleted.")).to_be_visible()

    assert all(status in {403, 404, 410} for status in statuses(playing))
    check(page, axe)
    page.goto(f"{service.api}{LISTED}/deleted")
    check(page, axe)
    row = page.get_by_role("row").filter(has_text="Sea film")
    row.get_by_role("button", name="Delete now").click()
    expect(page.get_by_text("The files of “Sea film” are removed now")).to_be_visible()
    check(page, axe)
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Restore Sea film").click()
    expect(page.get_by_text("Sea film was restored.")).to_be_visible()
    assert statuses(playing) == [200, 200, 200, 200]

    page.goto(f"{service.api}{LISTED}/{film}")
    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_role("button", name="Delete video").click()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Sea film was restored.")).to_be_visible()
    assert statuses(playing) == [200, 200, 200, 200]
    assert violations == []
    assert problems == []


def test_the_bin_needs_no_script(
    service: LiveService, browser: Browser, film: str
) -> None:
    service.call("DELETE", f"/v1/videos/{film}?keepHours=2")
    context = browser.new_context(java_script_enabled=False)
    enter(context, service, Role.EDITOR)
    page = context.new_page()

    page.goto(f"{service.api}{LISTED}")
    page.get_by_role("link", name="Bin", exact=True).click()
    expect(page.get_by_role("button", name="Delete now").first).to_be_visible()
    page.get_by_role("button", name="Restore Sea film").click()
    expect(page.get_by_text("Sea film was restored.")).to_be_visible()

    context.close()
    assert service.call("GET", f"/v1/videos/{film}").body["status"]["ready"]


def test_a_video_is_deleted_on_its_page_without_a_script(
    service: LiveService, browser: Browser, film: str
) -> None:
    context = browser.new_context(java_script_enabled=False)
    enter(context, service, Role.EDITOR)
    page = context.new_page()

    page.goto(f"{service.api}{LISTED.partition('?')[0]}/{film}")
    expect(page.get_by_role("button", name="Delete", exact=True)).to_be_hidden()
    page.get_by_role("button", name="Delete video").click()
    page.get_by_role("button", name="Undo").click()

    expect(page.get_by_text("Sea film was restored.")).to_be_visible()
    context.close()
