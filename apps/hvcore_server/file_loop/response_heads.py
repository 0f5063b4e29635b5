"""Write the status line and headers of the file loop's answers, with the bytes of gunicorn and Falcon."""

from email.utils import formatdate
from functools import lru_cache
from typing import Final

from hvcore_web.cors import FOR_ANY_PAGE
from hvcore_web.middleware import new_request_id
from hvcore_web.plain_requests import PlainRequest
from hvcore_web.representations import (
    MAX_CACHED_DESCRIPTIONS,
    NOT_MODIFIED,
    Headers,
    Representation,
)

_ALWAYS: Final = (("X-Content-Type-Options", "nosniff"),)


def write_head(
    request: PlainRequest, chosen: Representation, *, stamp: str, closes: bool
) -> bytes:
    """
    Return the status line and the headers of an answer as bytes.

    Args:
        chosen: The form of the answer: status, range and its own headers.
        stamp: The headers from ``stamp_now``, at most about a second old.
        closes: Whether the connection ends after this answer.
    """
    text = (
        f"HTTP/1.1 {chosen.status}\r\n{stamp}"
        f"Connection: {'close' if closes else 'keep-alive'}\r\n"
        f"X-Request-Id: {request.request_id or new_request_id()}\r\n"
        f"{_written(chosen.headers, is_for_pages=chosen.is_for_pages)}"
    )
    if chosen.status is not NOT_MODIFIED:
        text += f"Content-Length: {chosen.end - chosen.start}\r\n"
    if chosen.content_range:
        text += f"Content-Range: {chosen.content_range}\r\n"
    return f"{text}\r\n".encode("latin-1")


def stamp_now() -> str:
    """Return the headers ``Server`` and ``Date`` for the present time."""
    return f"Server: gunicorn\r\nDate: {formatdate(usegmt=True)}\r\n"


@lru_cache(maxsize=MAX_CACHED_DESCRIPTIONS)
def _written(headers: Headers, *, is_for_pages: bool) -> str:
    every = (*headers, *_ALWAYS, *(FOR_ANY_PAGE if is_for_pages else ()))
    return "".join(f"{name}: {value}\r\n" for name, value in every)
