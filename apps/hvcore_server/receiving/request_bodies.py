"""Gunicorn requests and connections that know whether a request's body was read."""

from collections.abc import Callable
from typing import Any

from gunicorn.http.body import ChunkedReader
from gunicorn.http.errors import ParseException
from gunicorn.http.message import Request
from gunicorn.workers.gthread import TConn

from hvcore_server.receiving.body_in_blocks import BodyInBlocks


class BrokenBodyError(OSError):
    """The bytes of a request body are not of the form that its headers announce."""


class WatchedBody(BodyInBlocks):
    """A request body that reports malformed chunks as an OSError, as a broken file would."""

    @property
    def is_unread(self) -> bool:
        """Whether a part of the body is still unread, or reading it has failed."""
        if self.failed or self.buf.tell():
            return True
        if isinstance(self.reader, ChunkedReader):
            return self.reader.parser is not None
        return bool(self.reader.length)

    def _read_reader(self, size: int) -> bytes:
        try:
            data: bytes = super()._read_reader(size)
        except ParseException as exc:
            # Its text quotes what was sent, which must not be logged.
            raise BrokenBodyError(type(exc).__name__) from None
        return data


class WatchedRequest(Request):  # type: ignore[misc]  # gunicorn has no types
    """A request whose connection ends after it if its body was not read to the end."""

    body: Any

    def set_body_reader(self) -> None:
        """Replace gunicorn's body object by a WatchedBody."""
        super().set_body_reader()
        self.body = WatchedBody(self.body.reader)

    def should_close(self) -> bool:
        """
        Return whether this is the connection's last request.

        Gunicorn would read the rest of the body first, in the thread.
        """
        return bool(super().should_close() or self.body.is_unread)

    def mark_as_continued(self) -> None:
        """Keep gunicorn from sending 100 Continue: the body has arrived, or was asked for."""
        self._expected_100_continue = False


class WatchedConnection(TConn):  # type: ignore[misc]  # gunicorn has no types
    """
    A connection of gunicorn whose requests are WatchedRequests.

    Attributes:
        sender: The client that sent the present request; shares are counted by it.
        is_whole: Whether no more bytes of the request are waited for.
        was_continued: Whether the client has been sent 100 Continue.
        is_monitored: Whether the request is a monitor's, such as for ``/health/live``.
        head: Request line and headers of the request that a thread has.
        when_closed: Called once, when the connection is closed.
    """

    parser: Any
    sender: str = ""
    is_whole: bool = False
    was_continued: bool = False
    is_monitored: bool = False
    head: bytes = b""
    when_closed: Callable[[], None] | None = None

    def init(self) -> None:
        """Create gunicorn's parser, so that it makes WatchedRequests."""
        super().init()
        self.parser.mesg_class = WatchedRequest

    def give(self, data: bytes) -> None:
        """Put bytes that were read from the socket before the bytes that the parser reads."""
        self.init()
        self.parser.unreader.unread(data)

    def close(self, graceful: bool = False) -> None:  # noqa: FBT001, FBT002 - gunicorn's own
        """Close the connection, and call ``when_closed``."""
        super().close(graceful)
        callback, self.when_closed = self.when_closed, None
        if callback is not None:
            callback()
