"""Answer requests that set the poster of a video."""

from typing import Final

import falcon

from hvcore.assembly import Services
from hvcore.domain.limits import MAX_PICTURE_BYTES
from hvcore.domain.videos.thumbnails import BEST_THUMBNAIL_PX
from hvcore.domain.videos.video import Video
from hvcore.errors import FieldError, InvalidParametersError
from hvcore.pictures.redraw import PICTURE_FORMATS
from hvcore.wire.converter import read_document
from hvcore.wire.videos import changes as wire
from hvcore_api.answers import send
from hvcore_api.request_scope import check_video_id, scope_of
from hvcore_web.bodies import allow_time, read_body
from hvcore_web.errors import UnsupportedMediaTypeError
from hvcore_web.json_media import read_json

PICTURE_WITHIN_S: Final = 60.0
"""The seconds within which a picture must arrive: for 10 MiB that is 1.4 Mbit/s."""


class ThumbnailResource:
    """Set the poster of a video, below ``/v1`` and ``/v1/api/{orgID}``."""

    def __init__(self, services: Services) -> None:
        self._thumbnails = services.custom_thumbnails
        self._playback = services.playback

    def on_post(
        self, req: falcon.Request, resp: falcon.Response, video_id: str, **_path: str
    ) -> None:
        """Set the poster: to the picture in the body, or to a frame of the video, drawn later."""
        content_type = (req.content_type or "").partition(";")[0].strip().lower()
        if content_type in PICTURE_FORMATS:
            self._take(req, resp, video_id, content_type)
        elif content_type.startswith("image/"):
            raise UnsupportedMediaTypeError(
                f"Send {' or '.join(PICTURE_FORMATS)}, or JSON with timestampSeconds."
            )
        else:
            self._order(req, resp, video_id)

    def _take(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        video_id: str,
        content_type: str,
    ) -> None:
        scope = scope_of(req)
        # Kept until it is drawn: each of them holds a thread of the server.
        with self._thumbnails.receiving(scope.org_id):
            allow_time(req, PICTURE_WITHIN_S)
            video = self._thumbnails.set_picture(
                scope.caller,
                scope.org_id,
                check_video_id(video_id),
                picture=_read_picture(req),
                content_type=content_type,
            )
        self._answer(resp, video, is_ready=True)

    def _order(self, req: falcon.Request, resp: falcon.Response, video_id: str) -> None:
        scope = scope_of(req)
        wanted = read_document(wire.CustomThumbnailRequest, read_json(req))
        video = self._thumbnails.order_still(
            scope.caller, scope.org_id, check_video_id(video_id), wanted.at_s
        )
        self._answer(resp, video, is_ready=False)

    def _answer(self, resp: falcon.Response, video: Video, *, is_ready: bool) -> None:
        url = self._playback.thumbnail_url(video, *BEST_THUMBNAIL_PX)
        payload = wire.thumbnail(video.id, thumbnail_url=url, is_ready=is_ready)
        send(resp, payload)


def _read_picture(req: falcon.Request) -> bytes:
    picture = read_body(req, max_bytes=MAX_PICTURE_BYTES)
    if not picture:
        message = "The body must be a picture."
        problem = FieldError(message=message, location="body")
        raise InvalidParametersError(message, errors=[problem])
    return picture
