"""Answer requests about the captions of videos."""

from collections.abc import Mapping
from typing import Final

import falcon

from hvcore.assembly import Services
from hvcore.domain.videos.captions import (
    MAX_CAPTION_BYTES,
    SUBRIP_TYPE,
    WEBVTT_TYPE,
    CaptionFormat,
)
from hvcore.services.videos.captions import NewCaptions
from hvcore.wire.converter import read_query
from hvcore.wire.videos import captions as wire
from hvcore_api.answers import send
from hvcore_api.request_scope import check_video_id, scope_of
from hvcore_web.bodies import allow_time, read_body, text_type

FORMATS: Final[Mapping[str, CaptionFormat | None]] = {
    WEBVTT_TYPE: CaptionFormat.WEBVTT,
    SUBRIP_TYPE: CaptionFormat.SUBRIP,
    # What programs send that do not know these types: the file tells.
    "text/plain": None,
    "application/octet-stream": None,
}
FILE_WITHIN_S: Final = 30.0
"""The seconds within which a caption file must arrive: for 2 MiB that is 560 kbit/s."""


class CaptionListResource:
    """List the captions of a video, below ``/v1`` and ``/v1/api/{orgID}``."""

    def __init__(self, services: Services) -> None:
        self._captions = services.captions

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, video_id: str, **_path: str
    ) -> None:
        scope = scope_of(req)
        tracks = self._captions.of_video(
            scope.caller, scope.org_id, check_video_id(video_id)
        )
        send(resp, wire.captions(tracks))


class CaptionFileResource:
    """The route of a video's captions in one language, below ``/v1`` and ``/v1/api/{orgID}``."""

    def __init__(self, services: Services) -> None:
        self._captions = services.captions

    def on_put(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        *,
        video_id: str,
        language: str,
        **_path: str,
    ) -> None:
        """Store a video's captions in a language; they replace earlier captions of that language."""
        scope = scope_of(req)
        wanted = read_query(wire.CaptionParameters, req.params)
        media_type = text_type(req, FORMATS)
        # Kept until it is stored: each of them holds a thread of the server.
        with self._captions.receiving(scope.org_id):
            allow_time(req, FILE_WITHIN_S)
            new = NewCaptions(
                language=language,
                label=wanted.label,
                data=read_body(req, max_bytes=MAX_CAPTION_BYTES),
                expected=FORMATS[media_type] if media_type else None,
            )
            put = self._captions.put(
                scope.caller, scope.org_id, check_video_id(video_id), new
            )
        send(resp, wire.captions(put.tracks, put.left_out))

    def on_delete(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        *,
        video_id: str,
        language: str,
        **_path: str,
    ) -> None:
        scope = scope_of(req)
        tracks = self._captions.remove(
            scope.caller, scope.org_id, check_video_id(video_id), language
        )
        send(resp, wire.captions(tracks))
