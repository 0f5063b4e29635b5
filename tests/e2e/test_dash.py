"""
DASH in the players that most pages use, in a real browser.
"""

from collections.abc import Iterator
from typing import Final
from urllib.parse import urljoin, urlsplit

import pytest
from playwright.sync_api import Page

from tests.e2e.browsing import played_s, watch_for_problems, watch_on
from tests.e2e.sites import served_files
from tests.e2e.test_captions import SRT, captions
from tests.support.live import LiveService, request
from tests.support.npm_packages import npm_packages

SCRIPTS: Final = {
    "shaka-player@5.2.12": "shaka-player/dist/shaka-player.dash.js",
    "dashjs@5.2.1": "dashjs/dist/modern/umd/dash.all.min.js",
}
PAGE: Final = (
    "<!doctype html><link rel=icon href=data:,><video muted></video>"
    "<script src=/node_modules/{}></script>"
)
PLAY: Final = {
    "shaka-player@5.2.12": """async (url) => {
        const video = document.querySelector('video');
        const player = new shaka.Player();
        player.addEventListener('error', (event) => console.error(event.detail));
        await player.attach(video);
        await player.load(url);
        await video.play();
    }""",
    "dashjs@5.2.1": """(url) => {
        const player = dashjs.MediaPlayer().create();
        player.on('error', (event) => console.error(JSON.stringify(event)));
        player.initialize(document.querySelector('video'), url, true);
    }""",
}

PREVIEW: Final = {
    "shaka-player@5.2.12": """async (url) => {
        const player = new shaka.Player();
        await player.attach(document.querySelector('video'));
        await player.load(url);
        const [track] = player.getImageTracks();
        const found = await player.getThumbnails(track.id, 7.5);
        return {
            url: found.uris[0],
            place: [found.positionX, found.positionY, found.width, found.height],
            start: found.startTime,
        };
    }""",
    "dashjs@5.2.1": """async (url) => {
        const player = dashjs.MediaPlayer().create();
        player.initialize(document.querySelector('video'), url, true);
        await new Promise((done) => player.on('playbackPlaying', done));
        const found = await new Promise((done) => player.provideThumbnail(7.5, done));
        return {
            url: found.url,
            place: [found.x, found.y, found.width, found.height],
            start: 7,
        };
    }""",
}
"""The still that is shown over a seek bar."""

CHOOSE_CAPTIONS: Final = """async (url) => {
    const video = document.querySelector('video');
    const player = new shaka.Player();
    await player.attach(video);
    await player.load(url);
    const [track] = player.getTextTracks();
    await player.selectTextTrack(track);
    video.currentTime = 5;
    await video.play();
    while (!(video.textTracks[0]?.activeCues?.length)) {
        await new Promise((done) => setTimeout(done, 20));
    }
    const [cue] = video.textTracks[0].activeCues;
    return {
        language: track.language,
        label: track.label,
        text: cue.getCueAsHTML().textContent,
        start: cue.startTime,
    };
}"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """
    A web site of another origin than the service, with a page for each player.
    """
    folder = tmp_path_factory.mktemp("site")
    (folder / "node_modules").symlink_to(npm_packages(*SCRIPTS))
    for player, script in SCRIPTS.items():
        (folder / f"{player}.html").write_text(PAGE.format(script))
    with served_files(folder) as address:
        yield address


@pytest.fixture(params=["public", "private"])
def manifest(request: pytest.FixtureRequest, service: LiveService) -> str:
    video_id = request.getfixturevalue(f"{request.param}_id")
    if request.param == "public":
        return service.public_url(video_id, "manifest.mpd")
    signed = service.call("GET", f"/v1/videos/{video_id}/signed-url").body
    return str(signed["signed_url"]).replace("master.m3u8", "manifest.mpd")


@pytest.mark.cases(2)
@pytest.mark.parametrize("player", list(SCRIPTS))
def test_a_video_plays_from_its_start_and_to_its_end(
    page: Page, site: str, manifest: str, player: str
) -> None:
    problems = watch_for_problems(page)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))

    page.goto(f"{site}/{player}.html")
    page.evaluate(PLAY[player], manifest)
    page.wait_for_function("document.querySelector('video').currentTime > 1")
    # Just before the last segment, which is shorter than the others.
    page.evaluate("document.querySelector('video').currentTime = 11")
    watch_on(page)

    assert problems == []
    assert played_s(page) == pytest.approx(13, abs=0.2)
    loaded = [urlsplit(url) for url in asked if not url.startswith((site, "blob:"))]
    names = {address.path.rpartition("/")[2] for address in loaded}
    assert names == {"manifest.mpd", "init.m4s", "0.m4s", "1.m4s", "2.m4s"}
    assert {address.query for address in loaded} == {urlsplit(manifest).query}


@pytest.mark.cases(3)
@pytest.mark.parametrize("player", list(SCRIPTS))
def test_a_viewer_who_seeks_sees_previews(
    page: Page, site: str, manifest: str, player: str
) -> None:
    problems = watch_for_problems(page)

    page.goto(f"{site}/{player}.html")
    found = page.evaluate(PREVIEW[player], manifest)
    storyboard = request("GET", manifest.replace("manifest.mpd", "storyboard.vtt"))

    cues = storyboard.data.decode().split("\n\n")[1:]
    [cue] = [cue for cue in cues if cue.startswith("00:00:07.000 --> 00:00:08.000")]
    address, _, area = cue.strip().rpartition("\n")[2].partition("#xywh=")
    assert problems == []
    assert found == {
        "url": urljoin(manifest, address),
        "place": [int(number) for number in area.split(",")],
        "start": 7,
    }
    picture = request("GET", found["url"])
    assert (picture.status, picture.data[:3]) == (200, b"\xff\xd8\xff")


def test_a_viewer_chooses_captions(
    page: Page, site: str, service: LiveService, private_id: str
) -> None:
    problems = watch_for_problems(page)
    signed = service.call("GET", f"/v1/videos/{private_id}/signed-url").body
    manifest = str(signed["signed_url"]).replace("master.m3u8", "manifest.mpd")

    with captions(service, private_id, SRT):
        page.goto(f"{site}/shaka-player@5.2.12.html")
        found = page.evaluate(CHOOSE_CAPTIONS, manifest)

    assert problems == []
    assert found == {
        "language": "en",
        "label": "English",
        "text": "Hello & you",
        "start": pytest.approx(1, abs=0.05),
    }
