"""Make the server's own error answers to requests that no app sees."""

from http import HTTPStatus
from typing import Final

from gunicorn.http import errors as found

from hvcore.errors import HvError, InternalError, InvalidParametersError
from hvcore.wire.envelope import PROBLEM_TYPE, encode, problem
from hvcore_web.cors import FOR_ANY_PAGE
from hvcore_web.errors import UriTooLongError


class MissingHostError(found.ParseException):  # type: ignore[misc]  # gunicorn has no types
    """A request by HTTP/1.1 has no ``Host`` header (RFC 9112, section 3.2)."""


_OF_THE_APP: Final = (found.InvalidResponseHeader, found.InvalidResponseHeaderName)
"""gunicorn's errors about the app's headers, which it derives from errors about requests."""

_DETAILS: Final = (
    (found.LimitRequestHeaders, 431, "The request's headers are too large."),
    (found.ExpectationFailed, 417, "Only Expect: 100-continue can be met."),
    (
        found.UnsupportedTransferCoding,
        501,
        "The only transfer coding that is supported is chunked.",
    ),
    (found.InvalidRequestLine, 400, "The request line is not one of HTTP/1.1."),
    (found.InvalidRequestMethod, 400, "The method is not one of HTTP's."),
    (found.InvalidHTTPVersion, 400, "Send the request as HTTP/1.1."),
    (MissingHostError, 400, "Send the header Host: HTTP/1.1 needs it."),
)


def error_for(exc: BaseException) -> HvError:
    """
    Return the error to answer for an exception that gunicorn or the app has raised.

    Its text repeats no part of the request, which may be a token or a key.
    """
    if isinstance(exc, _OF_THE_APP) or not isinstance(exc, found.ParseException):
        return InternalError()
    if isinstance(exc, found.LimitRequestLine):
        return UriTooLongError()
    for kind, status, detail in _DETAILS:
        if isinstance(exc, kind):
            return InvalidParametersError(detail, status=status)
    return InvalidParametersError("The request's headers are not valid HTTP/1.1.")


def answer(error: HvError, *, request_id: str, for_any_page: bool) -> bytes:
    """
    Return the bytes of a whole error answer, which says that the connection ends.

    Args:
        for_any_page: Whether pages of every origin may read the answer.
    """
    body = encode(problem(error, request_id))
    headers = {
        "Connection": "close",
        "Content-Type": PROBLEM_TYPE,
        "Content-Length": str(len(body)),
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
        "X-Request-Id": request_id,
        **error.headers,
    }
    if for_any_page:
        headers.update(FOR_ANY_PAGE)
    status = HTTPStatus(error.http_status)
    lines = [f"HTTP/1.1 {status.value} {status.phrase}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body
