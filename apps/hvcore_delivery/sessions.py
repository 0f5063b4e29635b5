"""Answer players that begin playback sessions and report about them."""

from typing import Final

import falcon

from hvcore.services.playback.sessions import PlaybackSessions
from hvcore.wire.analytics.session_reports import MAX_REPORT_BYTES, SessionReport
from hvcore.wire.converter import read_document
from hvcore.wire.envelope import encode
from hvcore_web.bodies import read_body, text_type
from hvcore_web.json_media import parse_json
from hvcore_web.viewers import viewer_of

BEGIN: Final = "/v1/playback-sessions/{video}"
REPORTS: Final = "/v1/playback-reports"
# A beacon of a browser is text/plain, which needs no preflight.
_TYPES: Final = ("application/json", "text/plain")


class PlaybackSessionsResource:
    """``POST`` begins a playback session of a video."""

    def __init__(self, sessions: PlaybackSessions) -> None:
        self._sessions = sessions

    def on_post(
        self, req: falcon.Request, resp: falcon.Response, *, video: str
    ) -> None:
        """Answer with the session's token."""
        token = self._sessions.begin(video, viewer_of(req))
        resp.status = falcon.HTTP_201
        resp.data = encode({"session": token})
        resp.content_type = falcon.MEDIA_JSON
        resp.set_header("Cache-Control", "no-store")


class PlaybackReportsResource:
    """``POST`` stores a player's report about its playback session."""

    def __init__(self, sessions: PlaybackSessions) -> None:
        self._sessions = sessions

    def on_post(self, req: falcon.Request, resp: falcon.Response) -> None:
        """Store the figures in place of those of the session's earlier reports."""
        data = read_body(req, max_bytes=MAX_REPORT_BYTES)
        text_type(req, _TYPES)
        report = read_document(SessionReport, parse_json(data))
        self._sessions.report(report.session, report.number, report.figures())
        resp.status = falcon.HTTP_204
        resp.set_header("Cache-Control", "no-store")
