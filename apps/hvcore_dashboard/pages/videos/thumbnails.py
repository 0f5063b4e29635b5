"""The pictures of listed videos: their sizes, and their addresses."""

from typing import Final, Self

import attrs
import falcon

from hvcore.domain.ids import is_video_id
from hvcore.domain.videos.moments import PictureFormat
from hvcore.domain.videos.thumbnails import (
    CARD_THUMBNAILS_PX,
    LIST_THUMBNAIL_PX,
    ROW_THUMBNAILS_PX,
    thumbnail_name,
    whole_thumbnail_px,
)
from hvcore.domain.videos.video import Video
from hvcore.errors import VideoNotFoundError
from hvcore.services.playback.signing.signed_urls import SignedUrls
from hvcore.services.playback.thumbnails.sizes import ThumbnailSize
from hvcore_dashboard.desk import Desk
from hvcore_dashboard.visits import organization_of

KEPT_S: Final = 600
"""The time for which a browser keeps the address of a private video's picture: as long as the picture itself."""


@attrs.frozen(kw_only=True)
class ListThumbnails:
    """
    The file names of a video's picture as a whole, by the room for it in a list.

    Attributes:
        public_folder: The address of the folder of a public video's pictures; "" if the
            video is private.
        card: The names for a card of the grid: for screens with one pixel for each CSS pixel,
            and with two.
        row: The names for a row of the table, likewise.
    """

    public_folder: str
    card: tuple[str, ...]
    row: tuple[str, ...]

    @classmethod
    def of(cls, size_px: tuple[int, int], *, public_folder: str) -> Self:
        """
        Return the names for a video.

        Args:
            size_px: Width and height of the video.
        """
        card, row = (
            tuple(
                thumbnail_name(whole_thumbnail_px(size_px, most_px), PictureFormat.WEBP)
                for most_px in room
            )
            for room in (CARD_THUMBNAILS_PX, ROW_THUMBNAILS_PX)
        )
        return cls(public_folder=public_folder, card=card, row=row)


class ThumbnailAddressResource:
    """
    ``GET …/videos/{video}/t/{name}``: redirects to a thumbnail of a video.

    A signed address is ten times as long as this one, and a list may have 240 of them.
    """

    def __init__(self, desk: Desk) -> None:
        self._catalog = desk.services.catalog
        self._playback = desk.services.playback

    def on_get(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        *,
        video_id: str,
        name: str,
        **_path: str,
    ) -> None:
        """
        Redirect to the address of a thumbnail, with a token if the video is private.

        Raises:
            NotFoundError: The name is not that of a thumbnail, or there is no such video.
            InvalidParametersError: A side is not from 16 to 3840 pixels.
        """
        size = ThumbnailSize.read(name)
        if not is_video_id(video_id):
            raise VideoNotFoundError
        here = organization_of(req)
        video = self._catalog.details(here.caller, here.org_id, video_id)
        resp.status = falcon.HTTP_303
        resp.location = self._playback.thumbnail_url(video, *size.size_px, size.format)
        resp.set_header("Cache-Control", f"private, max-age={KEPT_S}")


def whole_poster_url(playback: SignedUrls, video: Video) -> str:
    """Return the address of a ready video's poster in its own aspect ratio, not cropped."""
    return playback.thumbnail_url(video, *whole_thumbnail_px(shape_px(video)))


def shape_px(video: Video) -> tuple[int, int]:
    """Return the width and height of a ready video's largest rung."""
    rung = video.rungs[-1] if video.rungs else None
    return (rung.width_px, rung.height_px) if rung else LIST_THUMBNAIL_PX
