"""Answer players that begin playback sessions and report about them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import falcon

from hvcore.domain.playback.rules import PlaybackRule
from hvcore.errors import HvError
from hvcore.services.playback.sessions import PlaybackSessions
from hvcore.wire.analytics.session_reports import (
    MAX_REPORT_BYTES,
    SessionBeginning,
    SessionReport,
)
from hvcore.wire.converter import read_document
from hvcore.wire.envelope import encode
from hvcore_web.bodies import read_body, text_type
from hvcore_web.json_media import parse_json
from hvcore_web.viewers import viewer_of

BEGIN: Final = "/v1/playback-sessions/{video}"
REPORTS: Final = "/v1/playback-reports"
# A beacon of a browser is text/plain, which needs no preflight.
_TYPES: Final = ("application/json", "text/plain")
_FIRST_SERVER_ERROR: Final = 500


class PlaybackSessionsResource:
    """``POST`` begins a playback session of a video."""

    def __init__(self, sessions: PlaybackSessions) -> None:
        self._sessions = sessions

    def on_post(
        self, req: falcon.Request, resp: falcon.Response, *, video: str
    ) -> None:
        """Answer with the session's token."""
        with _refused_as_report():
            name = _name_in(req)
            token = self._sessions.begin(video, viewer_of(req), name)
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
        with _refused_as_report():
            data = read_body(req, max_bytes=MAX_REPORT_BYTES)
            text_type(req, _TYPES)
            report = read_document(SessionReport, parse_json(data))
            self._sessions.report(report.session, report.number, report.figures())
        resp.status = falcon.HTTP_204
        resp.set_header("Cache-Control", "no-store")


def _name_in(req: falcon.Request) -> str | None:
    data = read_body(req, max_bytes=MAX_REPORT_BYTES)
    if not data:
        return None
    text_type(req, _TYPES)
    return read_document(SessionBeginning, parse_json(data)).name


@contextmanager
def _refused_as_report() -> Iterator[None]:
    """Let refusals within the block be logged as those of reports, unless a rule has refused."""
    try:
        yield
    except HvError as error:
        if error.rule is None and error.http_status < _FIRST_SERVER_ERROR:
            error.rule = PlaybackRule.PLAYBACK_REPORT
        raise
