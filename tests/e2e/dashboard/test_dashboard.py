"""
The dashboard in a real browser: signing in, uploads, the list of videos.
"""

import base64
import os
import re
import struct
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import CDPSession, Page, Request, expect

from hvcore.clock import SystemClock
from hvcore.domain.access.roles import Role
from hvcore.domain.sign_in.sessions import new_secret_value
from tests.e2e.browsing import frame_of, watch_for_problems, watch_on
from tests.e2e.people import (
    COOKIE,
    ORG,
    link_of,
    services_of,
    session_of,
    show,
    sign_in,
    use_link,
)
from tests.support.live import LiveService, until

SLOW_BYTES_S: Final = 2_000_000
LARGE_BYTES: Final = 4_000_000
DROPPED: Final = """({name, data, changed}) => {
    const bytes = Uint8Array.from(atob(data), (one) => one.charCodeAt(0));
    const options = {type: 'video/mp4', lastModified: changed};
    const transfer = new DataTransfer();
    transfer.items.add(new File([bytes], name, options));
    return transfer;
}"""


@pytest.fixture(scope="module")
def large(short_clip: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """
    A clip that takes two seconds to send, and no time to encode.
    """
    folder = tmp_path_factory.mktemp("large")
    file = folder / "Dropped <i>clip.mp4"
    # ISO/IEC 14496-12, section 8.1.2: a box that nobody reads.
    free = struct.pack(">I4s", 8 + LARGE_BYTES, b"free") + os.urandom(LARGE_BYTES)
    file.write_bytes(short_clip.read_bytes() + free)
    return file


def drop(page: Page, file: Path) -> None:
    """
    Drop a file on the page, as from a folder.
    """
    given = {
        "name": file.name,
        "data": base64.b64encode(file.read_bytes()).decode(),
        "changed": 1_700_000_000_000,
    }
    transfer = page.evaluate_handle(DROPPED, given)
    page.dispatch_event("#drop", "drop", {"dataTransfer": transfer})


def slow_down(session: CDPSession, bytes_s: int) -> None:
    """
    Let the browser send no more than this; -1 is as fast as it goes.
    """
    limits = {
        "offline": False,
        "latency": 0,
        "downloadThroughput": -1,
        "uploadThroughput": bytes_s,
    }
    session.send("Network.emulateNetworkConditions", limits)


def sent_share(page: Page) -> float:
    found: float = page.locator(".upload progress").first.evaluate("bar => bar.value")
    return found


def test_a_link_signs_in_once_and_is_in_no_address(
    service: LiveService, page: Page, violations: list[str]
) -> None:
    asked: list[str] = []
    page.on("request", lambda one: asked.append(one.url))
    link = link_of(service, Role.VIEWER)
    code = link.partition("#")[2]

    page.goto(link)
    # Whoever opens the link, or looks at what it leads to, uses nothing up.
    expect(page.get_by_role("button", name="Sign in")).to_be_focused()
    assert "#" not in page.url
    assert COOKIE not in {cookie["name"] for cookie in page.context.cookies()}
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/{ORG}/videos")
    page.context.clear_cookies()
    page.goto("about:blank")
    use_link(page, link)

    expect(page.get_by_role("alert")).to_contain_text("used already")
    assert not any(code in url for url in asked)
    assert violations == []
    log = service.data.with_name(service.data.name + ".log").read_text()
    assert code not in log


class LastWeek(SystemClock):
    """
    A clock that is eight days slow.
    """

    def now(self) -> datetime:
        return super().now() - timedelta(days=8)


def test_a_session_that_is_none_here_opens_nothing(
    service: LiveService, page: Page
) -> None:
    videos, theirs = f"{service.api}/dashboard/{ORG}/videos", "org_theirs"
    with services_of(service) as services:
        services.tenants.create_organization(theirs)
    forged = new_secret_value()
    expired = session_of(service, Role.ADMIN, clock=LastWeek())
    foreign = session_of(service, Role.ADMIN, org=theirs)

    for session in (forged, expired):
        show(page.context, session)
        page.goto(videos)
        assert "/dashboard/sign-in" in page.url
    show(page.context, foreign)
    page.goto(videos)
    told = page.locator("main").inner_text()
    page.goto(videos.replace(ORG, "org_none"))

    assert "There is no such page" in told
    expect(page.locator("main")).to_contain_text("There is no such page")


def test_a_file_is_dropped_cut_off_resumed_and_encoded(
    service: LiveService, page: Page, violations: list[str], large: Path
) -> None:
    problems = watch_for_problems(page)
    offsets: list[int] = []

    def note(sent: Request) -> None:
        if sent.method == "PATCH":
            offsets.append(int(sent.headers["upload-offset"]))

    page.on("request", note)
    page.on("dialog", lambda dialog: dialog.accept())
    sign_in(page, service, Role.EDITOR)
    page.goto(f"{service.api}/dashboard/{ORG}/upload")
    network = page.context.new_cdp_session(page)
    slow_down(network, SLOW_BYTES_S)
    drop(page, large)
    # Enough that some of it has arrived.
    until(lambda: sent_share(page) > 0.3, within_s=20, what="some of the upload")

    page.reload()
    row = page.locator(".upload")
    expect(row).to_contain_text("Cut off")
    slow_down(network, -1)
    drop(page, large)

    expect(row).to_have_count(1)
    expect(row.locator(".video-state")).to_be_visible(timeout=20_000)
    assert offsets[0] == 0
    assert offsets[-1] > 0
    expect(row.locator(".badge.good")).to_have_text("Ready", timeout=90_000)
    row.get_by_role("link").click()
    assert re.search(r"/videos/vid_\w{22}$", page.url)
    watch_on(frame_of(page, "#player"))
    page.goto(f"{service.api}/dashboard/{ORG}/videos")
    # The newest: other tests drop the same file.
    card = page.locator(".video-grid > li", has_text="Dropped <i>clip").first
    expect(card.locator("img")).to_be_visible()
    card.locator(".poster").hover()
    expect(card.locator(".preview")).to_be_visible()
    assert violations == []
    assert [text for text in problems if "404" not in text] == []


def test_an_upload_is_paused_and_goes_on(
    service: LiveService, page: Page, large: Path
) -> None:
    sign_in(page, service, Role.EDITOR)
    page.goto(f"{service.api}/dashboard/{ORG}/upload")
    network = page.context.new_cdp_session(page)
    slow_down(network, SLOW_BYTES_S)
    drop(page, large)
    until(lambda: sent_share(page) > 0.1, within_s=20, what="some of the upload")

    page.get_by_role("button", name="Pause").click()
    expect(page.locator(".upload-state")).to_have_text("Paused")
    paused_at = sent_share(page)
    slow_down(network, -1)
    page.get_by_role("button", name="Go on").click()

    expect(page.locator(".upload .video-state")).to_be_visible(timeout=20_000)
    assert 0 < paused_at < 1


def test_a_list_is_searched_chosen_and_deleted(
    service: LiveService, page: Page, violations: list[str], short_clip: Path
) -> None:
    for name in ("Summer one", "Summer two", "Winter"):
        service.process(service.uploaded(short_clip), videoName=name)
    sign_in(page, service, Role.EDITOR)

    page.get_by_label("Search in names").fill("summer")
    expect(page.locator(".video-grid > li")).to_have_count(2)
    assert page.url.endswith("?search=summer")
    page.get_by_title("Table").click()
    page.get_by_label("Choose all of this page").check()
    chosen = page.locator("#bulk")
    expect(chosen).to_contain_text("2 chosen")
    chosen.get_by_role("button", name="Delete").click()
    expect(page.locator("main")).to_contain_text("can be restored for 20 hours")
    page.get_by_role("link", name="Cancel").click()
    page.get_by_label("Choose all of this page").check()
    chosen.get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Delete 2 videos").click()

    expect(page.locator("#bulk")).to_contain_text("2 deleted", timeout=30_000)
    page.goto(f"{service.api}/dashboard/{ORG}/videos")
    expect(page.locator("tr", has_text="Winter")).to_be_visible()
    expect(page.locator("tr", has_text="Summer")).to_have_count(0)
    assert violations == []
