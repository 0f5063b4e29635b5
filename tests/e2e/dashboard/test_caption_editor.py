"""
The editor of captions in a browser: by keyboard, beside the player, and without scripts.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, BrowserContext, Dialog, Page, expect

from hvcore.domain.access.roles import Role
from hvcore.domain.ids import OrgId
from hvcore.domain.videos.caption_jobs import CaptionJob, CaptionJobState
from hvcore.domain.videos.captions import Cue, read_written
from hvcore.domain.videos.heard_speech import DoubtedCue, HeardSpeech, fingerprint
from tests.e2e.browsing import (
    barriers,
    frame_of,
    watch_for_problems,
    watch_for_violations,
)
from tests.e2e.people import COOKIE, ORG, enter, services_of
from tests.support.live import LiveService, request, until

VTT: Final = """WEBVTT

00:00:00.100 --> 00:00:00.900
Salt & pepper

00:00:01.000 --> 00:00:01.800 line:0
One two three four

00:00:02.000 --> 00:00:02.500
The end
"""
MANY: Final = 3_600
MOST_DRAWN: Final = 60
PAUSED_AT: Final = """async (at) => {
    await customElements.whenDefined('hv-player');
    const player = document.querySelector('hv-player');
    player.muted = true;
    await player.play();
    player.pause();
    const sought = new Promise((done) => player.addEventListener('seeked', done));
    player.currentTime = at;
    await sought;
}"""


@pytest.fixture(scope="module")
def made(service: LiveService, short_clip: Path) -> str:
    """
    A video that only these tests change.
    """
    return str(service.made(short_clip, videoName="Edited")["id"])


@pytest.fixture
def address(service: LiveService, made: str) -> str:
    """
    The address of the editor of captions that are as they were at first.
    """
    put(service, made, VTT)
    return f"{service.api}/dashboard/{ORG}/videos/{made}/captions/en/edit"


@pytest.fixture(scope="module")
def signed_in(service: LiveService, browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(viewport={"width": 1360, "height": 850})
    enter(context, service, Role.EDITOR)
    yield context
    context.close()


@pytest.fixture
def page(signed_in: BrowserContext) -> Iterator[Page]:
    opened = signed_in.new_page()
    yield opened
    opened.close()


def put(service: LiveService, video_id: str, text: str) -> None:
    path = f"{service.api}/v1/videos/{video_id}/captions/en"
    headers = {"X-Api-Key": service.key, "Content-Type": "text/vtt"}
    assert request("PUT", path, data=text.encode(), headers=headers).status == 200


def stored(service: LiveService, video_id: str) -> list[Cue]:
    with services_of(service) as services:
        with services.uow.read() as work:
            (track,) = work.captions.of_video(video_id)
        with services.storage.open(track.path) as file:
            return read_written(file.read())


def hear(service: LiveService, video_id: str) -> None:
    """
    Have a machine hear speech from the start to 4 s, and doubt the word "two".
    """
    doubted = next(cue for cue in stored(service, video_id) if "two" in cue.text)
    with services_of(service) as services, services.uow.write() as work:
        job = CaptionJob(
            id=f"cap_{video_id}",
            video_id=video_id,
            org_id=OrgId(ORG),
            wish="auto",
            state=CaptionJobState.READY,
            duration_ms=4_000,
            created_at=work.now(),
            changed_at=work.now(),
        )
        work.caption_jobs.put(job)
        heard = HeardSpeech(
            language="en",
            spans=((0, 4_000),),
            doubted=(DoubtedCue(fingerprint(doubted), ((4, 7),)),),
        )
        work.caption_jobs.save_heard(job.id, heard)
        work.commit()


def test_cues_are_edited_by_keyboard_and_saved(
    service: LiveService, page: Page, made: str, address: str, axe: str
) -> None:
    hear(service, made)
    problems, violations = watch_for_problems(page), watch_for_violations(page)
    page.goto(address)
    rows, text = page.get_by_role("option"), page.get_by_label("Text", exact=True)
    expect(rows).to_have_count(3)
    expect(rows.nth(1).locator("mark")).to_have_text("two")
    count = page.locator("#cue-count")
    expect(count).to_have_text(
        "3 cues · 1 with words in doubt · 1 s of speech without captions"
    )
    expect(text).to_have_value("Salt & pepper")
    found = barriers(page, axe)

    text.press("Alt+u")
    expect(text).to_have_value("One two three four")
    expect(page.locator("#cue-doubts")).to_contain_text("“two”")
    text.evaluate("one => one.setSelectionRange(7, 7)")
    text.press("Alt+Enter")
    expect(rows).to_have_count(4)
    expect(rows.nth(2)).to_contain_text("three four")
    text.press("Alt+ArrowDown")
    text.fill("3 < 4 & <i>so</i> on")
    text.press("Alt+ArrowDown")
    text.press("Alt+x")
    expect(rows).to_have_count(3)
    text.press("ControlOrMeta+z")
    expect(rows).to_have_count(4)
    text.press("Alt+r")
    page.keyboard.type("E")
    expect(page.get_by_text("Found 5 times in 3 cues.")).to_be_visible()
    page.get_by_label("Match case").check()
    page.get_by_label("Find", exact=True).fill("The")
    page.get_by_label("Replace with").fill("$& This is the")
    page.get_by_role("button", name="Replace all").click()
    page.keyboard.press("ControlOrMeta+s")

    expect(page.get_by_text("Saved.")).to_be_visible()
    assert [(cue.start_ms, cue.end_ms, cue.text) for cue in stored(service, made)] == [
        (100, 900, "Salt &amp; pepper"),
        (1_000, 1_311, "One two"),
        (1_311, 1_800, "3 &lt; 4 &amp; <i>so</i> on"),
        (2_000, 2_500, "$&amp; This is the end"),
    ]
    assert [cue.settings for cue in stored(service, made)] == [
        "",
        "line:0",
        "line:0",
        "",
    ]
    # What was chosen is chosen again.
    expect(text).to_have_value("$& This is the end")
    assert found == {}
    assert violations == []
    assert problems == []


def test_the_players_time_is_taken_and_marks_its_cue(page: Page, address: str) -> None:
    page.goto(address)
    frame_of(page, "#player").evaluate(PAUSED_AT, 1.4)
    played = page.locator(".is-played")
    expect(played).to_contain_text("One two three four", timeout=20_000)
    page.get_by_role("option").nth(0).click()
    expect(played).to_contain_text("Salt")
    frame_of(page, "#player").evaluate(PAUSED_AT, 1.4)
    expect(played).to_contain_text("One two three four", timeout=20_000)

    page.keyboard.press("Alt+i")

    start = page.get_by_label("Start", exact=True)
    expect(start).to_have_value("0:01.400")
    # It has gone to where it belongs, and ends too early now.
    wrong = page.get_by_role("option", selected=True)
    expect(wrong).to_have_attribute("aria-posinset", "2")
    expect(wrong).to_contain_text("It must end after it begins.")
    page.keyboard.press("ControlOrMeta+s")
    expect(page.get_by_text("Not saved: It must end after it begins.")).to_be_visible()
    page.get_by_label("End", exact=True).fill("noon")
    page.keyboard.press("ControlOrMeta+s")
    expect(page.get_by_text("Write a time such as 1:02.500.")).to_be_visible()


def drafts(page: Page) -> str:
    return str(page.evaluate("sessionStorage.getItem('drafts')"))


def test_unsaved_cues_are_asked_about_and_are_in_the_editor_again(
    page: Page, address: str
) -> None:
    """As after a crash, when browsers open the page again."""
    asked: list[str] = []

    def stay(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    page.on("dialog", stay)
    page.goto(address)
    page.reload()
    assert asked == []
    text = page.get_by_label("Text", exact=True)
    text.press_sequentially("!")
    until(lambda: "r!" in drafts(page), within_s=30)

    page.reload()

    assert asked == ["beforeunload"]
    expect(text).to_have_value("Salt & pepper!")
    page.get_by_role("button", name="Discard it").click()
    expect(text).to_have_value("Salt & pepper")
    text.press_sequentially("?")
    until(lambda: "r?" in drafts(page), within_s=30)
    page.keyboard.press("ControlOrMeta+z")
    until(lambda: "r?" not in drafts(page), within_s=30)
    page.reload()
    assert asked == ["beforeunload"]


def test_cues_that_are_saved_after_the_session_has_ended_are_in_the_editor_again(
    service: LiveService, browser: Browser, made: str, address: str
) -> None:
    context = browser.new_context()
    enter(context, service, Role.EDITOR)
    page = context.new_page()
    page.goto(address)
    page.get_by_label("Text", exact=True).fill("Written late")
    session = [one for one in context.cookies() if one["name"].endswith(COOKIE)]
    context.clear_cookies()

    page.keyboard.press("ControlOrMeta+s")
    expect(page.get_by_role("heading", name="Not saved")).to_be_visible()
    # Somebody else would not find it.
    context.add_cookies(session)  # type: ignore[arg-type]  # what it gives, it takes
    page.goto(address)

    expect(page.get_by_text("What you wrote here is in the form again")).to_be_visible()
    expect(page.get_by_label("Text", exact=True)).to_have_value("Written late")
    page.keyboard.press("ControlOrMeta+s")
    expect(page.get_by_text("Saved.")).to_be_visible()
    assert stored(service, made)[0].text == "Written late"
    context.close()


def test_of_thousands_of_cues_those_that_are_seen_are_drawn(
    service: LiveService, page: Page, made: str, address: str
) -> None:
    cues = (
        f"01:{n // 60:02}:{n % 60:02}.000 --> 01:{n // 60:02}:{n % 60:02}.900\nNo. {n}\n\n"
        for n in range(MANY)
    )
    put(service, made, "WEBVTT\n\n" + "".join(cues))
    page.goto(address)
    rows, cues_list = page.get_by_role("option"), page.get_by_role("listbox")

    cues_list.press("End")

    expect(page.get_by_role("option", selected=True)).to_contain_text("No. 3599")
    assert rows.count() <= MOST_DRAWN
    cues_list.press("Enter")
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("The last one")
    page.keyboard.press("ControlOrMeta+s")
    expect(page.get_by_text("Saved.")).to_be_visible(timeout=60_000)
    assert stored(service, made)[-1].text == "The last one"


def test_without_scripts_the_file_is_edited_as_text(
    service: LiveService, browser: Browser, made: str, address: str
) -> None:
    context = browser.new_context(java_script_enabled=False)
    enter(context, service, Role.EDITOR)
    page = context.new_page()
    page.goto(address)
    text = page.locator("#captions")
    expect(page.locator("textarea:visible")).to_have_count(1)
    expect(page.get_by_role("listbox")).to_be_hidden()

    text.fill(VTT.replace("The end", "Fin"))
    page.get_by_role("button", name="Save").click()

    expect(page.get_by_text("Saved.")).to_be_visible()
    assert stored(service, made)[-1].text == "Fin"
    context.close()


def test_texts_of_cues_are_shown_and_stored_without_loss(
    page: Page, address: str
) -> None:
    page.goto(address)
    texts = [
        "a &amp; b",
        "&amp;lt;",
        "&lt;i&gt; is no tag",
        "<i>is</i> a <c.red>tag</c>",
        "1 &lt; 2 &gt; 0",
        "<00:00:01.000>timed",
        "&amp;amp;amp;",
        "<v Anna>who &amp; why",
        "two\nlines",
    ]

    found = page.evaluate(
        "texts => texts.map((one) => hvCues.stored(hvCues.shown(one)))", texts
    )
    shown = page.evaluate("texts => texts.map(hvCues.shown)", texts[:5])
    again = page.evaluate("text => hvCues.write(hvCues.read(text))", VTT)

    assert found == texts
    assert shown == [
        "a & b",
        "&amp;lt;",
        "&lt;i&gt; is no tag",
        "<i>is</i> a <c.red>tag</c>",
        "1 < 2 > 0",
    ]
    assert again == VTT
    assert page.evaluate("hvCues.read('WEBVTT\\n\\nNOTE lost\\n')") is None
