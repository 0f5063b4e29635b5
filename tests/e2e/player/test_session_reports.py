"""
Session reports of the player: off by default, and never at the cost of playback.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import attrs
import pytest
from playwright.sync_api import Page, Request, Route

from hvcore.wire.analytics.session_reports import MAX_REPORT_BYTES
from tests.e2e.browsing import play, watch_for_problems
from tests.e2e.clips import make_clip
from tests.e2e.films import wait_until, web_site
from tests.support.live import LiveService, until

BEGIN: Final = "**/v1/playback-sessions/*"
WITHIN_S: Final = 10
VIDEO_ELEMENT: Final = "document.querySelector('hv-player').video"
STALLS: Final = f"{VIDEO_ELEMENT}.dispatchEvent(new Event('waiting'))"
STALLS_END: Final = f"{VIDEO_ELEMENT}.dispatchEvent(new Event('playing'))"


@attrs.frozen(kw_only=True)
class Stage:
    """
    A short video of its own, and a page of another site that shows it.
    """

    service: LiveService
    video_id: str
    url: str

    def page(self, attribute: str = "session-reports") -> str:
        """
        Return the address of the page whose element has an attribute.
        """
        return f"{self.url}/{attribute or 'none'}.html"

    def told(self, query: str = "") -> Any:  # noqa: ANN401 - JSON data
        """
        Return the report of the service.
        """
        path = f"/v1/videos/{self.video_id}/analytics/playback-quality{query}"
        return self.service.call("GET", path).body


@pytest.fixture
def stage(service: LiveService, tmp_path: Path) -> Iterator[Stage]:
    clip = make_clip(tmp_path / "short.mp4", seconds=2, size="320x180")
    video_id = str(service.made(clip, allowPublicAccess=True)["id"])
    script = f"{service.worker}/v1/player/hv-player.js"
    pages = {
        f"{attribute or 'none'}.html": f"""<!doctype html><link rel="icon" href="data:,">
            <hv-player {attribute} src="{service.public_url(video_id)}"></hv-player>
            <script type="module" src="{script}"></script>"""
        for attribute in ("session-reports", "session-reports=off", "")
    }
    with web_site(tmp_path, pages) as url:
        yield Stage(service=service, video_id=video_id, url=url)


def requests_of(page: Page) -> list[Request]:
    """
    Return a list that fills with what the page tells the service.
    """
    found: list[Request] = []
    page.on(
        "request",
        lambda request: found.append(request) if "/playback-" in request.url else None,
    )
    return found


def reports_in(requests: list[Request]) -> list[Any]:
    """
    Return the reports among the requests.
    """
    return [one.post_data_json for one in requests if "reports" in one.url]


def wait_for(page: Page, condition: Callable[[], bool]) -> None:
    """
    Wait while the page's events arrive.
    """
    until(
        lambda: page.evaluate("1") and condition(), within_s=WITHIN_S, what="a request"
    )


def play_out(page: Page) -> None:
    play(page)
    wait_until(page, "player.ended && player.error === null")


def test_a_session_is_told_with_its_startup_time(stage: Stage, page: Page) -> None:
    """From a page of another site, without cookies, in at most a kilobyte."""
    problems = watch_for_problems(page)
    requests = requests_of(page)
    page.goto(stage.page())
    assert requests == []

    play_out(page)
    until(
        lambda: stage.told()["summary"]["sessionsReported"] == 1,
        within_s=WITHIN_S,
        what="the report",
    )
    # So that what the browser has sent is known here, too.
    page.evaluate("null")

    (session,) = stage.told("?by=device")["playbackSessions"]
    assert (session["value"], session["sessions"]) == ("desktop", 1)
    assert (session["sessionsStarted"], session["playbackErrors"]) == (1, 0)
    assert 0 < session["avgStartupMs"] < 60_000
    assert 1_000 < session["playedMs"] < 3_000
    begin, *reports = requests
    assert begin.url.endswith(f"/v1/playback-sessions/{stage.video_id}")
    assert reports
    for request in requests:
        assert len(request.post_data_buffer or b"") <= MAX_REPORT_BYTES
        assert "cookie" not in request.all_headers()
    assert page.evaluate("[localStorage.length, document.cookie]")[1] == ""
    assert problems == []


@pytest.mark.parametrize(
    "attribute", ["", pytest.param("session-reports=off", marks=pytest.mark.long)]
)
def test_nothing_is_told_unless_the_page_wants_it(
    stage: Stage, page: Page, attribute: str
) -> None:
    requests = requests_of(page)
    scripts: list[str] = []
    page.on("request", lambda request: scripts.append(request.url))
    page.goto(stage.page(attribute))

    play_out(page)
    page.goto("about:blank")

    assert requests == []
    assert not [url for url in scripts if "session-reports.js" in url]
    assert stage.told()["summary"]["sessions"] == 0


@pytest.mark.parametrize(
    ("query", "sessions"),
    [
        ("session-reports=1", 1),
        pytest.param("session-reports=0", 0, marks=pytest.mark.long),
        pytest.param("", 0, marks=pytest.mark.long),
    ],
)
def test_the_page_of_a_video_tells_if_its_address_says_so(
    stage: Stage, page: Page, query: str, sessions: int
) -> None:
    page.goto(f"{stage.service.worker}/v1/embed/{stage.video_id}?{query}")

    play_out(page)
    page.goto("about:blank")

    until(
        lambda: stage.told()["summary"]["sessionsReported"] == sessions,
        within_s=WITHIN_S,
        what="the report",
    )
    assert stage.told()["summary"]["sessions"] == sessions


def test_the_page_of_an_edge_key_tells_of_its_video(stage: Stage, page: Page) -> None:
    path = f"/v1/videos/{stage.video_id}/edge-keys"
    key = stage.service.call("POST", path, {}).body["edgeKey"]
    page.goto(f"{stage.service.worker}/v1/{key}?session-reports=1")

    play_out(page)

    until(
        lambda: stage.told()["summary"]["sessionsReported"] == 1,
        within_s=WITHIN_S,
        what="the report",
    )


@pytest.mark.long
def test_leaving_the_page_tells_how_far_the_session_came(
    stage: Stage, page: Page
) -> None:
    page.goto(stage.page())
    with page.expect_response(BEGIN):
        play(page)
    wait_until(page, "player.currentTime > 0.5")

    page.goto("about:blank")

    until(
        lambda: stage.told()["summary"]["sessionsReported"] == 1,
        within_s=WITHIN_S,
        what="the report",
    )
    (session,) = stage.told()["playbackSessions"]
    assert session["sessionsStarted"] == 1
    assert session["playedMs"] > 0


@pytest.mark.long
def test_a_stall_is_told_as_rebuffering_and_a_seek_is_not(
    service: LiveService, public_id: str, page: Page
) -> None:
    """The second segment is held back until the video has stood still for a second."""
    held: list[Route] = []
    is_held = True
    page.route(
        re.compile(r"/video/.*/[1-9]\d*\.m4s"),
        lambda route: held.append(route) if is_held else route.continue_(),
    )
    requests = requests_of(page)
    page.goto(f"{service.worker}/v1/embed/{public_id}?session-reports=1")
    play(page)
    page.evaluate(
        "document.querySelector('hv-player').addEventListener('waiting',"
        " () => { window.stalled_ms ??= performance.now(); })"
    )
    wait_until(page, "performance.now() - window.stalled_ms > 1000")
    is_held = False
    for route in held:
        route.continue_()
    wait_until(page, "!player.paused && player.readyState > 2 && !player.seeking")

    page.evaluate("document.querySelector('hv-player').currentTime = 12.5")
    wait_until(page, "player.ended")
    wait_for(page, lambda: bool(reports_in(requests)))

    figures = reports_in(requests)[-1]
    assert figures["rebufferings"] == 1
    assert 1_000 <= figures["rebufferingMs"] < 5_000
    assert figures["playedMs"] > 1_000
    assert figures["errors"] == 0


@pytest.mark.long
def test_a_report_is_sent_every_minute(stage: Stage, page: Page) -> None:
    page.clock.install()
    requests = requests_of(page)
    page.goto(stage.page())
    with page.expect_response(BEGIN):
        play(page)
    wait_until(page, "player.currentTime > 0.3")
    page.evaluate("document.querySelector('hv-player').pause()")
    assert len(requests) == 1

    with page.expect_response("**/v1/playback-reports") as report:
        page.clock.fast_forward(61_000)

    assert report.value.status == 204
    # Nothing has happened since.
    page.clock.fast_forward(600_000)
    assert len(requests) == 2


def test_a_lost_answer_is_asked_for_again_and_counts_once(
    stage: Stage, page: Page
) -> None:
    lost: list[int] = []

    def lose(route: Route) -> None:
        answer = route.fetch()
        if lost:
            route.fulfill(response=answer)
            return
        lost.append(answer.status)
        shown = {
            "Access-Control-Allow-Origin": "*",
            "Access-Control-Expose-Headers": "Retry-After",
            "Retry-After": "1",
        }
        route.fulfill(status=503, headers=shown)

    page.route(BEGIN, lose)
    requests = requests_of(page)
    page.goto(stage.page())

    play_out(page)
    wait_for(page, lambda: len(requests) >= 2)
    page.goto("about:blank")

    until(
        lambda: stage.told()["summary"]["sessions"] >= 1,
        within_s=WITHIN_S,
        what="the session",
    )
    assert lost == [201]
    assert stage.told()["summary"]["sessions"] == 1
    names = [request.post_data for request in requests if "sessions" in request.url]
    assert len(names) == 2
    assert len(set(names)) == 1


def test_a_begin_whose_answer_is_cut_off_is_sent_again_with_the_same_name(
    stage: Stage, page: Page
) -> None:
    names: list[str | None] = []

    def cut(route: Route) -> None:
        names.append(route.request.post_data)
        answer = route.fetch()
        if len(names) == 1:
            route.fulfill(response=answer, body=answer.text()[:20])
        else:
            route.fulfill(response=answer)

    page.clock.install()
    page.route(BEGIN, cut)
    page.goto(stage.page())
    with page.expect_response(BEGIN):
        play(page)
    wait_until(page, "player.currentTime > 0.3")
    page.evaluate("document.querySelector('hv-player').pause()")

    with page.expect_response(BEGIN):
        page.clock.fast_forward(31_000)
    page.goto("about:blank")

    assert len(names) == 2
    assert len(set(names)) == 1
    assert stage.told()["summary"]["sessions"] == 1


@pytest.mark.parametrize("is_stalled", [False, True])
def test_a_machine_that_sleeps_watches_nothing_meanwhile(
    stage: Stage, page: Page, *, is_stalled: bool
) -> None:
    page.clock.install()
    requests = requests_of(page)
    page.goto(stage.page())
    with page.expect_response(BEGIN):
        play(page)
    wait_until(page, "player.currentTime > 0.3")
    if is_stalled:
        page.evaluate(STALLS)

    page.clock.fast_forward("08:00:00")
    wait_for(page, lambda: bool(reports_in(requests)))

    figures = reports_in(requests)[-1]
    assert figures["playedMs"] + figures["rebufferingMs"] < 70_000


def test_stalls_before_the_service_knows_of_the_session_are_not_told_without_their_time(
    stage: Stage, page: Page
) -> None:
    answers = [503]

    def refuse(route: Route) -> None:
        if answers:
            shown = {"Access-Control-Allow-Origin": "*"}
            route.fulfill(status=answers.pop(), headers=shown)
        else:
            route.continue_()

    page.clock.install()
    page.route(BEGIN, refuse)
    requests = requests_of(page)
    page.goto(stage.page())
    with page.expect_response(BEGIN):
        play(page)
    wait_until(page, "player.currentTime > 0.3")
    page.evaluate(f"{STALLS}; {STALLS_END}")
    page.evaluate("document.querySelector('hv-player').pause()")

    with page.expect_response(BEGIN):
        page.clock.fast_forward(31_000)
    page.clock.fast_forward(61_000)
    wait_for(page, lambda: bool(reports_in(requests)))

    figures = reports_in(requests)[-1]
    assert (figures["rebufferings"], figures["rebufferingMs"]) == (0, 0)


@pytest.mark.parametrize(
    "status",
    [
        404,
        pytest.param(403, marks=pytest.mark.long),
        pytest.param(0, marks=pytest.mark.long),
    ],
)
def test_playback_goes_on_where_nobody_takes_the_reports(
    stage: Stage, page: Page, status: int
) -> None:
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text))
    page.route(
        BEGIN,
        lambda route: route.fulfill(status=status) if status else route.abort(),
    )
    requests = requests_of(page)
    page.goto(stage.page())

    play_out(page)
    page.goto("about:blank")

    assert len(requests) == 1
    # What browsers write by themselves, and nothing of the player's.
    assert all(one.startswith("Failed to load resource") for one in errors), errors
