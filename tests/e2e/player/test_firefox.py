"""
The player in Debian's Firefox, as a viewer uses it.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.e2e.clips import make_clip
from tests.e2e.films import Film
from tests.e2e.firefox import Firefox, running_firefox
from tests.support.live import LiveService, until

MENU: Final = "player.shadowRoot.querySelector('media-settings-menu')"


@pytest.fixture(scope="module")
def firefox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    with running_firefox(tmp_path_factory.mktemp("firefox")) as running:
        yield running


@pytest.fixture(scope="module")
def film(public_film: Film) -> Film:
    return public_film


@pytest.fixture
def paused(film: Film, firefox: Firefox) -> Iterator[Firefox]:
    """
    A page whose video stands at 10 s, and which complains of nothing.
    """
    before = len(firefox.complaints())
    firefox.open(film.embed_url)
    firefox.ask("(localStorage.clear(), player.muted = true, null)")
    firefox.click("button", "play")
    firefox.wait_until("player.currentTime > 0.2 && player.videoWidth > 0")
    firefox.ask("(player.pause(), player.currentTime = 10, null)")
    firefox.wait_until("!player.seeking && player.readyState > 1")
    firefox.ask("(player.shadowRoot.activeElement?.blur(), null)")
    yield firefox
    assert firefox.complaints()[before:] == []


@pytest.mark.long
def test_firefox_obeys_keys(paused: Firefox) -> None:
    for key, expected in (
        ("l", "player.currentTime === 20"),
        ("j", "player.currentTime === 10"),
        ("k", "!player.paused && player.currentTime > 10.2"),
        (" ", "player.paused"),
        ("m", "!player.muted"),
        ("c", "player.captions === 'en'"),
        (">", "player.playbackRate === 1.25"),
    ):
        paused.press(key)
        paused.wait_until(expected)


@pytest.mark.long
def test_firefox_has_menus_also_in_full_screen(paused: Firefox) -> None:
    paused.press("f")
    paused.wait_until("document.fullscreenElement === player")

    for menu, item, expected in (
        ("Quality", "360p", "player.quality === 360"),
        ("Captions", "Deutsch", "player.captions === 'de'"),
        ("Sound", "Deutsch", "player.sound === 'de'"),
    ):
        paused.click("button", "settings")
        paused.click("menuitem", menu)
        paused.click("menuitemradio", item)
        paused.wait_until(f"{expected} && {MENU}.hidden")
    paused.ask("(player.currentTime = 56, player.play())")
    paused.wait_until("player.ended && player.videoHeight === 360")
    paused.press("f")
    paused.wait_until("document.fullscreenElement === null")


@pytest.mark.long
def test_a_broken_policy_would_be_noticed(film: Film, firefox: Firefox) -> None:
    firefox.open(film.embed_url)
    before = len(firefox.complaints())

    firefox.ask("(player.setAttribute('style', 'color: red'), null)")

    until(lambda: firefox.complaints()[before:], within_s=10, what="the complaint")
    (complaint,) = firefox.complaints()[before:]
    assert "style-src" in complaint


@pytest.mark.long
def test_firefox_reports_a_session_when_its_page_is_left(
    service: LiveService, tmp_path: Path, firefox: Firefox
) -> None:
    clip = make_clip(tmp_path / "short.mp4", seconds=5, size="320x180")
    video_id = str(service.made(clip, allowPublicAccess=True)["id"])
    embed_url = f"{service.worker}/v1/embed/{video_id}"
    before = len(firefox.complaints())
    firefox.open(f"{embed_url}?session-reports=1")
    firefox.ask("(player.muted = true, null)")
    firefox.click("button", "play")
    firefox.wait_until("player.currentTime > 1")

    # A page that is not played.
    firefox.open(embed_url)

    def told() -> Any:  # noqa: ANN401 - JSON data
        path = f"/v1/videos/{video_id}/analytics/playback-quality?by=device"
        records = service.call("GET", path).body["playbackSessions"]
        return records and records[0]["sessionsReported"] and records[0]

    session = until(told, within_s=10, what="the report")
    assert (session["value"], session["sessions"]) == ("desktop", 1)
    assert session["avgStartupMs"] > 0
    assert 500 < session["playedMs"] < 10_000
    assert firefox.complaints()[before:] == []
