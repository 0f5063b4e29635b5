"""
A site with three short videos and the player's files, which answers when it is told to.

Its tokens are of one video each, and expire; it notes what it was asked for.
"""

import base64
import json
import random
import re
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final
from urllib.parse import parse_qs, unquote, urlsplit

import attrs

import hvcore_player
from tests.support.live import until

STATIC: Final = Path(hvcore_player.__path__[0]) / "static"
WIDTHS_PX: Final = {"a": 160, "b": 192, "c": 224}
"""By which it is seen what plays."""
DURATION_S: Final = 8
NO_MSE: Final = (
    "<script>delete window.MediaSource; delete window.ManagedMediaSource;</script>"
)
ELEMENT: Final = """<hv-player muted no-keys cmcd=off></hv-player>
<script type=module src=/static/hv-player.js></script>"""
PAGES: Final = {
    "/element.html": ELEMENT,
    "/native.html": NO_MSE + ELEMENT,
    "/host.html": "<iframe allow=autoplay></iframe>",
    "/empty.html": "<title>No player</title>",
}
TYPES: Final = {
    ".js": "text/javascript", ".mjs": "text/javascript", ".html": "text/html",
    ".m3u8": "application/vnd.apple.mpegurl", ".vtt": "text/vtt", ".css": "text/css",
    ".mp4": "video/mp4", ".m4s": "video/iso.segment",
}  # fmt: skip
MASTER: Final = """#EXTM3U
#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="English",LANGUAGE="en",URI="en.m3u8"
#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="Chinese",LANGUAGE="zh-CN",URI="zh.m3u8"
#EXT-X-STREAM-INF:BANDWIDTH=90000,RESOLUTION=320x180,CODECS="avc1.42c00c",SUBTITLES="s"
video.m3u8?low
#EXT-X-STREAM-INF:BANDWIDTH=99000,RESOLUTION=1280x720,CODECS="avc1.42c00c",SUBTITLES="s"
video.m3u8?high
"""
TEXT: Final = f"""#EXTM3U
#EXT-X-TARGETDURATION:{DURATION_S}
#EXTINF:{DURATION_S},
LANGUAGE.vtt
#EXT-X-ENDLIST
"""
CUES: Final = "WEBVTT\n\n00:00:00.000 --> 00:00:08.000\nHello\n"
PICTURES: Final = "WEBVTT\n\n00:00.000 --> 00:08.000\nstoryboard-0.jpg#xywh=0,0,16,9\n"


def token(video: str, *, valid_s: float = 600) -> str:
    """
    Return a token of a video; one that is not valid any more for a negative time.
    """
    now = int(time.time())
    claims = {"video": video, "iat": now - 60, "exp": now + valid_s}
    payload = base64.urlsafe_b64encode(json.dumps(claims).encode()).decode()
    return f"h.{payload.rstrip('=')}.s"


def make_videos(folder: Path) -> None:
    """
    Make the videos of the site.
    """
    command = ["ffmpeg", "-v", "error", "-nostdin", "-y"]
    command += ["-f", "lavfi", "-i", f"testsrc=s=224x126:r=10:d={DURATION_S}"]
    for name, width_px in WIDTHS_PX.items():
        (folder / name).mkdir()
        (folder / name / "master.m3u8").write_text(MASTER)
        (folder / name / "en.vtt").write_text(CUES)
        (folder / name / "zh.vtt").write_text(CUES)
        (folder / name / "storyboard.vtt").write_text(PICTURES)
        for language in ("en", "zh"):
            text = TEXT.replace("LANGUAGE", language)
            (folder / name / f"{language}.m3u8").write_text(text)
        command += ["-vf", f"scale={width_px}:{width_px * 9 // 16 // 2 * 2}"]
        command += ["-c:v", "libx264", "-profile:v", "baseline", "-g", "20"]
        command += ["-preset", "ultrafast", "-pix_fmt", "yuv420p", "-f", "hls"]
        command += ["-hls_time", "2", "-hls_playlist_type", "vod"]
        command += ["-hls_segment_type", "fmp4", str(folder / name / "video.m3u8")]
    subprocess.run(command, check=True)


@attrs.define
class MovingSite:
    """
    The site.

    Attributes:
        asked: The paths and queries of all requests so far.
        delays: Says how long an answer takes, at most ``most_s``.
    """

    folder: Path
    url: str = ""
    asked: list[str] = attrs.field(factory=list)
    most_s: float = 0
    delays: random.Random = attrs.field(factory=random.Random)
    _held: set[str] = attrs.field(factory=set)
    _changed: threading.Condition = attrs.field(factory=threading.Condition)

    def start_anew(self) -> None:
        """
        Forget what was asked, answer all that is held, and at once from now on.
        """
        with self._changed:
            self.most_s = 0
            self._held.clear()
            self._changed.notify_all()
            self.asked.clear()

    def hold(self, path: str) -> None:
        """
        Answer nothing whose path begins so, until it is released.
        """
        with self._changed:
            self._held.add(path)

    def release(self, path: str) -> None:
        """
        Answer again what was held.
        """
        with self._changed:
            self._held.remove(path)
            self._changed.notify_all()

    def wait_for(self, path: str, *, within_s: float = 20) -> None:
        """
        Wait until something is asked for whose path begins so.
        """
        until(
            lambda: any(one.startswith(path) for one in list(self.asked)),
            within_s=within_s,
            what=f"a request for {path}",
        )

    def answer(self, address: str) -> tuple[int, str, bytes]:
        """
        Return status, type and body, when it is time.
        """
        with self._changed:
            self.asked.append(address)
            delay_s = self.delays.uniform(0, self.most_s) if self.most_s else 0
            self._changed.wait_for(lambda: not self._is_held(address), timeout=60)
        if delay_s and not address.startswith("/static/"):
            time.sleep(delay_s)
        parts = urlsplit(address)
        found = self._found(parts.path, parse_qs(parts.query))
        if isinstance(found, int):
            return found, "text/plain", b"refused"
        is_page = parts.path.startswith("/embed/")
        suffix = ".html" if is_page else Path(parts.path).suffix
        return 200, TYPES.get(suffix, "text/plain"), found

    def _is_held(self, address: str) -> bool:
        return any(address.startswith(path) for path in self._held)

    def _found(self, path: str, query: dict[str, list[str]]) -> bytes | int:
        if path in PAGES:
            return f"<!doctype html><link rel=icon href=data:,>{PAGES[path]}".encode()
        first, _, rest = path[1:].partition("/")
        if first == "static":
            return (STATIC / rest).read_bytes()
        if first in {"renew", "embed"}:
            made = token(rest) if first == "renew" else embed_page(rest, query)
            return made.encode()
        file = self.folder / rest
        if first not in {"public", "private", "share"} or not file.is_file():
            return 404
        given = query.get("token", [""])[0]
        if first == "private" and (refused := refusal(given, rest[0])):
            return refused
        if first == "share" and not given:
            given = token(rest[0])
        return with_token(file.read_bytes(), given)


def refusal(given: str, video: str) -> int | None:
    """
    Return the status by which a token is refused, or None.
    """
    try:
        payload = given.split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(payload + "=" * 3))
    except (ValueError, IndexError):
        return 401
    if claims["exp"] < time.time():
        return 401
    return None if claims["video"] == video else 403


def with_token(content: bytes, given: str) -> bytes:
    """
    Return a playlist or a storyboard whose addresses have a token.
    """
    if not given or not content.startswith((b"#EXTM3U", b"WEBVTT")):
        return content
    text = re.sub(
        r"([\w-]+\.(?:m3u8|vtt|mp4|m4s|jpg))(\?\w+)?",
        lambda found: f"{found[1]}{found[2] + '&' if found[2] else '?'}token={given}",
        content.decode(),
    )
    return text.encode()


def embed_page(rest: str, query: dict[str, list[str]]) -> str:
    """
    Return the page of a video for frames; ``native`` has no Media Source Extensions.
    """
    native = NO_MSE if "native" in query else ""
    access = "private" if rest.startswith("private/") else "public"
    return f"""<!doctype html><link rel=icon href=data:,>{native}
        <hv-player muted data-access={access} src="/{unquote(rest)}"></hv-player>
        <script type=module src=/static/embed.js></script>"""


@contextmanager
def moving_site(folder: Path) -> Iterator[MovingSite]:
    """
    Serve the site until the block ends.

    Args:
        folder: An empty one, for the videos.
    """
    make_videos(folder)
    site = MovingSite(folder=folder)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, kind, body = site.answer(self.path)
            try:
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.send_header("X-Request-Id", "req-1")
                if not self.path.startswith("/static/"):
                    self.send_header("Cache-Control", "no-store")
                self.end_headers()
                self.wfile.write(body)
            except ConnectionError:
                # Whoever asked has turned to something else.
                pass

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        site.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield site
        site.start_anew()
        server.shutdown()
        thread.join()
