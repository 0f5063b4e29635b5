"""Convert requests, answers and errors to and from httpx, for both clients."""

from collections.abc import AsyncIterator, Iterator
from typing import Final

import httpx

from hvcore_client.errors import UnreachableError
from hvcore_client.files import FilePart
from hvcore_client.steps import Answer, Request

NO_ANSWER: Final = (httpx.TransportError, httpx.DecodingError, httpx.InvalidURL)
"""The exceptions of httpx that mean that no readable answer came."""
_NOT_SENT: Final = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.UnsupportedProtocol,
    httpx.InvalidURL,
)


def outgoing(
    http: httpx.Client | httpx.AsyncClient, request: Request, timeout_s: float
) -> httpx.Request:
    """Return the httpx request for a request of the client."""
    content: bytes | Iterator[bytes] | AsyncIterator[bytes] | None
    if isinstance(request.content, FilePart):
        is_async = isinstance(http, httpx.AsyncClient)
        part = request.content
        content = part.async_pieces() if is_async else part.pieces()
    else:
        content = request.content
    return http.build_request(
        request.method,
        request.url,
        headers=dict(request.headers),
        content=content,
        # Connecting takes no longer than ever; only an answer may.
        timeout=httpx.Timeout(timeout_s, read=request.timeout_s or timeout_s),
    )


def arrived(answer: httpx.Response) -> Answer:
    """Return the client's answer made from an httpx response."""
    headers = {name.lower(): value for name, value in answer.headers.items()}
    return Answer(status=answer.status_code, headers=headers, content=answer.content)


def unreachable(request: Request, error: Exception) -> UnreachableError:
    """Return the UnreachableError for an exception of httpx."""
    # What httpx says of its own mistakes may quote a header.
    is_own = isinstance(error, httpx.LocalProtocolError)
    why = type(error).__name__ if is_own else str(error) or type(error).__name__
    address = str(request).partition(" ")[2]
    return UnreachableError(
        f"{address} cannot be reached: {why}",
        was_sent=not isinstance(error, _NOT_SENT),
    )
