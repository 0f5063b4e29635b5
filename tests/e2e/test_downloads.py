"""
Downloads of a real service, in a browser and in programs that play and seek.
"""

import json
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import attrs
import pytest
from playwright.sync_api import Page

from tests.e2e.films import web_site
from tests.support.live import LiveService, request

_PATH: Final = "/usr/bin:/bin"
NOBODY: Final = ("--reuid=65534", "--regid=65534", "--clear-groups")
"""VLC does not run as root."""


@attrs.frozen
class Download:
    """
    A movie that may be taken away.

    Attributes:
        url: Of its largest rung.
        playlist: Of the same rung.
    """

    url: str
    sound_url: str
    playlist: str
    sound_playlist: str
    duration_s: float


@pytest.fixture(scope="module")
def download(service: LiveService, public_id: str) -> Download:
    path = f"/v1/videos/{public_id}"
    shown = service.call("PATCH", path, {"allowDownload": True}).body
    by_name = {one["name"]: one["url"] for one in shown["renditions"]}
    movie = shown["renditions"][0]
    rung = movie["name"].removesuffix(".mp4")
    return Download(
        url=movie["url"],
        sound_url=by_name["audio.m4a"],
        playlist=service.public_url(public_id, f"video-{rung}.m3u8"),
        sound_playlist=service.public_url(public_id, "audio.m3u8"),
        duration_s=shown["durationSeconds"],
    )


def packets(address: str, kind: str) -> Sequence[tuple[Any, ...]]:
    command = ["ffprobe", "-v", "error", "-show_data_hash", "md5"]
    command += ["-select_streams", kind, "-show_entries"]
    command += ["packet=size,flags,data_hash", "-of", "json", address]
    told = json.loads(subprocess.check_output(command))["packets"]
    return [(one["data_hash"], one["size"], one["flags"][:1]) for one in told]


def test_a_download_has_the_samples_of_its_rung(download: Download) -> None:
    assert packets(download.url, "v") == packets(download.playlist, "v")
    sound = packets(download.sound_playlist, "a")
    assert packets(download.url, "a") == sound
    assert packets(download.sound_url, "a") == sound


def test_a_browser_seeks_in_it(page: Page, download: Download, tmp_path: Path) -> None:
    text = f'<video src="{download.url}" muted></video>'
    statuses: list[int] = []
    page.on("response", lambda one: statuses.append(one.status))
    with web_site(tmp_path, {"page.html": text}) as site:
        page.goto(f"{site}/page.html")
        shown = page.evaluate(
            """async () => {
                const video = document.querySelector('video');
                const once = (name) => new Promise((done, fail) => {
                    video.addEventListener(name, done, {once: true});
                    video.addEventListener('error', () => fail(video.error.message));
                });
                if (video.readyState < 1) await once('loadedmetadata');
                const found = [];
                const share = [0.9, 0.1, 0.5, 0.99];
                for (const part of share) {
                    const seeked = once('seeked');
                    video.currentTime = part * video.duration;
                    await seeked;
                    found.push([part, video.currentTime / video.duration,
                        video.seekable.end(0)]);
                }
                return {found, duration: video.duration, width: video.videoWidth};
            }"""
        )
    assert shown["duration"] == pytest.approx(download.duration_s, abs=0.15)
    assert shown["width"] > 0
    for wanted, reached, seekable_s in shown["found"]:
        assert reached == pytest.approx(wanted, abs=0.01)
        assert seekable_s == pytest.approx(shown["duration"])
    assert 206 in statuses


def test_a_browser_saves_it_under_the_videos_name(
    page: Page, service: LiveService, download: Download, public_id: str, tmp_path: Path
) -> None:
    name = str(service.details(public_id)["name"])
    page.goto("about:blank")
    with page.expect_download() as expected:
        page.evaluate("(url) => { location.href = url; }", download.url)
    saved = expected.value

    target = tmp_path / "saved.mp4"
    saved.save_as(target)
    whole = request("GET", download.url)
    assert saved.suggested_filename.startswith(name)
    assert saved.suggested_filename.endswith("p).mp4")
    assert target.read_bytes() == whole.data


def test_ffmpeg_seeks_in_it_over_http(download: Download) -> None:
    whole = pictures(download.url)
    frame_s = download.duration_s / len(whole)

    for share in (0.05, 0.5, 0.9):
        at_s = share * download.duration_s
        first = pictures(download.url, "-ss", f"{at_s:.3f}", "-t", "1")[0]
        assert whole.index(first) * frame_s == pytest.approx(at_s, abs=1.5 * frame_s)


@pytest.mark.long
def test_vlc_seeks_in_it(download: Download, tmp_path: Path) -> None:
    assert shutil.which("cvlc"), "apt install vlc-bin vlc-plugin-base"
    tmp_path.chmod(0o777)
    for parent in tmp_path.parents[:3]:
        parent.chmod(0o755)
    start_s = round(download.duration_s / 2)
    target = tmp_path / "taken.ts"
    sink = f"#std{{access=file,mux=ts,dst={target}}}"
    command = ["setpriv", *NOBODY, "cvlc", "-I", "dummy", "--no-audio-time-stretch"]
    command += [f"--start-time={start_s}", f"--stop-time={start_s + 2}"]
    command += ["--sout", sink, "--http-reconnect", download.url, "vlc://quit"]
    subprocess.run(
        command, check=True, timeout=120, env={"HOME": str(tmp_path), "PATH": _PATH}
    )

    whole, taken = pictures(download.url), pictures(str(target))
    first = whole.index(taken[0])
    # From the key picture before it, and on until the stop.
    begins_s = first * download.duration_s / len(whole)
    assert start_s - 6 <= begins_s <= start_s
    assert taken == whole[first : first + len(taken)]
    assert first + len(taken) < len(whole)


def pictures(address: str, *place: str) -> list[str]:
    """
    Return what each picture looks like.
    """
    command = ["ffmpeg", "-v", "error", *place, "-i", address, "-map", "0:v"]
    command += ["-fps_mode", "passthrough", "-f", "framemd5", "-"]
    told = subprocess.check_output(command, text=True).splitlines()
    return [line.rpartition(",")[2].strip() for line in told if line[:1] != "#"]
