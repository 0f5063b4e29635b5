"""
What is promised to pages of other origins, also to those that are isolated from others.
"""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Page

from tests.e2e.browsing import play
from tests.e2e.firefox import running_firefox
from tests.support.live import LiveService

ISOLATION: Final = {
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
}
SENT: Final = {
    "CMCD-Request": "bl=2000",
    "CMCD-Object": "br=900,d=4000,ot=v",
    "CMCD-Status": "rtp=1000",
    "CMCD-Session": 'sid="0f5b7a4e-3c5e-4b2a-9d0f-6c1f4b1e9a10"',
    "Range": "bytes=0-99",
}
LOAD: Final = """(async (film, sent) => {
    const shown = (tag, event, attributes) => new Promise((done) => {
        const element = Object.assign(document.createElement(tag), attributes);
        element.addEventListener(event, () => done(true));
        element.addEventListener("error", () => done(false));
        setTimeout(() => done(`no ${event}`), 30000);
        document.body.append(element);
    });
    const told = (frame) => new Promise((done) => {
        addEventListener("message", (event) =>
            event.source === frame.contentWindow && done(true));
        setTimeout(() => done("nothing told"), 30000);
        document.body.append(frame);
    });
    const answer = await fetch(film.master, { headers: sent }).catch(String);
    await import(film.script);
    const frame = Object.assign(document.createElement("iframe"), { src: film.page });
    const player = document.createElement("hv-player");
    player.setAttribute("src", film.master);
    player.setAttribute("muted", "");
    document.body.prepend(player);
    return {
        isIsolated: crossOriginIsolated,
        master: answer.status ?? answer,
        picture: await shown("img", "load", { src: film.picture }),
        frame: await told(frame),
    };
})"""
EXPECTED: Final = {
    "isIsolated": True,
    "master": 206,
    "picture": True,
    "frame": True,
}


@pytest.fixture(scope="module")
def isolated() -> Iterator[str]:
    """
    The address of an empty page of another origin that is isolated.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = b"<!doctype html><link rel=icon href=data:,><title>Elsewhere</title>"
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            for name, value in ISOLATION.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


@pytest.fixture
def addresses(service: LiveService, public_id: str) -> dict[str, str]:
    return {
        "master": service.public_url(public_id),
        "script": f"{service.worker}/v1/player/hv-player.js",
        "page": f"{service.worker}/v1/embed/{public_id}",
        "picture": f"{service.worker}/t/{public_id}/320x180.jpg",
    }


def test_an_isolated_page_elsewhere_sees_all_and_tells_how_it_plays(
    addresses: dict[str, str], isolated: str, page: Page
) -> None:
    page.goto(isolated)

    found = page.evaluate(f"([film, sent]) => {LOAD}(film, sent)", [addresses, SENT])

    assert found == EXPECTED
    play(page)


def test_the_poster_is_asked_for_as_every_page_may_read_it(
    addresses: dict[str, str], isolated: str, page: Page
) -> None:
    """
    Copies that caches have of former versions do not say who may load them.
    """
    page.goto(isolated)
    page.evaluate(
        """async (film) => {
            await import(film.script);
            const player = document.createElement('hv-player');
            player.setAttribute('src', film.master);
            player.setAttribute('poster', film.picture);
            document.body.append(player);
        }""",
        addresses,
    )

    picture = page.locator("img[slot=poster]")
    assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)")
    assert picture.get_attribute("crossorigin") == "anonymous"


@pytest.mark.long
def test_in_firefox_an_isolated_page_elsewhere_sees_all(
    addresses: dict[str, str], isolated: str, tmp_path: Path
) -> None:
    profile = tmp_path / "firefox"
    profile.mkdir()
    with running_firefox(profile) as firefox:
        firefox.open(isolated)
        firefox.send("WebDriver:SetTimeouts", script=180_000)
        found = firefox.send(
            "WebDriver:ExecuteAsyncScript",
            script=f"""const [film, sent, done] = arguments;
            {LOAD}(film, sent).then(done, (cause) => done(`failed: ${{cause}}`));""",
            args=[addresses, SENT],
        )
        firefox.click("button", "play")
        firefox.wait_until("player.currentTime > 0.2 && player.videoWidth > 0")

    assert found == EXPECTED
