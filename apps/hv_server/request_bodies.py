"""
Requests that know whether their body was read.
"""

from typing import Any

from gunicorn.http.body import ChunkedReader
from gunicorn.http.errors import ParseException
from gunicorn.http.message import Request
from gunicorn.workers.gthread import TConn

from hv_server.large_bodies import BodyInBlocks


class BrokenBodyError(OSError):
    """
    The body is not what its headers announce.
    """


class WatchedBody(BodyInBlocks):
    """
    A body whose every fault is an OSError, as that of a file would be.
    """

    @property
    def is_unread(self) -> bool:
        """
        Whether something of it is still to come, or is not known.
        """
        if self.failed or self.buf.tell():
            return True
        if isinstance(self.reader, ChunkedReader):
            return self.reader.parser is not None
        return bool(self.reader.length)

    def _read_reader(self, size: int) -> bytes:
        try:
            data: bytes = super()._read_reader(size)
        except ParseException as exc:
            # Its text has what was sent, which no log shall have.
            raise BrokenBodyError(type(exc).__name__) from None
        return data


class WatchedRequest(Request):  # type: ignore[misc]  # gunicorn has no types
    """
    A request whose connection ends if its body was not wanted.
    """

    body: Any

    def set_body_reader(self) -> None:
        """
        Put our body in the place of gunicorn's.
        """
        super().set_body_reader()
        self.body = WatchedBody(self.body.reader)

    def should_close(self) -> bool:
        """
        Tell whether this is the connection's last request.

        Gunicorn would read the rest of the body first, in the thread.
        """
        return bool(super().should_close() or self.body.is_unread)


class WatchedConnection(TConn):  # type: ignore[misc]  # gunicorn has no types
    """
    A connection with such requests.
    """

    parser: Any

    def init(self) -> None:
        """
        Make the parser.
        """
        super().init()
        self.parser.mesg_class = WatchedRequest
