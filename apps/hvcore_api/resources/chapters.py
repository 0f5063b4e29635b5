"""Answer requests about the chapters of a video."""

from typing import Final

import falcon

from hvcore.assembly import Services
from hvcore.domain.videos.captions import WEBVTT_TYPE
from hvcore.domain.videos.chapter_file import MAX_CHAPTER_FILE_BYTES
from hvcore.wire.videos import chapters as wire
from hvcore_api.answers import send
from hvcore_api.request_scope import check_video_id, scope_of
from hvcore_web.bodies import allow_time, read_body, text_type

FORMATS: Final = (WEBVTT_TYPE, "text/plain", "application/octet-stream")
"""The accepted content types of chapters; programs that do not know WebVTT send one of the
last two."""
FILE_WITHIN_S: Final = 30.0


class ChaptersResource:
    """Show, set and remove the chapters of a video, below ``/v1`` and ``/v1/api/{orgID}``."""

    def __init__(self, services: Services) -> None:
        self._chapters = services.chapters

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, video_id: str, **_path: str
    ) -> None:
        scope = scope_of(req)
        found = self._chapters.of_video(
            scope.caller, scope.org_id, check_video_id(video_id)
        )
        send(resp, wire.chapters(found))

    def on_put(
        self, req: falcon.Request, resp: falcon.Response, video_id: str, **_path: str
    ) -> None:
        """Store the chapters of a video; they replace earlier chapters."""
        scope = scope_of(req)
        text_type(req, FORMATS)
        # Kept until they are stored: each of them holds a thread of the server.
        with self._chapters.receiving(scope.org_id):
            allow_time(req, FILE_WITHIN_S)
            put = self._chapters.put(
                scope.caller,
                scope.org_id,
                check_video_id(video_id),
                read_body(req, max_bytes=MAX_CHAPTER_FILE_BYTES),
            )
        send(resp, wire.chapters(put.chapters, put.left_out))

    def on_delete(
        self, req: falcon.Request, resp: falcon.Response, video_id: str, **_path: str
    ) -> None:
        scope = scope_of(req)
        self._chapters.remove(scope.caller, scope.org_id, check_video_id(video_id))
        send(resp, wire.chapters(()))
