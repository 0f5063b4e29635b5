"""HTML templates that escape their values, and the style sheet that the apps' pages share."""

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
MARKDOWN_TYPE: Final = "text/markdown; charset=utf-8"
STYLE: Final = Path(__file__).parent / "page.css"
"""The style sheet with colours, fonts and the shared parts of pages; each app serves it at its
own address."""


class Markup(str):
    """Text that is HTML already, made by this service; templates insert it without escaping."""

    __slots__ = ()


class PageTemplate:
    """
    An HTML file with placeholders such as ``$name``.

    Args:
        path: The HTML file. Placeholders in attributes must stand in double quotes.
    """

    def __init__(self, path: Path) -> None:
        self._template = Template(path.read_text("utf-8"))

    def fill(self, values: Mapping[str, str]) -> bytes:
        """
        Return the HTML, in UTF-8, with the values in place of the placeholders.

        Each value is escaped and put on one line, except for ``Markup``.

        Raises:
            KeyError: A placeholder has no value.
        """
        texts = {name: escaped(value) for name, value in values.items()}
        return self._template.substitute(texts).encode("utf-8", "replace")


def escaped(text: str) -> Markup:
    """Return a text escaped for HTML, for use between tags and in attributes in double quotes."""
    return text if isinstance(text, Markup) else Markup(escape(one_line(text)))


def dashboard_item(settings: Settings) -> Markup:
    """Return the list item that links to the dashboard; empty if the dashboard is switched off."""
    if not settings.dashboard.enabled:
        return Markup()
    address = escaped(settings.public.dashboard_address)
    return Markup(
        f'<li><a href="{address}"><b>Dashboard</b>\n'
        "<span>Videos, links, keys and reports, for people who sign in</span></a></li>"
    )


def served_file(body: bytes, content_type: str) -> PlaybackResponse:
    """Return the playback response for a page or file that changes only with releases of the service."""
    return PlaybackResponse(
        body=body,
        content_type=content_type,
        etag=hashlib.sha256(body).hexdigest()[:32],
        # Ten minutes.
        lifetime=Lifetime.PICTURE,
        is_public=True,
        is_text=True,
    )
