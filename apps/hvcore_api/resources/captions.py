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
    CaptionTrack,
)
from hvcore.domain.videos.transcripts import write_subrip, write_text
from hvcore.services.videos.captions import NewCaptions
from hvcore.wire.converter import read_document, read_query
from hvcore.wire.videos import captions as wire
from hvcore.wire.videos.captions import TranscriptFormat
from hvcore_api.answers import send
from hvcore_api.request_scope import check_video_id, scope_of
from hvcore_web.bodies import allow_time, read_body, text_type
from hvcore_web.json_media import read_json

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
        self._orders = services.caption_orders

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, video_id: str, **_path: str
    ) -> None:
        scope = scope_of(req)
        whose = scope.caller, scope.org_id, check_video_id(video_id)
        jobs = self._orders.of_video(*whose)
        send(resp, wire.captions(self._captions.of_video(*whose), jobs=jobs))


class CaptionGenerationResource:
    """Order captions of a video by machine."""

    def __init__(self, services: Services) -> None:
        self._captions = services.captions
        self._orders = services.caption_orders

    def on_post(
        self, req: falcon.Request, resp: falcon.Response, video_id: str, **_path: str
    ) -> None:
        scope = scope_of(req)
        # null equals absent.
        body = read_json(req)
        wanted = read_document(
            wire.CaptionGenerationRequest, {} if body is None else body
        )
        whose = scope.caller, scope.org_id, check_video_id(video_id)
        jobs = self._orders.generate(*whose, wanted.languages)
        send(resp, wire.captions(self._captions.of_video(*whose), jobs=jobs))

    def on_delete(
        self, req: falcon.Request, resp: falcon.Response, video_id: str, **_path: str
    ) -> None:
        """Cancel the captions that are being made; nothing is wrong if there are none."""
        scope = scope_of(req)
        whose = scope.caller, scope.org_id, check_video_id(video_id)
        jobs = self._orders.cancel(*whose)
        send(resp, wire.captions(self._captions.of_video(*whose), jobs=jobs))


class TranscriptResource:
    """Answer with what is said in a video, as JSON, text, WebVTT or SubRip."""

    def __init__(self, services: Services) -> None:
        self._captions = services.captions
        self._transcripts = services.transcripts

    def on_get(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        *,
        video_id: str,
        language: str,
        **_path: str,
    ) -> None:
        """Answer in the format that the query names, or else the header ``Accept``."""
        scope = scope_of(req)
        asked = read_query(wire.TranscriptParameters, req.params)
        form = asked.form or _accepted(req)
        track = self._transcripts.track(
            scope.caller, scope.org_id, check_video_id(video_id), language
        )
        with self._captions.opening(scope.org_id):
            if form is TranscriptFormat.JSON:
                send(resp, wire.transcript(track, self._transcripts.said(track)))
                return
            resp.data = self._written(track, form)
        resp.content_type = f"{wire.TRANSCRIPT_TYPES[form]}; charset=utf-8"

    def _written(self, track: CaptionTrack, form: TranscriptFormat) -> bytes:
        if form is TranscriptFormat.VTT:
            return self._transcripts.webvtt(track)
        cues = self._transcripts.cues(track)
        return write_text(cues) if form is TranscriptFormat.TEXT else write_subrip(cues)


def _accepted(req: falcon.Request) -> TranscriptFormat:
    by_type = {name: form for form, name in wire.TRANSCRIPT_TYPES.items()}
    try:
        # JSON stands first, and wins where all are equal.
        preferred = falcon.mediatypes.best_match(by_type, req.accept.lower())
    except ValueError:
        # No list of media types.
        preferred = ""
    return by_type.get(preferred, TranscriptFormat.JSON)


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
