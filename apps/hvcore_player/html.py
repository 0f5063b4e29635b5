"""Write the pages that only play a video, and their Content-Security-Policy."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from hvcore.domain.playback.page_domains import origin_of
from hvcore.services.links.link_pages import LinkedVideo
from hvcore.services.playback.player_videos import PlayerVideo
from hvcore.settings import PublicSettings
from hvcore_player.assets import PLAYER_FILES
from hvcore_player.discovery import EmbeddablePage, oembed_link, preview_tags
from hvcore_player.element import PlayerElement
from hvcore_web.pages import Markup, PageTemplate

_PAGES: Final = Path(__file__).parent / "pages"
_EMBED: Final = PageTemplate(_PAGES / "embed.html")

_LOGO: Final = re.compile(r"(https://[a-z0-9.-]+(?::[0-9]{1,5})?)(?:[/?#]|$)")

BESIDE: Final = "../player"
"""The relative address of the page's own files, for pages such as ``/v1/embed/{video}``."""
BELOW: Final = "player"
"""The relative address of the page's own files, for pages at ``/v1/{edgeKey}``."""


def embed_page(
    video: PlayerVideo, public: PublicSettings, element: PlayerElement
) -> bytes:
    """Return the HTML of the page that plays a video; the page contains no token."""
    worker_url = public.worker_url
    tags = Markup()
    if video.is_public:
        page = EmbeddablePage.of_video(video, public)
        tags = Markup(f"{oembed_link(page)}\n{preview_tags(page)}")
    return _EMBED.fill(
        {
            "assets": BESIDE,
            "head": element.head(BESIDE),
            "tags": tags,
            "title": video.name,
            "player": element.tag(
                video,
                master=worker_url + video.master,
                poster=worker_url + video.poster if video.poster else None,
                access="public" if video.is_public else "private",
            ),
        },
    )


def edge_page(
    video: LinkedVideo, edge_key: str, public: PublicSettings, element: PlayerElement
) -> bytes:
    """Return the HTML of the player page of an edge key, ``{player_url}/v1/{edge_key}``."""
    page = EmbeddablePage(
        url=f"{public.player_url}/v1/{edge_key}",
        player_url=public.player_url,
        title=video.name,
        size_px=video.size_px,
    )
    return _EMBED.fill(
        {
            "assets": BELOW,
            "head": element.head(BELOW),
            "tags": oembed_link(page),
            "title": video.name,
            "player": element.tag(
                video, master=video.master, poster=video.poster, access="linked"
            ),
        },
    )


def logo_origin(address: str | None) -> str:
    """
    Return the origin of a logo's address, for the page's Content-Security-Policy; "" without a logo.

    Args:
        address: The logo's address from the query of the page; only https is shown.
    """
    found = _LOGO.match((address or "").lower())
    return found[1] if found else ""


def content_policy(
    worker_url: str,
    domains: Sequence[str] = (),
    *,
    forms: str = "'none'",
    pictures: str = "",
) -> str:
    """
    Return the value of the Content-Security-Policy header of a player page.

    Scripts and styles come from our own files only, and data from delivery only.

    Args:
        worker_url: The public address of delivery.
        domains: The pages that may embed this one; empty means every page.
        forms: The addresses to which the page's form may be sent.
        pictures: A further origin from which pictures may come.
    """
    worker = origin_of(worker_url) or "'self'"
    rules = [
        "default-src 'none'",
        "script-src 'self'",
        # What media-chrome writes into its own elements, and nothing else.
        f"style-src 'self' {' '.join(PLAYER_FILES.style_hashes)}",
        # data: is the empty icon, so that browsers do not ask for one.
        f"img-src 'self' data: {worker} {pictures}".rstrip(),
        # hls.js hands the bytes over as a blob, and makes caption tracks of an
        # empty data: file that it fills.
        f"media-src 'self' blob: data: {worker}",
        f"connect-src 'self' {worker}",
        # hls.js has a file for it, which needs no blob:.
        "worker-src 'self'",
        "base-uri 'none'",
        f"form-action {forms}",
    ]
    if domains:
        # Unlike a Referer, no page and no extension can suppress this one.
        pages = " ".join(f"{domain}:*" for domain in domains)
        rules.append(f"frame-ancestors 'self' {pages}")
    return "; ".join(rules)
