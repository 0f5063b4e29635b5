"""
A film that has all that a player can show, and pages that show it.
"""

import json
import os
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

import attrs
import jwt
from playwright.sync_api import Page, Request

from tests.support.live import LiveService

FILM_S: Final = 60
CHAPTERS: Final = {"Departure": (0, 20), "At sea": (20, 45), "Harbour & home": (45, 60)}
CAPTIONS: Final = {"eng": "Hello", "ger": "Hallo"}
ENDLESS_S: Final = int(os.environ.get("HV_ENDLESS_S", "600"))
"""How long a video is that seems to have no end."""


def make_film(folder: Path) -> Path:
    """
    Make a film of two qualities with chapters, and two languages of all else.
    """
    chapters = "".join(
        f"[CHAPTER]\nTIMEBASE=1/1\nSTART={start}\nEND={end}\ntitle={title}\n"
        for title, (start, end) in CHAPTERS.items()
    )
    (folder / "chapters.txt").write_text(f";FFMETADATA1\n{chapters}")
    inputs = ["-f", "lavfi", "-i", f"testsrc=s=854x480:r=5:d={FILM_S}"]
    for tone in (440, 880):
        inputs += ["-f", "lavfi", "-i", f"sine=f={tone}:r=48000:d={FILM_S}"]
    for language, text in CAPTIONS.items():
        path = folder / f"{language}.srt"
        path.write_text(f"1\n00:00:00,500 --> 00:00:{FILM_S - 1},000\n{text}\n")
        inputs += ["-i", str(path)]
    inputs += ["-i", str(folder / "chapters.txt")]
    tracks = [word for number in range(5) for word in ("-map", str(number))]
    for number, language in enumerate(CAPTIONS):
        for kind in "as":
            tracks += [f"-metadata:s:{kind}:{number}", f"language={language}"]
    coding = ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p"]
    made = folder / "film.mkv"
    subprocess.run(
        [
            "ffmpeg",
            "-v",
            "error",
            "-nostdin",
            "-y",
            *inputs,
            *tracks,
            "-map_chapters",
            "5",
            *coding,
            "-c:a",
            "aac",
            "-c:s",
            "srt",
            made,
        ],
        check=True,
    )
    return made


@attrs.define
class Film:
    """
    A film of a service.
    """

    service: LiveService
    video_id: str
    _issued: str = attrs.field(init=False, default="")

    @property
    def embed_url(self) -> str:
        """
        Its page, without a token.
        """
        return f"{self.service.worker}/v1/embed/{self.video_id}"

    @property
    def private_url(self) -> str:
        """
        Its playlist, without a token.
        """
        return f"{self.service.worker}/v1/private/{self.video_id}/master.m3u8"

    def token(self, *, valid_s: int) -> str:
        """
        Return a token that is good for a shorter time than the API gives any.
        """
        if not self._issued:
            path = f"/v1/videos/{self.video_id}/signed-url"
            signed = str(self.service.call("GET", path).body["signed_url"])
            self._issued = signed.partition("?token=")[2]
        header = jwt.get_unverified_header(self._issued)
        claims = jwt.decode(self._issued, options={"verify_signature": False})
        now = int(time.time())
        claims |= {"iat": now, "exp": now + valid_s}
        secrets = json.loads((self.service.data / "secrets.json").read_text())
        return jwt.encode(
            claims,
            secrets["playback"],
            algorithm=header["alg"],
            headers={"kid": header["kid"]},
        )

    def report(self, name: str) -> Any:  # noqa: ANN401 - JSON data
        """
        Read one of its analytics.
        """
        path = f"/v1/videos/{self.video_id}/analytics/{name}"
        return self.service.call("GET", path).body


def segments_of(page: Page) -> list[Request]:
    """
    Return a list that fills with the requests for media segments.
    """
    found: list[Request] = []

    def note(request: Request) -> None:
        name = request.url.partition("?")[0].rpartition("/")[2]
        if name.removesuffix(".m4s").isdigit():
            found.append(request)

    page.on("request", note)
    return found


def wait_until(page: Page, condition: str, *, within_s: float = 20) -> None:
    """
    Wait for a condition of ``player``, in JavaScript; a page's policy may be strict.
    """
    page.evaluate(
        f"""async () => {{
            await customElements.whenDefined('hv-player');
            const player = document.querySelector('hv-player');
            const ends = performance.now() + {within_s * 1000};
            while (!({condition})) {{
                if (performance.now() > ends) {{
                    throw new Error({json.dumps(condition)} + ' did not happen: ' +
                        JSON.stringify([player.currentTime, player.readyState,
                            player.paused, player.error]));
                }}
                await new Promise((done) => setTimeout(done, 20));
            }}
        }}"""
    )


def ask(page: Page, expression: str) -> Any:  # noqa: ANN401 - JSON data
    """
    Return what an expression of ``player`` gives.
    """
    return page.evaluate(
        f"""async () => {{
            await customElements.whenDefined('hv-player');
            const player = document.querySelector('hv-player');
            return {expression};
        }}"""
    )


class _Pages(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def web_site(folder: Path, pages: Mapping[str, str]) -> Iterator[str]:
    """
    Serve pages from an origin of their own until the block ends.
    """
    for name, text in pages.items():
        (folder / name).write_text(text)
    handler = partial(_Pages, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()
