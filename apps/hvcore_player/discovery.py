"""
HTML tags that describe a player page to programs: oEmbed, Open Graph, Twitter's player card.

Source: oEmbed, section 4; the Open Graph protocol; Twitter's documentation of cards.
"""

from collections.abc import Iterator
from typing import Final
from urllib.parse import urlencode

import attrs

from hvcore.domain.videos.thumbnails import BEST_THUMBNAIL_PX, thumbnail_name
from hvcore.services.playback.player_videos import PlayerVideo
from hvcore.settings import PublicSettings
from hvcore_web.pages import Markup, escaped

OEMBED_PATH: Final = "/oembed"
OEMBED_TYPE: Final = "application/json+oembed"


@attrs.frozen(kw_only=True)
class EmbeddablePage:
    """
    A player page that other pages may embed.

    Attributes:
        url: The page's address, without a token.
        pictures_url: The address of the thumbnails of a public video; None for other videos,
            whose thumbnails need a token that expires.
        key: The edge key in the page's address; None for the page of a public video.
    """

    url: str
    player_url: str
    title: str
    size_px: tuple[int, int]
    pictures_url: str | None = None
    key: str | None = None

    @classmethod
    def of_video(cls, video: PlayerVideo, public: PublicSettings) -> "EmbeddablePage":
        """Return the player page of a public video, as other pages may embed it."""
        return cls(
            url=f"{public.player_url}/v1/embed/{video.id}",
            player_url=public.player_url,
            title=video.name,
            size_px=video.size_px,
            pictures_url=f"{public.worker_url}/t/{video.id}" if video.poster else None,
        )


def oembed_link(page: EmbeddablePage) -> Markup:
    """Return the ``<link>`` tag by which programs find the oEmbed answer about a page."""
    query = urlencode({"format": "json", "url": page.url})
    href = escaped(f"{page.player_url}{OEMBED_PATH}?{query}")
    title = escaped(page.title)
    return Markup(
        f'<link rel="alternate" type="{OEMBED_TYPE}" href="{href}" title="{title}">'
    )


def preview_tags(page: EmbeddablePage) -> Markup:
    """Return the ``<meta>`` tags from which messengers and social networks show a preview of a video."""
    return Markup("\n".join(_preview_tags(page)))


def _preview_tags(page: EmbeddablePage) -> Iterator[str]:
    width_px, height_px = map(str, page.size_px)
    yield _property("og:type", "video.other")
    yield _property("og:title", page.title)
    yield _property("og:url", page.url)
    yield _property("og:video", page.url)
    if page.url.startswith("https:"):
        yield _property("og:video:secure_url", page.url)
    yield _property("og:video:type", "text/html")
    yield _property("og:video:width", width_px)
    yield _property("og:video:height", height_px)
    yield _name("twitter:card", "player")
    yield _name("twitter:title", page.title)
    yield _name("twitter:player", page.url)
    yield _name("twitter:player:width", width_px)
    yield _name("twitter:player:height", height_px)
    if page.pictures_url:
        picture = f"{page.pictures_url}/{thumbnail_name(BEST_THUMBNAIL_PX)}"
        yield _property("og:image", picture)
        yield _property("og:image:width", str(BEST_THUMBNAIL_PX[0]))
        yield _property("og:image:height", str(BEST_THUMBNAIL_PX[1]))
        yield _name("twitter:image", picture)


def _property(name: str, value: str) -> str:
    return f'<meta property="{name}" content="{escaped(value)}">'


def _name(name: str, value: str) -> str:
    return f'<meta name="{name}" content="{escaped(value)}">'
