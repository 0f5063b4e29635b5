"""Requests that know whether their body was read."""

from collections.abc import Callable
from typing import Any

from gunicorn.http.body import ChunkedReader
from gunicorn.http.errors import ParseException
from gunicorn.http.message import Request
from gunicorn.workers.gthread import TConn

from hvcore_server.receiving.body_in_blocks import BodyInBlocks


class BrokenBodyError(OSError):
    """The body is not what its headers announce."""


class WatchedBody(BodyInBlocks):
    """A body whose every fault is an OSError, as that of a file would be."""

    @property
    def is_unread(self) -> bool:
        """Whether something of it is still to come, or is not known."""
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
    """A request whose connection ends if its body was not read."""

    body: Any

    def set_body_reader(self) -> None:
        """Put our body in the place of gunicorn's."""
        super().set_body_reader()
        self.body = WatchedBody(self.body.reader)

    def should_close(self) -> bool:
        """
        Return whether this is the connection's last request.

        Gunicorn would read the rest of the body first, in the thread.
        """
        return bool(super().should_close() or self.body.is_unread)

    def mark_as_continued(self) -> None:
        """Have gunicorn not ask for the body: it is there, or was asked for."""
        self._expected_100_continue = False


class WatchedConnection(TConn):  # type: ignore[misc]  # gunicorn has no types
    """
    A connection with such requests.

    Attributes:
        sender: The client whose request it has, as shares are counted.
        is_whole: The request has arrived as far as it is waited for.
        was_continued: The client has been sent 100 Continue.
        is_monitored: A monitor asks how the process is.
        head: Request line and headers of the request that a thread has.
        when_closed: Called once.
    """

    parser: Any
    sender: str = ""
    is_whole: bool = False
    was_continued: bool = False
    is_monitored: bool = False
    head: bytes = b""
    when_closed: Callable[[], None] | None = None

    def init(self) -> None:
        """Make the parser."""
        super().init()
        self.parser.mesg_class = WatchedRequest

    def give(self, data: bytes) -> None:
        """Pass on the bytes that were read of a request."""
        self.init()
        self.parser.unreader.unread(data)

    def close(self, graceful: bool = False) -> None:  # noqa: FBT001, FBT002 - gunicorn's own
        """Close the connection, and call ``when_closed``."""
        super().close(graceful)
        callback, self.when_closed = self.when_closed, None
        if callback is not None:
            callback()
