"""
The upload page in a real browser: settings of each file, refusals before anything is sent.
"""

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from hvcore.domain.access.roles import Role
from tests.e2e.dashboard.test_dashboard import SLOW_BYTES_S, slow_down
from tests.e2e.people import ORG, services_of, sign_in
from tests.support.live import LiveService

NOTIFIED = """
window.told = [];
window.Notification = class {
    static permission = 'granted';
    static async requestPermission() { return 'granted'; }
    constructor(name, {body}) { window.told.push([name, body]); }
};
"""


def test_each_file_has_its_own_settings_and_texts_are_changed_while_it_is_sent(
    service: LiveService,
    page: Page,
    violations: list[str],
    short_clip: Path,
    tmp_path: Path,
) -> None:
    files = []
    for name in ("one", "two", "three"):
        files.append(tmp_path / f"{name}.mp4")
        free = b"\0\x10\0\0free" + bytes(0x100000 - 8)
        files[-1].write_bytes(short_clip.read_bytes() + free)
    sign_in(page, service, Role.EDITOR)
    page.goto(f"{service.api}/dashboard/{ORG}/upload")
    network = page.context.new_cdp_session(page)
    slow_down(network, SLOW_BYTES_S // 20)
    page.locator("#tags").fill("lecture")
    page.set_input_files("#files", files)
    rows = page.locator(".upload")
    expect(rows.nth(2).locator(".upload-state")).to_have_text("Waiting")

    waits, runs = rows.nth(2), rows.nth(0)
    waits.locator("summary").click()
    waits.get_by_label("Visibility").select_option("Public")
    waits.get_by_label("Quality").select_option("high")
    runs.locator("summary").click()
    expect(runs.locator(".upload-state")).to_contain_text(
        re.compile(r"of \S+ MB · \d+ s left"), timeout=20_000
    )
    runs.get_by_label("Name", exact=True).fill("Named on its way")
    page.keyboard.press("Tab")
    expect(runs.locator(".upload-noted")).to_have_text("Saved.")
    slow_down(network, -1)
    for index in range(3):
        expect(rows.nth(index).get_by_role("link")).to_be_visible(timeout=30_000)

    ids = [
        str(row.get_by_role("link").get_attribute("href")).rpartition("/")[2]
        for row in rows.all()
    ]
    with services_of(service) as services, services.uow.read() as work:
        made = [video for one in ids if (video := work.videos.find(one))]
    assert [video.name for video in made] == ["Named on its way", "two", "three"]
    assert [video.is_public for video in made] == [False, False, True]
    presets = [video.settings.preset.value for video in made]
    assert presets == ["standard", "standard", "high"]
    assert {video.labels.tags for video in made} == {("lecture",)}
    assert violations == []


def test_a_file_that_is_no_video_is_refused_before_it_is_sent(
    service: LiveService, page: Page, tmp_path: Path
) -> None:
    notes = tmp_path / "notes.mp4"
    notes.write_text("These are notes, whatever they are called.")
    sign_in(page, service, Role.EDITOR)
    page.goto(f"{service.api}/dashboard/{ORG}/upload")
    sent: list[str] = []
    page.on("request", lambda one: sent.append(one.method))

    page.set_input_files("#files", [notes])

    row = page.locator(".upload.failed")
    expect(row).to_contain_text("It is no video")
    row.get_by_role("button", name="Discard").click()
    expect(page.locator(".upload")).to_have_count(0)
    assert "POST" not in sent


def test_a_failed_video_is_told_by_a_notification_and_goes_with_one_click(
    service: LiveService, page: Page, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.mp4"
    broken.write_bytes(b"\0\0\0\x18ftypmp42" + bytes(4000))
    page.add_init_script(NOTIFIED)
    sign_in(page, service, Role.EDITOR)
    page.goto(f"{service.api}/dashboard/{ORG}/upload")
    page.get_by_label("Tell me by a notification").check()

    page.set_input_files("#files", [broken])

    row = page.locator(".upload")
    expect(row.locator(".badge.danger")).to_be_visible(timeout=60_000)
    why = row.locator(".field-error").inner_text()
    assert page.evaluate("window.told") == [["broken.mp4", why]]
    link = str(row.get_by_role("link").get_attribute("href"))
    row.get_by_role("button", name="Discard").click()
    expect(row).to_have_count(0)
    page.goto(service.api + link)
    expect(page.locator("main")).to_contain_text("There is no such")
