"""
Tabs of the dashboard in Chromium and in Firefox, which the same scripts drive.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import attrs
from playwright.sync_api import Browser
from playwright.sync_api import Error as PlaywrightError

from tests.e2e.firefox import MarionetteError, running_firefox
from tests.e2e.people import COOKIE, show
from tests.support.live import until

WITHIN_S: Final = 20
HAS_LOADED: Final = "document.readyState === 'complete'"


@attrs.frozen
class Tab:
    """
    A tab of a browser.
    """

    _go: Callable[[str], object]
    _evaluate: Callable[[str], Any]

    def open(self, url: str) -> None:
        """
        Go to a page.
        """
        self._go(url)

    def ask(self, function: str, *args: object) -> Any:  # noqa: ANN401 - JSON data
        """
        Call a function of JavaScript; return what it returns or promises.
        """
        given = ", ".join(map(json.dumps, args))
        return self._evaluate(f"(async () => ({function})({given}))()")

    def wait_for(self, function: str, *args: object) -> Any:  # noqa: ANN401 - JSON data
        """
        Call a function again and again; return the first answer that counts.

        While a page loads, its elements are there before its scripts have run:
        the function is called once both are.
        """

        def answer() -> Any:  # noqa: ANN401 - JSON data
            # While the next page comes there is nobody to ask.
            with suppress(PlaywrightError, MarionetteError):
                return self.ask(
                    f"(...args) => {HAS_LOADED} && ({function})(...args)", *args
                )

        return until(answer, within_s=WITHIN_S, what=f"{function} {args}")


Tabs = tuple[Tab, Tab]
"""Two tabs of one person."""


@contextmanager
def chromium_tabs(browser: Browser, session: str) -> Iterator[Tabs]:
    """
    Open two tabs of Chromium for somebody who is signed in.
    """
    context = browser.new_context()
    show(context, session)
    pages = [context.new_page() for _ in range(2)]
    first, second = (Tab(page.goto, page.evaluate) for page in pages)
    yield first, second
    context.close()


@contextmanager
def firefox_tabs(profile: Path, session: str, site: str) -> Iterator[Tabs]:
    """
    Open two tabs of Firefox for somebody who is signed in.

    Args:
        site: A page of the site that the session is for.
    """
    with running_firefox(profile) as firefox:

        def tab(handle: str) -> Tab:
            def go(url: str) -> None:
                firefox.send("WebDriver:SwitchToWindow", handle=handle)
                firefox.open(url)

            def evaluate(promise: str) -> Any:  # noqa: ANN401 - JSON data
                firefox.send("WebDriver:SwitchToWindow", handle=handle)
                script = f"""const [done] = [...arguments].slice(-1);
                    {promise}.then(done, (cause) => done(`failed: ${{cause}}`));"""
                return firefox.send(
                    "WebDriver:ExecuteAsyncScript", script=script, args=[]
                )

            return Tab(go, evaluate)

        firefox.open(site)
        cookie = {"name": COOKIE, "value": session, "path": "/", "httpOnly": True}
        firefox.send("WebDriver:AddCookie", cookie=cookie)
        first = firefox.send("WebDriver:GetWindowHandle")
        made = firefox.send("WebDriver:NewWindow", type="tab", focus=False)
        yield tab(first), tab(made["handle"])
