"""
``{player_url}/oembed``: tell other sites how to embed a player page.

Source: oEmbed 1.0, section 2. It answers for public videos and edge keys; the title of a
private video is shown only to viewers with a token.
"""

import hashlib
from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode, urlsplit

import attrs
import falcon

from hvcore.domain.ids import is_edge_key_id
from hvcore.domain.playback.rules import PlaybackRule
from hvcore.domain.playback.viewer import SOMEBODY, Viewer
from hvcore.domain.shown_text import one_line
from hvcore.domain.videos.thumbnails import (
    BEST_THUMBNAIL_PX,
    LIST_THUMBNAIL_PX,
    thumbnail_name,
)
from hvcore.domain.web_addresses import read_address
from hvcore.errors import (
    FieldError,
    ForbiddenError,
    InvalidParametersError,
    NotFoundError,
    UnauthorizedError,
    UnsupportedFormatError,
)
from hvcore.services.links.edge_key_playback import EdgeKeyPlayback
from hvcore.services.playback.authorization import PlaybackAuthorization
from hvcore.services.playback.player_videos import PlayerVideos
from hvcore.services.playback.responses import Lifetime, PlaybackResponse
from hvcore.settings import PublicSettings
from hvcore.wire.envelope import encode
from hvcore_player.discovery import EmbeddablePage
from hvcore_web.files import send
from hvcore_web.pages import escaped
from hvcore_web.viewers import viewer_of

MOST_PX: Final = 10_000
DEFAULT_WIDTH_PX: Final = 1280
LEAST_PX: Final = 16
MOST_FIELDS: Final = 100
CACHE_AGE_S: Final = 3600
PICTURES_PX: Final = (BEST_THUMBNAIL_PX, LIST_THUMBNAIL_PX, (320, 180))
EMBED_PARAMETERS: Final = frozenset(
    {
        *("autoplay", "captions", "color", "controls", "logo", "logo-href", "loop"),
        *("muted", "preload", "radius", "session-reports", "t", "text-color", "title"),
        "transcript",
    }
)
"""Parameters of the player's page that the frame keeps; a token is none of them."""
ALLOW: Final = "autoplay; fullscreen; picture-in-picture"
_NOT_IMPLEMENTED: Final = 501
"""The HTTP status for another format than JSON (oEmbed 1.0, section 2.3.4)."""
_NOT_READABLE: Final = 422


def frame(page: EmbeddablePage, size_px: tuple[int, int], query: str = "") -> str:
    """
    Return the HTML of an ``<iframe>`` that embeds a player page.

    Args:
        query: The query of the page's address; empty for none.
    """
    src = escaped(f"{page.url}?{query}" if query else page.url)
    title = escaped(page.title or "Video")
    width_px, height_px = size_px
    # The page's own policy may send no referrer, by which domains are judged.
    return (
        f'<iframe src="{src}" width="{width_px}" height="{height_px}" title="{title}"'
        f' frameborder="0" allow="{ALLOW}" allowfullscreen loading="lazy"'
        ' referrerpolicy="strict-origin-when-cross-origin"></iframe>'
    )


@attrs.frozen(kw_only=True)
class OEmbedResource:
    """``GET {player_url}/oembed``: tells other sites how to embed a player page."""

    access: PlaybackAuthorization
    player_videos: PlayerVideos
    edge_key_playback: EdgeKeyPlayback
    public: PublicSettings

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        """
        Answer with the oEmbed description of the page in the query's ``url``.

        Raises:
            InvalidParametersError: The query has no ``url``, or a width or height that is not a
                number.
            UnsupportedFormatError: The query wants another format than JSON (501).
            UnauthorizedError: The page is of a private video or of a share link.
            NotFoundError: The address is not one of a page that can be embedded.
        """
        if (req.get_param("format") or "json") != "json":
            raise UnsupportedFormatError(
                "Ask for format=json; there is no other one.",
                status=_NOT_IMPLEMENTED,
                rule=PlaybackRule.REQUEST_INVALID,
            )
        most_px = (_most(req, "maxwidth"), _most(req, "maxheight"))
        page, query = self._find(_url(req), viewer_of(req))
        document = _document(page, query, most_px, self.public.player_url)
        body = encode(document)
        is_public = page.key is None
        response = PlaybackResponse(
            body=body,
            content_type="application/json",
            etag=hashlib.sha256(body).hexdigest()[:32],
            # Of an edge key it depends on the page that asks.
            lifetime=Lifetime.PLAYLIST if is_public else Lifetime.ONCE,
            is_public=is_public,
            is_text=True,
        )
        send(req, resp, response)

    on_head = on_get

    def _find(self, url: str, viewer: Viewer) -> tuple[EmbeddablePage, str]:
        parts = read_address(url)
        if parts is None:
            raise _nothing()
        own = urlsplit(self.public.player_url)
        path = parts.path.removeprefix(own.path)
        is_ours = parts.netloc.lower() == own.netloc.lower()
        if not is_ours or parts.scheme not in {"http", "https"}:
            raise _nothing()
        match path.split("/"):
            case ["", "v1", "embed", video]:
                return self._of_video(video), _embed_query(parts.query)
            case ["", "v1", "watch", _]:
                raise UnauthorizedError(
                    "A share link is not embedded; link to it.",
                    rule=PlaybackRule.TOKEN_MISSING,
                )
            case ["", "v1", edge_key] if is_edge_key_id(edge_key):
                return self._of_edge_key(edge_key, viewer), _embed_query(parts.query)
        raise _nothing()

    def _of_video(self, video_id: str) -> EmbeddablePage:
        # Nobody's token counts: the answer is for everybody.
        video = self.player_videos.describe(video_id, SOMEBODY)
        return EmbeddablePage.of_video(video, self.public)

    def _of_edge_key(self, edge_key: str, viewer: Viewer) -> EmbeddablePage:
        try:
            key, video = self.edge_key_playback.find(edge_key)
        except ForbiddenError as exc:
            raise NotFoundError(exc.detail, rule=exc.rule) from exc
        # Servers that ask for pages name none. They get the frame, which judges
        # the page itself, and not what the video is called.
        is_listed = not key.domains or self.access.is_page_allowed(key.domains, viewer)
        return EmbeddablePage(
            url=f"{self.public.player_url}/v1/{key.id}",
            player_url=self.public.player_url,
            title=video.name if is_listed else "",
            size_px=video.size_px,
            key=key.id,
        )


def fitted(
    size_px: tuple[int, int], most_px: tuple[int | None, int | None]
) -> tuple[int, int]:
    """
    Return a width and height scaled down to fit the greatest width and height, all in pixels.

    Args:
        most_px: The greatest width and height; None for no limit.
    """
    width_px, height_px = size_px
    most_width_px = min(width_px, DEFAULT_WIDTH_PX, most_px[0] or width_px)
    most_height_px = most_px[1] or height_px
    scale = min(most_width_px / width_px, most_height_px / height_px)
    return max(1, int(width_px * scale)), max(1, int(height_px * scale))


def _document(
    page: EmbeddablePage,
    query: str,
    most_px: tuple[int | None, int | None],
    player_url: str,
) -> dict[str, Any]:
    size_px = fitted(page.size_px, most_px)
    document: dict[str, Any] = {
        "version": "1.0",
        "type": "video",
        "provider_name": urlsplit(player_url).hostname or "",
        "provider_url": player_url,
        "cache_age": CACHE_AGE_S,
        "width": size_px[0],
        "height": size_px[1],
        "html": frame(page, size_px, query),
    }
    if page.title:
        document["title"] = one_line(page.title)
    picture_px = _picture(most_px)
    if page.pictures_url and picture_px:
        document["thumbnail_url"] = f"{page.pictures_url}/{thumbnail_name(picture_px)}"
        document["thumbnail_width"], document["thumbnail_height"] = picture_px
    return document


def _picture(most_px: Sequence[int | None]) -> tuple[int, int] | None:
    for width_px, height_px in PICTURES_PX:
        if width_px <= (most_px[0] or width_px) and height_px <= (
            most_px[1] or height_px
        ):
            return width_px, height_px
    return None


def _embed_query(query: str) -> str:
    try:
        pairs = parse_qsl(query, keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError:
        return ""
    return urlencode([pair for pair in pairs if pair[0] in EMBED_PARAMETERS])


def _url(req: falcon.Request) -> str:
    url = req.get_param("url")
    if not url:
        raise _refused("url", "is the address of a page to embed", None)
    return url


def _most(req: falcon.Request, name: str) -> int | None:
    text = req.get_param(name)
    if text is None:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) <= len(str(MOST_PX))):
        raise _refused(name, "must be a whole number", text, status=_NOT_READABLE)
    if not LEAST_PX <= int(text) <= MOST_PX:
        raise _refused(name, f"must be from {LEAST_PX} to {MOST_PX} pixels", text)
    return int(text)


def _refused(
    name: str, rule: str, value: str | None, *, status: int | None = None
) -> InvalidParametersError:
    message = f"{name} {rule}."
    error = FieldError(message=message, location=f"query.{name}", value=value)
    return InvalidParametersError(
        message, errors=[error], status=status, rule=PlaybackRule.REQUEST_INVALID
    )


def _nothing() -> NotFoundError:
    return NotFoundError(
        "This is not a video page of this service.", rule=PlaybackRule.NO_SUCH_ADDRESS
    )
