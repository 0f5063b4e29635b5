"""
Captions in a real browser, on the player page; and those of sources.
"""

import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from hvcore.domain.videos.captions import CaptionFormat, read_captions
from tests.e2e.browsing import watch_for_problems
from tests.e2e.clips import make_clip
from tests.support import live
from tests.support.live import LiveService

SRT = b"1\n00:00:01,000 --> 00:00:12,000\n<b>Hello</b> & <font>you</font>\n"

# Not wait_for_function: the page's policy forbids evaluating texts.
SHOWN = """async () => {
    await customElements.whenDefined('hv-player');
    const { video } = document.querySelector('hv-player');
    const until = async (happens) => {
        while (!happens()) {
            await new Promise((done) => setTimeout(done, 20));
        }
    };
    video.muted = true;
    await document.querySelector('hv-player').play();
    const captions = () =>
        [...video.textTracks].filter(({ kind }) => kind === 'subtitles');
    await until(() => captions().length > 0);
    const [track] = captions();
    const before = track.mode;
    // What the browser's own menu does.
    track.mode = 'showing';
    await until(() => track.cues && track.cues.length > 0);
    video.currentTime = 5;
    await until(() => track.activeCues.length > 0);
    const [cue] = track.activeCues;
    return {
        before,
        count: captions().length,
        kind: track.kind,
        label: track.label,
        language: track.language,
        start: cue.startTime,
        end: cue.endTime,
        text: cue.getCueAsHTML().textContent,
    };
}"""


def with_subtitles(clip: Path, folder: Path, texts: Mapping[str, str]) -> Path:
    """
    Copy a clip into a Matroska file, with a subtitle track for each language.
    """
    source = folder / "subtitles.mkv"
    inputs: list[str | Path] = ["-i", clip]
    tracks = ["-map", "0"]
    for number, (language, text) in enumerate(texts.items()):
        path = folder / f"{language}.srt"
        path.write_text(f"1\n00:00:02,000 --> 00:00:03,500\n{text}\n")
        inputs += ["-i", path]
        tracks += ["-map", str(number + 1)]
        tracks += [f"-metadata:s:s:{number}", f"language={language}"]
    subprocess.run(
        ["ffmpeg", "-v", "error", "-nostdin", *inputs, *tracks, "-c", "copy", source],
        check=True,
    )
    return source


@contextmanager
def captions(service: LiveService, video_id: str, body: bytes) -> Iterator[None]:
    """
    Give a video that other tests use captions, until the block ends.
    """
    path = f"/v1/videos/{video_id}/captions"
    answer = live.request(
        "PUT",
        f"{service.api}{path}/EN?label=English",
        data=body,
        headers={"X-Api-Key": service.key, "Content-Type": "application/x-subrip"},
    )
    assert answer.status == 200, answer.data
    yield
    assert service.call("DELETE", f"{path}/en").body == {"captions": []}


def shown(page: Page, url: str) -> dict[str, Any]:
    problems = watch_for_problems(page)
    page.goto(url)
    found: dict[str, Any] = page.evaluate(SHOWN)
    assert problems == []
    return found


@pytest.mark.parametrize("video", ["public_id", "private_id"])
def test_the_browser_offers_and_shows_captions(
    service: LiveService, page: Page, video: str, request: pytest.FixtureRequest
) -> None:
    video_id: str = request.getfixturevalue(video)
    signed = service.call("GET", f"/v1/videos/{video_id}/signed-url").body["signed_url"]
    query = "" if video == "public_id" else "?" + signed.partition("?")[2]

    with captions(service, video_id, SRT):
        found = shown(page, f"{service.worker}/v1/embed/{video_id}{query}")

    assert found == {
        "before": "disabled",
        "count": 1,
        "kind": "subtitles",
        "label": "English",
        "language": "en",
        "start": pytest.approx(1, abs=0.05),
        "end": pytest.approx(12, abs=0.05),
        "text": "Hello & you",
    }


def test_subtitles_of_a_source_are_captions_of_its_video(
    service: LiveService, tmp_path: Path
) -> None:
    small = make_clip(tmp_path / "small.mp4", seconds=4, size="320x180")
    source = with_subtitles(small, tmp_path, {"eng": "Hello", "ger": "Hallo"})

    made = service.made(source, allowPublicAccess=True, content_type="video/x-matroska")

    master = live.request("GET", service.public_url(made["id"])).data.decode()
    for language, text in {"en": "Hello", "de": "Hallo"}.items():
        assert f'LANGUAGE="{language}"' in master
        assert f'URI="captions-{language}.m3u8"' in master
        file = service.public_url(made["id"], f"captions-{language}.vtt")
        data = live.request("GET", file).data
        (cue,) = read_captions(data, CaptionFormat.WEBVTT).cues
        # The sound's first block lies before 0, so a copy begins that much later.
        assert cue.start_ms == pytest.approx(2000, abs=30)
        assert (cue.end_ms - cue.start_ms, cue.text) == (1500, text)
