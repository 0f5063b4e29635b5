"""
The steps of a call: the requests to send, and the waits between them.

A generator yields the steps of a call; ``HvClient`` and ``AsyncHvClient`` carry them
out, blocking or in an event loop. So the logic of calls is written once.
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
"""The seconds from which a wait is logged as a warning, which shows without a logging setup, too."""

_log = logging.getLogger("hvcore_client")


@attrs.frozen(kw_only=True)
class Request:
    """
    A step of a call: an HTTP request to send.

    Attributes:
        url: The whole address; its query may be secret, and so may the headers.
        timeout_s: The seconds to wait for an answer; None for
            ``ClientOptions.timeout_s``.
        may_repeat: Whether sending it twice does the same as sending it once.
    """

    method: str
    url: str = attrs.field(repr=False)
    headers: Mapping[str, str] = attrs.field(factory=dict, repr=False)
    content: bytes | FilePart | None = attrs.field(default=None, repr=False)
    timeout_s: float | None = None
    may_repeat: bool = True

    def __str__(self) -> str:
        """Return the method and the address of the request, without possible secrets."""
        return f"{self.method} {address_without_query(self.url)}"


@attrs.frozen(kw_only=True)
class Wait:
    """A step of a call in which nothing is done for some seconds."""

    seconds: float


@attrs.frozen(kw_only=True)
class Answer:
    """A whole HTTP answer of the service; the names of its headers are in lower case."""

    status: int
    headers: Mapping[str, str] = attrs.field(repr=False)
    content: bytes = attrs.field(repr=False)

    @property
    def is_success(self) -> bool:
        """Whether the status of the answer is a success (2xx)."""
        return 200 <= self.status < 300  # noqa: PLR2004 - the successes of HTTP


Outcome: TypeAlias = Answer | UnreachableError | None
"""The result of a step: an answer or error of a request; None of a wait."""
Steps: TypeAlias = Generator[Request | Wait, Outcome, T]
OnProgress: TypeAlias = Callable[[int, int], None]
"""A function that is called with the number of bytes so far, and of the whole file."""


def sent(request: Request) -> Steps[Answer | UnreachableError]:
    """Send a request once, and return its answer, or the error if none came."""
    return cast("Answer | UnreachableError", (yield request))


def waited(seconds: float) -> Steps[None]:
    """Yield the step in which a client waits for a number of seconds."""
    yield Wait(seconds=seconds)


def waited_after(error: Exception, seconds: float, request: str) -> Steps[None]:
    """
    Wait before another try, and log the reason.

    Args:
        error: The error of the try before.
        seconds: The seconds to wait.
        request: A name of the request without secrets.
    """
    level = logging.WARNING if seconds >= LONG_WAIT_S else logging.INFO
    _log.log(level, "%s waits %.0f s, then tries again: %s", request, seconds, error)
    yield Wait(seconds=seconds)


def address_without_query(url: str) -> str:
    """Return an address without its user and query, which may be secret."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
