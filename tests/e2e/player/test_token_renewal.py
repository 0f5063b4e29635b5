"""Players of others play on with a new token, as docs/how-to/renew-tokens.md shows."""

import json
from collections.abc import Iterator
from typing import Final
from urllib.parse import parse_qs, urlsplit

import attrs
import pytest
from playwright.sync_api import Page, Response

from hvcore_client import tokens
from tests.e2e.browsing import watch_for_problems
from tests.e2e.clips import make_clip
from tests.e2e.sites import Site
from tests.support.doc_blocks import code_under
from tests.support.live import LiveService, request, until
from tests.support.npm_packages import npm_packages

PAGE: Final = "how-to/renew-tokens.md"
SCRIPTS: Final = {
    "hls.js": ("hls.js@1.7.4", "hls.js/dist/hls.min.js"),
    "video.js": ("video.js@8.24.1", "video.js/dist/video.min.js"),
    "Shaka Player": (
        "shaka-player@5.2.12",
        "shaka-player/dist/shaka-player.compiled.js",
    ),
}
PLAYERS: Final = [
    ("hls.js", "master.m3u8"),
    ("video.js", "master.m3u8"),
    ("Shaka Player", "master.m3u8"),
    ("Shaka Player", "manifest.mpd"),
]
LOADS_LITTLE: Final = {
    "hls.js": "Hls.DefaultConfig.maxMaxBufferLength = 12;",
    "video.js": "",
    "Shaka Player": "",
}
"""Settings with which a player does not load a whole short film at once."""
FILM_S: Final = 72
FIRST_TOKEN_S: Final = 4


@attrs.frozen(kw_only=True)
class Signer:
    """A server that signs addresses of a private film."""

    service: LiveService
    video_id: str
    key: str
    kid: str

    def address(self, file: str, *, valid_s: int) -> str:
        token = tokens.sign(self.video_id, key=self.key, kid=self.kid, valid_s=valid_s)
        return f"{self.service.worker}/v1/private/{self.video_id}/{file}?token={token}"


@pytest.fixture(scope="module")
def signer(
    service: LiveService, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Signer]:
    clip = make_clip(
        tmp_path_factory.mktemp("renewal") / "film.mp4",
        seconds=FILM_S,
        size="320x180",
        rate=5,
    )
    video_id = str(service.made(clip, allowPublicAccess=False)["id"])
    made = json.loads(
        service.hv("signing-keys", "create", "--algorithm", "hs256", "--json").stdout
    )
    yield Signer(
        service=service, video_id=video_id, key=made["privateKey"], kid=made["kid"]
    )
    service.hv("signing-keys", "revoke", made["kid"])


def token_of(address: str) -> str:
    return parse_qs(urlsplit(address).query)["token"][0]


def is_refused(address: str) -> bool:
    return request("GET", address).status == 401


@pytest.mark.cases(1)
@pytest.mark.parametrize(("player", "file"), PLAYERS)
def test_a_film_plays_on_after_its_first_token_has_expired(
    page: Page, site: Site, signer: Signer, player: str, file: str
) -> None:
    problems = watch_for_problems(page)
    answers: list[Response] = []
    # Playwright takes no builtin.
    page.on("response", lambda answer: answers.append(answer))  # noqa: PLW0108
    site.body = "<link rel=icon href=data:,><video muted autoplay></video>"
    page.goto(site.url)
    package, script = SCRIPTS[player]
    page.add_script_tag(path=npm_packages(package) / script)
    first = signer.address(file, valid_s=FIRST_TOKEN_S)
    page.evaluate(
        """async ({scripts, first, second}) => {
            const play = new Function(`${scripts}; return play;`)();
            const video = document.querySelector("video");
            window.player = await play(video, first, async () => second);
        }""",
        {
            "scripts": LOADS_LITTLE[player]
            + code_under(PAGE, "The part that all pages share")
            + code_under(PAGE, player),
            "first": first,
            "second": signer.address(file, valid_s=600),
        },
    )
    page.wait_for_function("document.querySelector('video').currentTime > 0.5")
    until(lambda: is_refused(first), within_s=FIRST_TOKEN_S + 5, what="the expiry")

    page.evaluate(f"document.querySelector('video').currentTime = {FILM_S - 8}")
    page.wait_for_function(
        f"document.querySelector('video').currentTime > {FILM_S - 7}", timeout=15000
    )

    of_film = [answer for answer in answers if "/v1/private/" in answer.url]
    assert problems == []
    assert {answer.status for answer in of_film} <= {200, 206}
    assert token_of(of_film[0].url) == token_of(first)
    assert token_of(of_film[-1].url) != token_of(first)
