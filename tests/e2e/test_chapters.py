"""
Chapters, from the uploaded file to a browser.
"""

import json
import subprocess
from pathlib import Path

from playwright.sync_api import Page

from tests.e2e.clips import make_clip
from tests.support.live import LiveService, request

NOTES = """;FFMETADATA1
[CHAPTER]
TIMEBASE=1/1000
START=0
END=1000
title=Intro <b>&
[CHAPTER]
TIMEBASE=1/1000
START=1000
END=9000
title=Über uns
"""
TITLES = ["Intro <b>&", "Über uns"]
READ_TRACK = """async (text) => {
    const track = document.createElement('track');
    track.kind = 'chapters';
    track.src = URL.createObjectURL(new Blob([text], {type: 'text/vtt'}));
    const video = document.body.appendChild(document.createElement('video'));
    video.append(track);
    track.track.mode = 'hidden';
    await new Promise((done) => { track.onload = done; });
    return [...track.track.cues].map(
        (cue) => [cue.startTime, cue.getCueAsHTML().textContent]);
}"""


def chaptered(folder: Path) -> Path:
    plain, made = make_clip(folder / "plain.mp4", seconds=3), folder / "made.mp4"
    notes = folder / "notes.txt"
    notes.write_text(NOTES)
    subprocess.run(
        [
            *("ffmpeg", "-loglevel", "error", "-nostdin", "-i", plain, "-i", notes),
            *("-map_metadata", "1", "-c", "copy", made),
        ],
        check=True,
    )
    return made


def test_a_browser_shows_the_chapters_of_the_uploaded_file(
    service: LiveService, page: Page, tmp_path: Path
) -> None:
    details = service.made(chaptered(tmp_path), allowPublicAccess=False)

    signed = service.call("GET", f"/v1/videos/{details['id']}/signed-url").body
    master = str(signed["signed_url"])
    text = request("GET", master.replace("master.m3u8", "chapters.vtt"))
    apple = request("GET", master.replace("master.m3u8", "chapters.json"))

    assert [one["title"] for one in details["chapters"]] == TITLES
    assert [one["startSeconds"] for one in details["chapters"]] == [0, 1]
    assert details["chapters"][-1]["endSeconds"] == details["durationSeconds"]
    page.goto("about:blank")
    shown = page.evaluate(READ_TRACK, text.data.decode())
    assert shown == [[0, TITLES[0]], [1, TITLES[1]]]
    titles = [one["titles"][0]["title"] for one in json.loads(apple.data)]
    assert titles == TITLES
    assert b'DATA-ID="com.apple.hls.chapters"' in request("GET", master).data
