"""Gunicorn requests and connections that know whether a request's body was read."""

from collections.abc import Callable
from typing import Any

from gunicorn.http.body import ChunkedReader
from gunicorn.http.errors import ParseException
from gunicorn.http.message import Request
from gunicorn.workers.gthread import TConn

from hvcore_server.receiving.body_in_blocks import BodyInBlocks


class BrokenBodyError(OSError):
    """The chunks of a request body are malformed."""


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
    """A gunicorn request that ends its connection if the request's body was not read to the end."""

    body: Any

    def set_body_reader(self) -> None:
        """Replace gunicorn's body object by a WatchedBody."""
        super().set_body_reader()
        self.body = WatchedBody(self.body.reader)

    def should_close(self) -> bool:
        """
        Return whether this is the connection's last request, because its body is partly unread.

        Gunicorn would read the rest of the body first, in the thread.
        """
        return bool(super().should_close() or self.body.is_unread)

    def mark_as_continued(self) -> None:
        """Keep gunicorn from sending 100 Continue, because it was sent or the body has arrived."""
        self._expected_100_continue = False


class WatchedConnection(TConn):  # type: ignore[misc]  # gunicorn has no types
    """
    A gunicorn connection that makes ``WatchedRequest`` objects and knows the present request's client.

    Attributes:
        sender: The client that sent the present request; threads and memory are shared by it.
        is_whole: Whether no more bytes of the request are waited for.
        was_continued: Whether the client has been sent 100 Continue.
        is_monitored: Whether the request is a monitor's, such as for ``/health/live``.
        head: The request line and headers of the request that a thread has.
        when_closed: The function that is called once, when the connection is closed.
    """

    parser: Any
    sender: str = ""
    is_whole: bool = False
    was_continued: bool = False
    is_monitored: bool = False
    head: bytes = b""
    when_closed: Callable[[], None] | None = None

    def init(self) -> None:
        """Create gunicorn's parser, so that it makes ``WatchedRequest`` objects."""
        super().init()
        self.parser.mesg_class = WatchedRequest

    def give(self, data: bytes) -> None:
        """Give the parser bytes that were already read from the socket, before it reads further ones."""
        self.init()
        self.parser.unreader.unread(data)

    def close(self, graceful: bool = False) -> None:  # noqa: FBT001, FBT002 - gunicorn's own
        """Close the connection, and call ``when_closed``."""
        super().close(graceful)
        callback, self.when_closed = self.when_closed, None
        if callback is not None:
            callback()
