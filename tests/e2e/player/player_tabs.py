"""
A tab of a browser, the same way for Chromium and for Firefox.
"""

from typing import Any, Protocol

import attrs
from playwright.sync_api import Page

from tests.e2e import films


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
