"""
A tab of a browser, the same way for Chromium and for Firefox.
"""

import json
from typing import Any, Final, Protocol

import attrs
from playwright.sync_api import Page

from tests.e2e import films
from tests.e2e.moving_site import WIDTHS_PX, token

PLAYS: Final = (
    "player.error === null && player.videoWidth === {} && player.currentTime > 0.3"
)


class Tab(Protocol):
    """
    A tab; what it is asked, and waits for, are expressions of ``player``.
    """

    def open(self, url: str) -> None: ...

    def ask(self, expression: str) -> Any: ...  # noqa: ANN401 - JSON data

    def wait_until(self, condition: str) -> None: ...

    def run(self, script: str, **values: object) -> Any: ...  # noqa: ANN401 - JSON data


@attrs.frozen
class ChromiumTab:
    """
    A tab of Chromium.
    """

    page: Page

    def open(self, url: str) -> None:
        self.page.goto(url)

    def ask(self, expression: str) -> Any:  # noqa: ANN401 - JSON data
        return films.ask(self.page, expression)

    def wait_until(self, condition: str) -> None:
        films.wait_until(self.page, condition)

    def run(self, script: str, **values: object) -> Any:  # noqa: ANN401 - JSON data
        names = ", ".join(values)
        return self.page.evaluate(f"async ({{{names}}}) => {{ {script} }}", values)


def address(video: str, access: str = "public", valid_s: float | None = None) -> str:
    """
    Return the address of a playlist, with a token that is valid for so long.
    """
    query = "" if valid_s is None else f"?token={token(video, valid_s=valid_s)}"
    return f"/{access}/{video}/master.m3u8{query}"


def turn_to(tab: Tab, src: str, *, first: str = "null") -> None:
    """
    Have another address played, after something else.
    """
    tab.ask(
        f"({first}, player.src = {json.dumps(src)}, void player.play().catch(() => 0), null)"
    )


def plays(video: str) -> str:
    """
    Return the condition by which a video is known to play.
    """
    return PLAYS.format(WIDTHS_PX[video])
