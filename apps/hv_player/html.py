"""
The pages, filled in.
"""

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from string import Template
from typing import Final

from hvcore.domain.playback.page_domains import origin_of
from hvcore.services.links.link_pages import LinkedVideo
from hvcore.services.playback.delivery import PlayerVideo

_PAGES: Final = Path(__file__).parent / "pages"
_EMBED: Final = Template((_PAGES / "embed.html").read_text("utf-8"))
_MESSAGE: Final = Template((_PAGES / "message.html").read_text("utf-8"))
_CONFIRM: Final = Template((_PAGES / "confirm.html").read_text("utf-8"))

BESIDE: Final = "../player"
"""The page's own files, as pages such as ``/v1/embed/{video}`` see them."""
BELOW: Final = "player"
"""The same for ``/v1/{edgeKey}``."""


def embed_page(video: PlayerVideo, worker_url: str) -> bytes:
    """
    Return the page that plays a video; there is no token in it.
    """
    return _filled(
        _EMBED,
        {
            "assets": BESIDE,
            "title": video.name,
            "master": worker_url + video.master,
            "poster": worker_url + video.poster if video.poster else "",
            "access": "public" if video.is_public else "private",
        },
    )


def edge_page(video: LinkedVideo) -> bytes:
    """
    Return the page of an edge key, which lies one level higher than others.
    """
    return _linked_page(video, assets=BELOW, access="public")


def watch_page(video: LinkedVideo) -> bytes:
    """
    Return the page of a share link, which begins when it is told to.
    """
    return _linked_page(video, assets=BESIDE, access="share")


def confirm_page(complaint: str = "") -> bytes:
    """
    Return the page that asks for the viewer's e-mail address.

    Args:
        complaint: Why the one before was not taken.
    """
    hidden = "" if complaint else "hidden"
    return _filled(_CONFIRM, {"complaint": complaint, "hidden": hidden})


def message_page(
    title: str, text: str, *, reference: str, assets: str = BESIDE
) -> bytes:
    """
    Return a page that says something.

    Args:
        reference: The request's id, by which the operator finds out more.
        assets: Where the page's own files lie.
    """
    values = {"assets": assets, "title": title, "text": text, "reference": reference}
    return _filled(_MESSAGE, values)


def content_policy(
    worker_url: str, domains: Sequence[str] = (), *, forms: str = "'none'"
) -> str:
    """
    Return the page's Content-Security-Policy.

    Scripts and styles come from our own files only, and data from the
    delivery worker only.

    Args:
        domains: The pages that may embed this one; empty means every page.
        forms: Where the page's form may be sent to.
    """
    worker = origin_of(worker_url) or "'self'"
    rules = [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        # data: is the empty icon, so that browsers do not ask for one.
        f"img-src 'self' data: {worker}",
        # hls.js hands the bytes over as a blob, and makes caption tracks of an
        # empty data: file that it fills.
        f"media-src 'self' blob: data: {worker}",
        f"connect-src 'self' {worker}",
        "base-uri 'none'",
        f"form-action {forms}",
    ]
    if domains:
        # Unlike a Referer, no page and no extension can suppress this one.
        pages = " ".join(f"{domain}:*" for domain in domains)
        rules.append(f"frame-ancestors 'self' {pages}")
    return "; ".join(rules)


def _linked_page(video: LinkedVideo, *, assets: str, access: str) -> bytes:
    return _filled(
        _EMBED,
        {
            "assets": assets,
            "title": video.name,
            "master": video.master,
            "poster": video.poster or "",
            "access": access,
        },
    )


def _filled(template: Template, values: Mapping[str, str]) -> bytes:
    text = template.substitute({name: escape(v) for name, v in values.items()})
    return text.encode("utf-8", "replace")
