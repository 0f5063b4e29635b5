"""The pages of all apps: their look, and templates that escape what they show."""

import hashlib
from collections.abc import Mapping
from html import escape
from pathlib import Path
from string import Template
from typing import Final

from hvcore.domain.shown_text import one_line
from hvcore.services.playback.responses import Lifetime, PlaybackResponse
from hvcore.settings import Settings

PAGE_TYPE: Final = "text/html; charset=utf-8"
STYLE_TYPE: Final = "text/css; charset=utf-8"
SCRIPT_TYPE: Final = "text/javascript; charset=utf-8"
STYLE: Final = Path(__file__).parent / "page.css"
"""Colours, type and the parts that pages share; each app serves it under its address."""


class Markup(str):
    """HTML that was made here; templates take it as it is."""

    __slots__ = ()


class PageTemplate:
    """
    A file of HTML with ``$names``.

    Args:
        path: Its file; names in attributes stand in double quotes.
    """

    def __init__(self, path: Path) -> None:
        self._template = Template(path.read_text("utf-8"))

    def fill(self, values: Mapping[str, str]) -> bytes:
        """
        Return the page; every value but markup is escaped, on one line.

        Raises:
            KeyError: A name has no value.
        """
        texts = {name: escaped(value) for name, value in values.items()}
        return self._template.substitute(texts).encode("utf-8", "replace")


def escaped(text: str) -> Markup:
    """Return a text as HTML, for between tags and for attributes in double quotes."""
    return text if isinstance(text, Markup) else Markup(escape(one_line(text)))


def dashboard_item(settings: Settings) -> Markup:
    """Return the dashboard's item in the links of a front page, if there is one."""
    if not settings.dashboard.enabled:
        return Markup()
    address = escaped(settings.public.dashboard_address)
    return Markup(
        f'<li><a href="{address}"><b>Dashboard</b>\n'
        "<span>Videos, links, keys and reports, for people who sign in</span></a></li>"
    )


def served_file(body: bytes, content_type: str) -> PlaybackResponse:
    """Return a page or a file of one that changes with releases only."""
    return PlaybackResponse(
        body=body,
        content_type=content_type,
        etag=hashlib.sha256(body).hexdigest()[:32],
        # Ten minutes.
        lifetime=Lifetime.PICTURE,
        is_public=True,
        is_text=True,
    )
