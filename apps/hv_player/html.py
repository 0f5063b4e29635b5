"""
The pages, filled in.
"""

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from string import Template
from typing import Final

from hvcore.services.delivery import PlayerVideo
from hvcore.services.page_domains import origin_of

_PAGES: Final = Path(__file__).parent / "pages"
_EMBED: Final = Template((_PAGES / "embed.html").read_text("utf-8"))
_MESSAGE: Final = Template((_PAGES / "message.html").read_text("utf-8"))


def embed_page(video: PlayerVideo, worker_url: str) -> bytes:
    """
    Return the page that plays a video; there is no token in it.
    """
    return _filled(
        _EMBED,
        {
            "title": video.name,
            "master": worker_url + video.master,
            "poster": worker_url + video.poster if video.poster else "",
            "access": "public" if video.is_public else "private",
        },
    )


def message_page(title: str, text: str) -> bytes:
    """
    Return a page that says something.
    """
    return _filled(_MESSAGE, {"title": title, "text": text})


def content_policy(worker_url: str, domains: Sequence[str] = ()) -> str:
    """
    Return the page's Content-Security-Policy.

    Scripts and styles come from our own files only, and data from the
    delivery worker only.

    Args:
        domains: The pages that may embed this one; empty means every page.
    """
    worker = origin_of(worker_url) or "'self'"
    rules = [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        # data: is the empty icon, so that browsers do not ask for one.
        f"img-src 'self' data: {worker}",
        # hls.js hands the bytes over as a blob.
        f"media-src 'self' blob: {worker}",
        f"connect-src 'self' {worker}",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    if domains:
        # Unlike a Referer, no page and no extension can suppress this one.
        pages = " ".join(f"{domain}:*" for domain in domains)
        rules.append(f"frame-ancestors 'self' {pages}")
    return "; ".join(rules)


def _filled(template: Template, values: Mapping[str, str]) -> bytes:
    text = template.substitute({name: escape(v) for name, v in values.items()})
    return text.encode("utf-8", "replace")
