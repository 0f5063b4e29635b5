"""
Answer and log the requests that the delivery and player apps refuse.

The answer names only the request's id. The rule by which the request was refused is only in
the log, because a stranger could learn from it whether a video exists. ``hv explain`` finds
the rule of a request id.
"""

from collections.abc import Mapping
from typing import Final

import falcon

from hvcore.domain.playback.decision import conclude
from hvcore.domain.playback.rules import PlaybackRule
from hvcore.errors import (
    HvError,
    InternalError,
    MethodNotAllowedError,
    NotFoundError,
    RangeNotSatisfiableError,
)
from hvcore.services.playback.refusal_log import PlaybackRefusal, RefusalLog
from hvcore.wire.envelope import refusal
from hvcore_web.errors import (
    note_crash,
    note_failure,
    note_rate_limit,
    send_document,
    translate,
)
from hvcore_web.middleware import request_id
from hvcore_web.viewers import client_address

_FIRST_SERVER_ERROR: Final = 500
_BY_CODE: Final = {
    NotFoundError.code: PlaybackRule.NO_SUCH_ADDRESS,
    MethodNotAllowedError.code: PlaybackRule.METHOD_NOT_ALLOWED,
    RangeNotSatisfiableError.code: PlaybackRule.RANGE_OUTSIDE,
}
"""The playback rules, by error code, of requests that are refused for their address, method or
headers, before any service."""


class Refusals:
    """The refused requests of one app: answers them and logs the rule behind each refusal."""

    def __init__(self) -> None:
        self._log = RefusalLog()

    def install(self, app: falcon.App[falcon.Request, falcon.Response]) -> None:
        """Make an app answer every error with the request's id alone, and log the reason."""
        app.add_error_handler(Exception, self._handle_crash)
        app.add_error_handler(falcon.HTTPError, self._handle_http_error)
        app.add_error_handler(HvError, self._handle_error)

    def note(
        self, req: falcon.Request, error: HvError, status: int | None = None
    ) -> None:
        """
        Log the rule by which a request was refused, or the failure if the service is at fault.

        Args:
            status: The HTTP status of the answer, if it is not the error's own.
        """
        status = status or error.http_status
        rule = _rule_of(error)
        if conclude(error.detail, rule):
            return
        if rule is None:
            note_failure(req, error)
            return
        found = PlaybackRefusal(
            request_id=request_id(req), rule=rule, status=status, path=req.path
        )
        self._log.write(
            found, client_address(req.remote_addr, req.get_header("X-Forwarded-For"))
        )

    def _handle_error(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        error: HvError,
        _params: Mapping[str, object],
    ) -> None:
        self.note(req, error)
        note_rate_limit(req, error)
        send_document(resp, error, refusal(error, request_id(req)))

    def _handle_http_error(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        error: falcon.HTTPError,
        params: Mapping[str, object],
    ) -> None:
        self._handle_error(req, resp, translate(error), params)

    def _handle_crash(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        error: Exception,
        _params: Mapping[str, object],
    ) -> None:
        if conclude(str(error), None):
            # ``hv explain`` has no log, and reports bugs itself.
            raise error
        note_crash(req, error)
        unknown = InternalError()
        send_document(resp, unknown, refusal(unknown, request_id(req)))


def _rule_of(error: HvError) -> PlaybackRule | None:
    """Return the rule that refused; None where it is the service that failed."""
    if isinstance(error.rule, PlaybackRule):
        return error.rule
    if error.http_status >= _FIRST_SERVER_ERROR:
        return None
    return _BY_CODE.get(error.code, PlaybackRule.REQUEST_INVALID)
