"""Answer requests for signed playback addresses."""

import falcon

from hvcore.assembly import Services
from hvcore.wire.converter import read_query
from hvcore.wire.query import SignedUrlParameters, SourceParameters
from hvcore_api.answers import send
from hvcore_api.request_scope import check_video_id, scope_of


class SignedUrlResource:
    """The route that makes a signed playback address of a video, below ``/v1`` and ``/v1/api/{orgID}``."""

    def __init__(self, services: Services) -> None:
        self._playback = services.playback

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, video_id: str, **_path: str
    ) -> None:
        scope = scope_of(req)
        wanted = read_query(SignedUrlParameters, req.params)
        signed = self._playback.sign(
            scope.caller,
            scope.org_id,
            check_video_id(video_id),
            expires_in_s=wanted.expires_in_s,
            domains=wanted.domains,
        )
        send(resp, {"signed_url": signed.url, "expires_in": signed.expires_in_s})


class SourceResource:
    """Answer with a signed address of a video's source file, below ``/v1`` and ``/v1/api/{orgID}``."""

    def __init__(self, services: Services) -> None:
        self._playback = services.playback

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, video_id: str, **_path: str
    ) -> None:
        scope = scope_of(req)
        wanted = read_query(SourceParameters, req.params)
        signed = self._playback.sign_source(
            scope.caller,
            scope.org_id,
            check_video_id(video_id),
            expires_in_s=wanted.expires_in_s,
        )
        send(resp, {"signed_url": signed.url, "expires_in": signed.expires_in_s})
