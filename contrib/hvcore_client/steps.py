"""
The steps of a call, to be carried out elsewhere: requests and waits.

A generator of steps knows what comes next; ``HvClient`` and ``AsyncHvClient`` carry the
steps out, each in its own way. So what is decided is written once.
"""

import logging
from collections.abc import Callable, Generator, Mapping
from typing import Final, TypeAlias, TypeVar, cast
from urllib.parse import urlsplit

import attrs

from hvcore_client.errors import UnreachableError
from hvcore_client.files import FilePart

T = TypeVar("T")
LONG_WAIT_S: Final = 5.0
"""A wait of so many seconds is logged, also where the program has set up no logs."""

_log = logging.getLogger("hvcore_client")


@attrs.frozen(kw_only=True)
class Request:
    """
    A request to send.

    Attributes:
        url: All of it; what follows the path may be secret, and so are the headers.
        timeout_s: Of silence; None for the client's own.
        may_repeat: Whether sending it twice does the same as sending it once.
    """

    method: str
    url: str = attrs.field(repr=False)
    headers: Mapping[str, str] = attrs.field(factory=dict, repr=False)
    content: bytes | FilePart | None = attrs.field(default=None, repr=False)
    timeout_s: float | None = None
    may_repeat: bool = True

    def __str__(self) -> str:
        """Name a request by its method and its address without possible secrets."""
        return f"{self.method} {address_without_query(self.url)}"


@attrs.frozen(kw_only=True)
class Wait:
    """A step of a call in which nothing is done for some seconds."""

    seconds: float


@attrs.frozen(kw_only=True)
class Answer:
    """An answer that arrived whole; the names of its headers are in lower case."""

    status: int
    headers: Mapping[str, str] = attrs.field(repr=False)
    content: bytes = attrs.field(repr=False)

    @property
    def is_success(self) -> bool:
        """Whether the request was carried out."""
        return 200 <= self.status < 300  # noqa: PLR2004 - the successes of HTTP


Outcome: TypeAlias = Answer | UnreachableError | None
"""What a request has brought; nothing of a wait."""
Steps: TypeAlias = Generator[Request | Wait, Outcome, T]
OnProgress: TypeAlias = Callable[[int, int], None]
"""Is told how many bytes have arrived or been sent, and of how many."""


def sent(request: Request) -> Steps[Answer | UnreachableError]:
    """Send a request once."""
    return cast("Answer | UnreachableError", (yield request))


def waited(seconds: float) -> Steps[None]:
    """Wait."""
    yield Wait(seconds=seconds)


def waited_after(error: Exception, seconds: float, request: str) -> Steps[None]:
    """
    Wait before another try, and log what for.

    Args:
        error: Of the try before.
        request: Names what will be tried, without secrets.
    """
    level = logging.WARNING if seconds >= LONG_WAIT_S else logging.INFO
    _log.log(level, "%s waits %.0f s, then tries again: %s", request, seconds, error)
    yield Wait(seconds=seconds)


def address_without_query(url: str) -> str:
    """Return an address up to its path: the rest may be a signature or a token."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
