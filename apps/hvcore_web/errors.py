"""
Answer every error of every app with an RFC 9457 problem document.

That includes errors that Falcon raises itself. The ``Accept`` header is ignored: a client
that cannot read JSON could not use the service.
"""

import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

import falcon

from hvcore.errors import (
    RETRY_AFTER_S,
    HvError,
    InternalError,
    InvalidParametersError,
    MethodNotAllowedError,
    NotFoundError,
    PayloadTooLargeError,
    RangeNotSatisfiableError,
    ShareMetError,
    UnavailableError,
)
from hvcore.registry import fault_of
from hvcore.throttling.log_lines import LOG_LINES
from hvcore.throttling.shares import client_of_address
from hvcore.wire.envelope import PROBLEM_TYPE, encode, problem
from hvcore_web.middleware import request_id
from hvcore_web.viewers import client_address

_log = logging.getLogger(__name__)

_FIRST_SERVER_ERROR = 500
SHARES_APART_S: Final = 0.5
"""The least seconds between two requests of a client that has used up its share: such a request
may have a body of megabytes, which is received and thrown away."""


class UnsupportedMediaTypeError(HvError):
    """The media type of a request's body is not one that the route reads."""

    status, code = 415, "unsupported_media_type"
    default_detail = "Send the body as application/json."


class UriTooLongError(HvError):
    """The address of a request is longer than the service reads."""

    status, code = 414, "uri_too_long"
    default_detail = "The request's address is too long."


_BY_STATUS: Final[Mapping[int, type[HvError]]] = {
    error.status: error
    for error in (
        InvalidParametersError,
        NotFoundError,
        MethodNotAllowedError,
        PayloadTooLargeError,
        UriTooLongError,
        UnsupportedMediaTypeError,
        RangeNotSatisfiableError,
        InternalError,
    )
}


def install_error_handlers(app: falcon.App[falcon.Request, falcon.Response]) -> None:
    """Make a Falcon app answer every error with a problem document."""
    app.add_error_handler(Exception, handle_crash)
    app.add_error_handler(falcon.HTTPError, handle_http_error)
    app.add_error_handler(HvError, handle_error)


def handle_error(
    req: falcon.Request,
    resp: falcon.Response,
    error: HvError,
    _params: Mapping[str, object],
) -> None:
    """Answer an error that the service raised on purpose (HvError) with its problem document."""
    note_failure(req, error)
    send_problem(req, resp, error)


def handle_http_error(
    req: falcon.Request,
    resp: falcon.Response,
    error: falcon.HTTPError,
    _params: Mapping[str, object],
) -> None:
    """Answer an error that Falcon raised, such as an unknown route, with a problem document."""
    send_problem(req, resp, translate(error))


def handle_crash(
    req: falcon.Request,
    resp: falcon.Response,
    error: Exception,
    _params: Mapping[str, object],
) -> None:
    """Log an unexpected exception, and answer 500 with nothing about it but the request id."""
    note_crash(req, error)
    send_problem(req, resp, InternalError())


def note_failure(req: falcon.Request, error: HvError) -> None:
    """Log the request as a warning if the error's status is 500 or higher."""
    if error.http_status >= _FIRST_SERVER_ERROR:
        context = {**_context(req, error.code), "hv_why": error.detail}
        LOG_LINES.write(
            _log,
            logging.WARNING,
            "request not answered",
            client=_client(req),
            part=error.code,
            extra=context,
        )


def note_crash(req: falcon.Request, error: Exception) -> None:
    """Log an unexpected exception of a request with its traceback."""
    LOG_LINES.write(
        _log,
        logging.ERROR,
        "request crashed",
        client=_client(req),
        extra={**_context(req, "crash"), **_plugin(error)},
        exc_info=error,
    )


def send_problem(req: falcon.Request, resp: falcon.Response, error: HvError) -> None:
    """Answer with the problem document of an error, and tell the server if a rate limit was reached."""
    note_rate_limit(req, error)
    send_document(resp, error, problem(error, request_id(req)))


def note_rate_limit(req: falcon.Request, error: HvError) -> None:
    """
    Tell the server if the error is a refusal by a rate limit, so that it delays repetitions.

    The server then lets the same client's similar requests wait without a thread. Only the
    embedded server does so; with another one this has no effect.
    """
    note = getattr(req.env.get("gunicorn.socket"), "note_rate_limit", None)
    if note is not None and error.http_status == HTTPStatus.TOO_MANY_REQUESTS:
        note()
    elif isinstance(error, ShareMetError):
        pace_others(req, SHARES_APART_S)


def note_share_met(req: falcon.Request) -> None:
    """
    Tell the server that a client has used up its share, so that similar requests wait.

    Similar are all requests of the client with the same beginning of the path, since
    the rest of the path may be new each time. Only the embedded server does so.
    """
    note = getattr(req.env.get("gunicorn.socket"), "note_rate_limit", None)
    if note is not None:
        note(of_all_below=True)


def pace_others(
    req: falcon.Request, every_s: float, *, of_all_below: bool = False
) -> None:
    """
    Ask the server to run similar requests of this client one after the other for a second.

    Only the embedded server does so.

    Args:
        every_s: The seconds between two of these requests.
        of_all_below: Whether all requests with the same beginning of the path are
            similar, and not only those with the same path.
    """
    pace = getattr(req.env.get("gunicorn.socket"), "pace_others", None)
    if pace is not None:
        pace(every_s, of_all_below=of_all_below)


def send_document(
    resp: falcon.Response, error: HvError, document: Mapping[str, object]
) -> None:
    """Answer with an error's status and headers, and with the document made for it."""
    # With its phrase: the status of another protocol has none in Falcon.
    resp.status = f"{error.http_status} {error.title}"
    resp.stream = None
    resp.data = encode(document)
    resp.content_type = PROBLEM_TYPE
    resp.context.problem_code = error.code
    resp.set_header("Cache-Control", "no-store")
    for name, value in error.headers.items():
        resp.set_header(name, value)


def translate(error: falcon.HTTPError) -> HvError:
    """Return the service's error (``HvError``) with the meaning of an error that Falcon raised."""
    status = error.status_code
    headers = dict(error.headers or {})
    if status == UnavailableError.status:
        retry_after_s = int(headers.get("Retry-After", RETRY_AFTER_S))
        return UnavailableError(retry_after_s=retry_after_s)
    fallback = (
        InternalError if status >= _FIRST_SERVER_ERROR else InvalidParametersError
    )
    return _BY_STATUS.get(status, fallback)(
        error.description, status=status, headers=headers
    )


def _plugin(error: Exception) -> Mapping[str, object]:
    """Return the plugin at fault for a crash, its file and line, as keys of a log line."""
    fault = fault_of(error)
    if fault is None:
        return {}
    known = {"hv_plugin": str(fault.source)}
    if fault.location is None:
        return known
    return {**known, "hv_file": fault.location.file, "hv_line": fault.location.line}


def _client(req: falcon.Request) -> str:
    neighbour, forwarded = req.remote_addr, req.get_header("X-Forwarded-For")
    return client_of_address(client_address(neighbour, forwarded))


def _context(req: falcon.Request, code: str) -> dict[str, object]:
    # The route and not the address, which may carry a token.
    return {
        "hv_request_id": request_id(req),
        "hv_method": req.method,
        "hv_route": req.uri_template,
        "hv_code": code,
    }
