"""
Gunicorn workers that slow clients cannot block.

Measured: 16 requests that were sent by half held gunicorn's threads for over
40 s. Here a connection costs no thread before its headers are complete, and
what comes too slowly after that is cut off. A proxy that buffers, such as
nginx, does more and belongs in front of a public service.
"""

import selectors
import socket
import struct
import threading
import time
from functools import partial
from typing import Any, ClassVar, Final

from gunicorn.workers.gthread import TConn, ThreadWorker

HEADERS_WITHIN_S: Final = 10.0
STALLED_AFTER_S: Final = 30
LOOK_EVERY_S: Final = 1.0
MAX_HEADER_BYTES: Final = 64 * 1024
"""Beyond that gunicorn's own limits decide, and refuse."""


class Deadlines:
    """
    Connections that must get somewhere by a certain moment.
    """

    def __init__(self) -> None:
        self._due: dict[socket.socket, float] = {}
        self._lock = threading.Lock()

    def start(self, connection: socket.socket, within_s: float) -> None:
        """
        Begin to watch a connection, or give it another deadline.
        """
        with self._lock:
            self._due[connection] = time.monotonic() + within_s

    def end(self, connection: socket.socket) -> None:
        """
        Stop watching it.
        """
        with self._lock:
            self._due.pop(connection, None)

    def cut_overdue(self) -> int:
        """
        End the reading of connections that are late; return how many.
        """
        now = time.monotonic()
        with self._lock:
            late = [sock for sock, due in self._due.items() if due < now]
            for sock in late:
                del self._due[sock]
        for sock in late:
            try:
                # The thread that waits for bytes sees the end of the stream,
                # and can still answer.
                sock.shutdown(socket.SHUT_RD)
            except OSError:
                continue
        return len(late)


class SmallBodies(ThreadWorker):  # type: ignore[misc]  # gunicorn has no types
    """
    For apps whose requests are small: they must arrive within seconds.
    """

    request_within_s: ClassVar[float | None] = 20.0

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - gunicorn's own
        super().__init__(*args, **kwargs)
        self._deadlines = Deadlines()

    def init_process(self) -> None:
        """
        Start the watch, then serve.
        """
        threading.Thread(target=self._watch, name="deadlines", daemon=True).start()
        super().init_process()

    def accept(self, listener: Any) -> None:  # noqa: ANN401 - gunicorn's own
        """
        Take a new connection.
        """
        try:
            client, address = listener.accept()
        except (BlockingIOError, ConnectionAbortedError):
            return
        self.nr_conns += 1
        _limit_stalls(client)
        conn = TConn(self.cfg, client, address, listener.getsockname())
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
        self._deadlines.start(conn.sock, self.request_within_s or HEADERS_WITHIN_S)
        try:
            return super().handle(conn)
        finally:
            self._deadlines.end(conn.sock)

    def handle_request(self, req: Any, conn: Any) -> Any:  # noqa: ANN401 - gunicorn's own
        """
        Answer a request, whose headers have come.
        """
        if self.request_within_s is None:
            self._deadlines.end(conn.sock)
        try:
            return super().handle_request(req, conn)
        except BlockingIOError:
            # The client stood still; gunicorn closes it without a traceback.
            raise StopIteration from None

    def murder_pending(self) -> None:
        """
        Close connections whose headers are late, and all of them at the end.
        """
        if not self.alive:
            for conn in self.pending_conns:
                conn.timeout = 0.0
        super().murder_pending()

    def _serve_when_complete(self, conn: Any) -> None:  # noqa: ANN401 - gunicorn's own
        conn.sock.settimeout(0.0)
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

    def _watch(self) -> None:
        while True:
            time.sleep(LOOK_EVERY_S)
            self._deadlines.cut_overdue()


class LargeBodies(SmallBodies):
    """
    For apps that take files: a body may take hours, but not stand still.
    """

    request_within_s = None


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
    # What was looked at stays in the buffer; without this the poller would
    # find the socket readable again at once.
    _wake_after(sock, len(seen) + 1)
    return False


def _wake_after(sock: socket.socket, size_bytes: int) -> None:
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, size_bytes)


def _limit_stalls(sock: socket.socket) -> None:
    # In the kernel, because gunicorn itself sets sockets to wait for ever.
    wait = struct.pack("ll", STALLED_AFTER_S, 0)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, wait)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, wait)
