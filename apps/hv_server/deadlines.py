"""
Gunicorn workers that slow clients cannot block.

Measured: 16 requests that were sent by half held gunicorn's threads for over
40 s, and 60 readers of 4 KB every 9 s all of them for ever. Here a connection
costs no thread before its headers are complete or after its answer is
written, and what comes or goes too slowly in between is cut off. A proxy that
buffers, such as nginx, does more and belongs in front of a public service.
"""

import logging
import math
import secrets
import selectors
import socket
import time
from collections import deque
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import partial
from typing import Any, ClassVar, Final

from gunicorn.workers.gthread import ThreadWorker

from hv_server.pacing import (
    MIN_BYTES_PER_S,
    Pace,
    PacedSocket,
    TooShortError,
    TooSlowError,
    sends_no_more,
)
from hv_server.refusal_lines import log_refusal
from hv_server.refusals import answer, error_for
from hv_server.request_bodies import WatchedConnection
from hv_server.request_lock import RequestLock

_log = logging.getLogger(__name__)

HEADERS_WITHIN_S: Final = 10.0
MAX_HEADER_BYTES: Final = 64 * 1024
"""Beyond that gunicorn's own limits decide, and refuse."""
LINGER_S: Final = 2.0
"""
For a client that still sends while it is refused: if the connection were
closed at once, it would lose the answer (RFC 9112, section 9.6).
"""
_FIRST_SERVER_ERROR: Final = 500


class SmallBodies(ThreadWorker):  # type: ignore[misc]  # gunicorn has no types
    """
    For apps whose requests are small: they must arrive within seconds.

    An app that expects more says so, once it knows whose body it is; see
    hv_web.bodies.allow_time.

    Attributes:
        body_within_s: For a body, however many bytes it has.
        grace_s: What a client may be behind MIN_BYTES_PER_S.
        serves_any_page: Whether pages of every origin may read refusals.
    """

    # JSON has at most 64 KB: a line of 52 kbit/s is fast enough.
    body_within_s: ClassVar[float] = 10.0
    grace_s: ClassVar[float] = 20.0
    min_bytes_per_s: ClassVar[float] = MIN_BYTES_PER_S
    serves_any_page: ClassVar[bool] = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - gunicorn's own
        super().__init__(*args, **kwargs)
        self._lingering: deque[Any] = deque()
        self._turns = self._make_turns()

    def accept(self, listener: Any) -> None:  # noqa: ANN401 - gunicorn's own
        """
        Take a new connection.
        """
        try:
            client, address = listener.accept()
        except (BlockingIOError, ConnectionAbortedError):
            return
        self.nr_conns += 1
        paced = PacedSocket.take_over(client)
        conn = WatchedConnection(self.cfg, paced, address, listener.getsockname())
        self._serve_when_complete(conn)

    def on_client_socket_readable(self, conn: Any, client: Any) -> None:  # noqa: ANN401 - gunicorn's own
        """
        Take the next request of a connection that was kept.
        """
        self.poller.unregister(client)
        self.keepalived_conns.remove(conn)
        self._serve_when_complete(conn)

    def handle(self, conn: Any) -> Any:  # noqa: ANN401 - gunicorn's own
        """
        Serve one request of a connection, in a thread.
        """
        # The headers are there; but for those of a request that was sent
        # together with the one before it.
        pace = self._pace(HEADERS_WITHIN_S)
        conn.sock.begin(reading=pace, sending=self._pace(self.grace_s))
        with self._turns:
            return super().handle(conn)

    def handle_request(self, req: Any, conn: Any) -> Any:  # noqa: ANN401 - gunicorn's own
        """
        Answer a request, whose headers have come.
        """
        conn.sock.begin(reading=self._body_pace(), sending=self._pace(self.grace_s))
        try:
            return super().handle_request(req, conn)
        except (TooSlowError, TooShortError, BlockingIOError):
            # Gunicorn closes the connection without a traceback.
            raise StopIteration from None

    def handle_error(self, req: Any, client: Any, addr: Any, exc: Exception) -> None:  # noqa: ANN401 - gunicorn's own
        """
        Answer what gunicorn refuses, or an app that crashed.
        """
        del req
        error = error_for(exc)
        request_id = secrets.token_hex(16)
        # Gunicorn logs the request line, with its tokens, and bad headers.
        context = {
            "hv_request_id": request_id,
            "hv_client": addr[0] if addr else "",
            "hv_error": type(exc).__name__,
        }
        log_refusal(exc, context, is_crash=error.http_status == _FIRST_SERVER_ERROR)
        try:
            client.sendall(
                answer(error, request_id=request_id, for_any_page=self.serves_any_page)
            )
        except OSError:
            _log.debug("the refusal could not be sent", extra=context)

    def finish_request(self, conn: Any, fs: Any) -> None:  # noqa: ANN401 - gunicorn's own
        """
        Keep a connection, or end it.
        """
        if not fs.cancelled() and fs.exception() is None and fs.result():
            super().finish_request(conn, fs)
        else:
            # Gunicorn would stand here for 2 s, and with it all clients.
            self._linger(conn)

    def murder_pending(self) -> None:
        """
        Close connections that are late, and all of them at the end.
        """
        if not self.alive:
            for conn in self.pending_conns:
                conn.timeout = 0.0
        super().murder_pending()
        now = time.monotonic()
        while self._lingering and self._lingering[0].timeout <= now:
            self._end(self._lingering[0])

    def _serve_when_complete(self, conn: Any) -> None:  # noqa: ANN401 - gunicorn's own
        if _has_headers(conn.sock):
            self._serve(conn)
            return
        conn.timeout = time.monotonic() + HEADERS_WITHIN_S
        self.pending_conns.append(conn)
        look = partial(self._look, conn)
        self.poller.register(conn.sock, selectors.EVENT_READ, look)

    def _look(self, conn: Any, client: Any) -> None:  # noqa: ANN401 - gunicorn's own
        if _has_headers(client):
            self.poller.unregister(client)
            self.pending_conns.remove(conn)
            self._serve(conn)

    def _serve(self, conn: Any) -> None:  # noqa: ANN401 - gunicorn's own
        _wake_after(conn.sock, 1)
        conn.data_ready = True
        self.enqueue_req(conn)

    def _linger(self, conn: Any) -> None:  # noqa: ANN401 - gunicorn's own
        try:
            conn.sock.shutdown(socket.SHUT_WR)
        except OSError:
            self.nr_conns -= 1
            conn.close()
            return
        conn.timeout = time.monotonic() + LINGER_S
        self._lingering.append(conn)
        drain = partial(self._drain, conn)
        self.poller.register(conn.sock, selectors.EVENT_READ, drain)

    def _drain(self, conn: Any, client: Any) -> None:  # noqa: ANN401 - gunicorn's own
        try:
            more = client.recv(MAX_HEADER_BYTES, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return
        except OSError:
            more = b""
        if not more:
            self._end(conn)

    def _end(self, conn: Any) -> None:  # noqa: ANN401 - gunicorn's own
        self._lingering.remove(conn)
        self.poller.unregister(conn.sock)
        self.nr_conns -= 1
        conn.close()

    def _make_turns(self) -> AbstractContextManager[None]:
        return RequestLock()

    def _body_pace(self) -> Pace:
        return Pace(self.body_within_s, min_bytes_per_s=math.inf)

    def _pace(self, grace_s: float) -> Pace:
        return Pace(grace_s, min_bytes_per_s=self.min_bytes_per_s)


class LargeBodies(SmallBodies):
    """
    For apps that take and give files: hours, but never at a standstill.
    """

    grace_s = 30.0
    serves_any_page = True

    def _make_turns(self) -> AbstractContextManager[None]:
        # Files are sent by the kernel: many at a time.
        return nullcontext()

    def _body_pace(self) -> Pace:
        return self._pace(self.grace_s)


def _has_headers(sock: socket.socket) -> bool:
    """
    Tell whether a thread would find what it needs, or the end.
    """
    try:
        seen = sock.recv(MAX_HEADER_BYTES, socket.MSG_PEEK)
    except BlockingIOError:
        return False
    except OSError:
        return True
    if not seen or len(seen) == MAX_HEADER_BYTES or b"\r\n\r\n" in seen:
        return True
    if sends_no_more(sock):
        with suppress(OSError):
            # A thread shall find the end behind urgent data as well.
            sock.shutdown(socket.SHUT_RD)
        return True
    # What was looked at stays in the buffer; without this the poller would
    # find the socket readable again at once.
    _wake_after(sock, len(seen) + 1)
    return False


def _wake_after(sock: socket.socket, size_bytes: int) -> None:
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, size_bytes)
