"""
A gunicorn worker that slow clients cannot block.

Measured: 16 requests that were sent by half held gunicorn's threads for over
40 s. Here the headers must come in time, and a connection that stands still
is closed. A proxy that buffers, such as nginx, does more and belongs in front
of a public service.
"""

import socket
import struct
import threading
import time
from typing import Any, Final

from gunicorn.workers.gthread import ThreadWorker

HEADERS_WITHIN_S: Final = 10.0
STALLED_AFTER_S: Final = 30
LOOK_EVERY_S: Final = 1.0


class Deadlines:
    """
    Connections that must get somewhere by a certain moment.
    """

    def __init__(self) -> None:
        self._due: dict[socket.socket, float] = {}
        self._lock = threading.Lock()

    def start(self, connection: socket.socket, within_s: float) -> None:
        """
        Begin to watch a connection.
        """
        with self._lock:
            self._due[connection] = time.monotonic() + within_s

    def end(self, connection: socket.socket) -> None:
        """
        Stop watching it.
        """
        with self._lock:
            self._due.pop(connection, None)

    def close_overdue(self) -> int:
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
                # The thread that waits for bytes sees the end of the stream.
                sock.shutdown(socket.SHUT_RD)
            except OSError:
                continue
        return len(late)


class DeadlineWorker(ThreadWorker):  # type: ignore[misc]  # gunicorn has no types
    """
    Gunicorn's threads, with deadlines.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - gunicorn's own
        super().__init__(*args, **kwargs)
        self._headers = Deadlines()

    def init_process(self) -> None:
        """
        Start the watch, then serve.
        """
        threading.Thread(target=self._watch, name="deadlines", daemon=True).start()
        super().init_process()

    def handle(self, conn: Any) -> Any:  # noqa: ANN401 - gunicorn's own
        """
        Serve one request of a connection.
        """
        if not conn.initialized:
            _limit_stalls(conn.sock)
        self._headers.start(conn.sock, HEADERS_WITHIN_S)
        try:
            return super().handle(conn)
        finally:
            self._headers.end(conn.sock)

    def handle_request(self, req: Any, conn: Any) -> Any:  # noqa: ANN401 - gunicorn's own
        """
        Answer a request, whose headers have come.
        """
        self._headers.end(conn.sock)
        try:
            return super().handle_request(req, conn)
        except BlockingIOError:
            # The client stood still; gunicorn closes it without a traceback.
            raise StopIteration from None

    def _watch(self) -> None:
        while True:
            time.sleep(LOOK_EVERY_S)
            self._headers.close_overdue()


def _limit_stalls(connection: socket.socket) -> None:
    # In the kernel, because gunicorn itself sets sockets to wait for ever.
    wait = struct.pack("ll", STALLED_AFTER_S, 0)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, wait)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, wait)
