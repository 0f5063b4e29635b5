"""Viewers read the words of a spoken clip: from the upload to the players, with tiny.en."""

import re
import subprocess
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.browsing import watch_for_problems
from tests.e2e.films import wait_until
from tests.e2e.sites import Site
from tests.e2e.speech.spoken_clips import ended_jobs, listening_service, with_pictures
from tests.plugins.transcriber_whisper.models import TINY_EN, tiny_en
from tests.plugins.transcriber_whisper.spoken_sounds import speak
from tests.support.live import LiveService, request
from tests.support.npm_packages import npm_packages

# Captions are made behind everything else, and the tests beside this one keep all cores busy.
pytestmark = pytest.mark.timeout(300)

CAPTIONS_WITHIN_S: Final = 200
SAID: Final = (
    "Please leave your message after the tone. The captions are ready in the morning."
)
SCRIPTS: Final = {
    "hls.js": ("hls.js@1.7.4", "hls.js/dist/hls.min.js"),
    "Shaka Player": (
        "shaka-player@5.2.12",
        "shaka-player/dist/shaka-player.compiled.js",
    ),
}
TURN_ON: Final = {
    "hls.js": """
        const hls = new Hls();
        hls.on(Hls.Events.ERROR, (_, data) => data.fatal && console.error(data.details));
        hls.attachMedia(video);
        hls.loadSource(url);
        await new Promise((done) => hls.once(Hls.Events.SUBTITLE_TRACKS_UPDATED, done));
        hls.subtitleTrack = 0;
        hls.subtitleDisplay = true;
    """,
    "Shaka Player": """
        const player = new shaka.Player();
        player.addEventListener('error', (event) => console.error(event.detail));
        await player.attach(video);
        await player.load(url);
        player.selectTextTrack(player.getTextTracks()[0]);
    """,
    # What the browser's own menu does.
    "hv-player": """
        while (!captions().length) { await pause(); }
        captions()[0].mode = 'showing';
    """,
}
"""JavaScript that shows the first captions, as a page or its viewer does, by the name of the player."""
READ: Final = """async (url) => {
    const pause = () => new Promise((done) => setTimeout(done, 20));
    const element = document.querySelector("hv-player, video");
    if (element.localName === 'hv-player') {
        await customElements.whenDefined('hv-player');
    }
    const video = element.video ?? element;
    const captions = () => [...video.textTracks].filter(
        ({ kind }) => kind === 'subtitles' || kind === 'captions');
    video.muted = true;
    if (element !== video) { await element.play(); }
    %s
    if (element === video) { await video.play(); }
    const shown = () => captions().find(
        ({ mode, activeCues }) => mode === 'showing' && activeCues?.length);
    while (!shown()) { await pause(); }
    const [active] = shown().activeCues;
    const at = video.currentTime;
    const text = (cue) => cue.getCueAsHTML().textContent;
    return {
        isInTime: active.startTime <= at + 0.3 && at - 0.3 <= active.endTime,
        active: text(active),
        all: [...shown().cues].map(text).join(' '),
        language: shown().language,
    };
}"""
"""Watches until captions are shown, and returns the words of all of them."""


@pytest.fixture(scope="module")
def listening(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveService]:
    tiny_en()
    with listening_service(tmp_path_factory.mktemp("listening"), TINY_EN) as running:
        yield running


@pytest.fixture(scope="module")
def spoken_id(listening: LiveService, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return a public video whose captions are ready, as its upload asked for."""
    folder = tmp_path_factory.mktemp("spoken")
    clip = with_pictures(speak(SAID, folder / "a.wav"), folder / "spoken.mp4")
    video_id = str(listening.made(clip, generateCaptions=True)["id"])
    (job,) = ended_jobs(listening, video_id, within_s=CAPTIONS_WITHIN_S)
    assert (job["state"], job["language"], job["languageAssumed"]) == (
        *("ready", "en"),
        True,
    )
    return video_id


def words_of(text: str) -> list[str]:
    return re.findall(r"[a-z']+", text.lower())


def output_of(program: str, *words: str) -> str:
    command = [program, "-v", "error", *words]
    done = subprocess.run(command, capture_output=True, check=True, timeout=60)
    return done.stdout.decode()


def assert_is_said(text: str) -> None:
    """A voice of a machine, and a small model: some words may be others."""
    said, found = words_of(SAID), words_of(text)
    assert abs(len(found) - len(said)) <= 3, text
    assert len(set(said) & set(found)) >= 0.9 * len(set(said)), text


def test_spoken_words_stand_in_the_playlists(
    listening: LiveService, spoken_id: str
) -> None:
    """ffmpeg leaves out the subtitles of a master playlist, so it is given their file."""
    url = listening.public_url(spoken_id)

    master = request("GET", url).data.decode()
    (named,) = re.findall(r'TYPE=SUBTITLES.*LANGUAGE="en".*URI="([^"]+)"', master)
    playlist = request("GET", urljoin(url, named)).data.decode()
    (file,) = [line for line in playlist.splitlines() if line[:1] not in {"", "#"}]
    vtt = urljoin(url, file)
    probed = output_of(
        "ffprobe", *["-show_entries", "stream=codec_name", "-of", "csv=p=0"], vtt
    )
    read = output_of("ffmpeg", "-nostdin", "-i", vtt, "-f", "webvtt", "-")

    assert probed.strip() == "webvtt"
    assert_is_said(
        " ".join(line for line in read.splitlines()[1:] if "-->" not in line)
    )


@pytest.mark.parametrize("player", SCRIPTS)
def test_players_of_others_show_spoken_words(
    page: Page, site: Site, listening: LiveService, spoken_id: str, player: str
) -> None:
    problems = watch_for_problems(page)
    site.body = "<link rel=icon href=data:,><video></video>"
    page.goto(site.url)
    package, script = SCRIPTS[player]
    page.add_script_tag(path=npm_packages(package) / script)

    read: dict[str, Any] = page.evaluate(
        READ % TURN_ON[player], listening.public_url(spoken_id)
    )

    assert problems == []
    assert read["isInTime"]
    assert_is_said(read["all"])


def test_the_player_of_the_service_shows_spoken_words(
    page: Page, listening: LiveService, spoken_id: str
) -> None:
    problems = watch_for_problems(page)
    page.goto(f"{listening.worker}/v1/embed/{spoken_id}")

    read: dict[str, Any] = page.evaluate(READ % TURN_ON["hv-player"])

    assert problems == []
    assert read["isInTime"]
    assert read["language"] == "en"
    assert set(words_of(read["active"])) <= set(words_of(read["all"]))
    assert_is_said(read["all"])


def test_the_transcript_panel_shows_spoken_words_and_leads_to_them(
    page: Page, listening: LiveService, spoken_id: str
) -> None:
    problems = watch_for_problems(page)
    page.goto(f"{listening.worker}/v1/embed/{spoken_id}?transcript=1")
    panel = page.get_by_role("region", name="Transcript English")
    last = panel.get_by_role("button").last

    expect(last).to_be_visible()
    text = " ".join(panel.get_by_role("listitem").all_inner_texts())
    last.click()
    wait_until(page, "player.currentTime > 1")

    assert_is_said(text)
    assert problems == []
