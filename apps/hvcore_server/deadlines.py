"""
Gunicorn workers that slow clients cannot block, nor any client alone.

Measured: 16 requests that were sent by half held gunicorn's threads for over 40 s,
    and 60 readers of 4 KB every 9 s all of them for ever. Here a connection costs no
    thread before its request is complete (but for a long body) or after its answer is
    made, and connections that are too slow in between are cut off. Each client has a
    share of threads and connections (docs/decisions/0038). A proxy that
buffers, such as nginx, does more and belongs in front of a public service.
"""

import gc
import logging
import math
import secrets
import time
from collections.abc import Iterable
from concurrent.futures import Future
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import partial
from typing import Any, ClassVar, Final

from gunicorn.workers.gthread import ThreadWorker

from hvcore.errors import HvError, UnavailableError
from hvcore.throttling.shares import SharedCapacity
from hvcore_server.arriving_request import ArrivingRequest, RequestState
from hvcore_server.lingering import Lingering
from hvcore_server.open_connections import OpenConnections, neighbour_of, sender_of
from hvcore_server.receiving.refusal_lines import log_refusal
from hvcore_server.receiving.refusals import MissingHostError, answer, error_for
from hvcore_server.receiving.request_bodies import WatchedConnection
from hvcore_server.receiving.request_receiver import RequestReceiver
from hvcore_server.request_lock import RequestLock
from hvcore_server.sending.answer_sender import AnswerSender
from hvcore_server.sending.pacing import (
    MIN_BYTES_PER_S,
    Pace,
    PacedSocket,
    TooShortError,
    TooSlowError,
)
from hvcore_server.sending.piece_threads import PieceThreads, begin_in_pieces
from hvcore_server.sending.retry_pacing import RetryPacing
from hvcore_server.sending.unsent_answer import UnsentAnswer, make_room
from hvcore_server.stopping import FINISHES_WITHIN_S, ShutdownDelay
from hvcore_server.thread_lanes import ThreadLanes

_log = logging.getLogger(__name__)

HEADERS_WITHIN_S: Final = 10.0
_FIRST_SERVER_ERROR: Final = 500
_KEEP_ALIVE: Final[Future[bool]] = Future()
_KEEP_ALIVE.set_result(True)


class ApiWorker(ThreadWorker):  # type: ignore[misc]  # gunicorn has no types
    """
    A gunicorn worker for an app whose requests are small: they must arrive within seconds.

    If an app expects a longer body, it calls ``hvcore_web.bodies.allow_time`` once it knows the
    sender.

    Attributes:
        headers_within_s: The seconds in which request line and headers must arrive.
        body_within_s: The seconds in which a body must arrive, however many bytes it has.
        grace_s: The seconds by which a client may fall behind ``MIN_BYTES_PER_S``.
        serves_any_page: Whether pages of every origin may read the server's own error
            answers.
    """

    headers_within_s: ClassVar[float] = HEADERS_WITHIN_S
    # JSON has at most 64 KB: a line of 52 kbit/s is fast enough.
    body_within_s: ClassVar[float] = 10.0
    grace_s: ClassVar[float] = 20.0
    min_bytes_per_s: ClassVar[float] = MIN_BYTES_PER_S
    serves_any_page: ClassVar[bool] = False
    wsgi: Any

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - gunicorn's own
        super().__init__(*args, **kwargs)
        # Gunicorn takes none beyond, and so would leave each without an answer.
        self.worker_connections = self.cfg.worker_connections + 1
        self._request_lock = RequestLock()
        self._shutdown_delay = ShutdownDelay(self.app.shutdown_delay_s)
        self._unsent = make_room()
        self._connections = OpenConnections(
            shares=SharedCapacity(
                name="connections_of_one",
                capacity=self.worker_connections,
                most_of_one=self.app.shares.connections_of_one,
                things="connections",
            )
        )

    def run(self) -> None:
        """Serve requests in this process until SIGTERM."""
        self._lingering = Lingering(self.poller, drop=self.drop)
        self._receiver = RequestReceiver(
            self.poller,
            head_within_s=self.headers_within_s,
            body_within_s=self._body_within_s(),
            min_bytes_per_s=self._body_bytes_per_s(),
            ready=self._ask_for_thread,
            drop=self.drop,
            refuse=self._refuse,
        )
        self._sender = AnswerSender(
            self.poller,
            pace=partial(self._pace, self.grace_s),
            pieces=PieceThreads(self.method_queue.defer),
            sent=self._go_on,
            drop=self.drop,
        )
        self._lanes = ThreadLanes.of(
            self.app.shares,
            threads=self.cfg.threads,
            monitored=getattr(self.wsgi, "monitored", ()),
            start=self.enqueue_req,
            refuse=self._refuse,
        )
        self._retries = RetryPacing(go_on=self._give_thread, refuse=self._refuse)
        self.wsgi = begin_in_pieces(self.wsgi)
        # Of this process alone: the arbiter has another one, for the delay as well.
        self.cfg.set("graceful_timeout", FINISHES_WITHIN_S)
        # The app stays for good: to look through it for garbage again and again kept
        # all requests of the API waiting for 90 ms each time.
        gc.collect()
        gc.freeze()
        try:
            super().run()
        finally:
            # What is cut off at the end is noted as well.
            self._sender.close()

    def handle_exit(self, sig: int, frame: Any) -> None:  # noqa: ANN401 - gunicorn's own
        """Take SIGTERM: report the process as not ready, and end at once or after the shutdown delay."""
        if self._shutdown_delay.begin():
            super().handle_exit(sig, frame)
        # Whoever keeps connections opens the next one elsewhere.
        self.cfg.set("keepalive", 0)

    def accept(self, listener: Any) -> None:  # noqa: ANN401 - gunicorn's own
        """Accept a new connection, or refuse it if its client or the process has too many of them."""
        try:
            client, address = listener.accept()
        except (BlockingIOError, ConnectionAbortedError):
            return
        paced = PacedSocket.take_over(client)
        neighbour = neighbour_of(address)
        try:
            self._make_room(neighbour)
            self._connections.open(neighbour)
        except UnavailableError as error:
            with suppress(OSError):
                paced.send(self._words(error, secrets.token_hex(16)))
            paced.close()
            return
        self.nr_conns += 1
        conn = WatchedConnection(self.cfg, paced, address, listener.getsockname())
        conn.when_closed = partial(self._connections.close, neighbour)
        self._serve_when_complete(conn)

    def on_client_socket_readable(self, conn: Any, client: Any) -> None:  # noqa: ANN401 - gunicorn's own
        """Receive the next request of a connection that was kept open."""
        self.poller.unregister(client)
        self.keepalived_conns.remove(conn)
        self._serve_when_complete(conn)

    def enqueue_req(self, conn: Any) -> None:  # noqa: ANN401 - gunicorn's own
        """Give a request a thread; a monitor's request gets one of the threads reserved for monitors."""
        if not conn.is_monitored:
            super().enqueue_req(conn)
            return
        made = self._lanes.monitors.submit(self.handle, conn)
        made.add_done_callback(
            lambda done: self.method_queue.defer(self.finish_request, conn, done)
        )

    def handle(self, conn: Any) -> Any:  # noqa: ANN401 - gunicorn's own
        """Handle one request of a connection, in a thread of the pool."""
        reading = None if conn.is_whole else self._body_pace()
        conn.sock.begin(reading=reading, sending=self._pace(self.grace_s))
        conn.sock.unsent = UnsentAnswer(conn.sender, self._unsent)
        with nullcontext() if conn.is_monitored else self._turn_of(conn.sender):
            return super().handle(conn)

    def handle_request(self, req: Any, conn: Any) -> Any:  # noqa: ANN401 - gunicorn's own
        """
        Call the app with a request whose headers have arrived.

        Raises:
            MissingHostError: The request has no header Host.
        """
        if req.version == (1, 1) and all(name != "HOST" for name, _ in req.headers):
            raise MissingHostError
        if conn.is_whole or conn.was_continued:
            req.mark_as_continued()
        try:
            return super().handle_request(req, conn)
        except (TooSlowError, TooShortError, BlockingIOError):
            # Gunicorn closes the connection without a traceback.
            raise StopIteration from None

    def handle_error(self, req: Any, client: Any, addr: Any, exc: Exception) -> None:  # noqa: ANN401 - gunicorn's own
        """Log and answer a request that gunicorn refuses, or whose app crashed."""
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
            client.sendall(self._words(error, request_id))
        except OSError:
            _log.debug("the refusal could not be sent", extra=context)

    def finish_request(self, conn: Any, fs: Any) -> None:  # noqa: ANN401 - gunicorn's own
        """Take a connection back from its thread, and send the part of the answer that is unsent."""
        self._lanes.of_request(conn).done(conn.sender)
        if conn.sock.paced_every_s:
            self._retries.note(
                conn.sender,
                conn.head,
                of_all_below=conn.sock.was_all_below,
                every_s=conn.sock.paced_every_s,
            )
        conn.head = b""
        has_failed = fs.cancelled() or fs.exception() is not None
        keeps = not has_failed and bool(fs.result())
        unsent, conn.sock.unsent = conn.sock.unsent, None
        if unsent is not None and unsent.is_any:
            self._sender.send(conn, unsent, keeps=keeps)
        else:
            self._go_on(conn, keeps)

    def wait_for_and_dispatch_events(self, timeout: float) -> None:
        """Wait for connections and threads, but only until the next delayed request may go on."""
        super().wait_for_and_dispatch_events(min(timeout, self._retries.wait_s()))

    def murder_pending(self) -> None:
        """
        End late connections and requests, and start delayed requests; gunicorn calls this often.

        If the shutdown delay is over, the process ends.
        """
        now = time.monotonic()
        if self._shutdown_delay.is_over():
            self.alive = False
        self._receiver.look_after(now, is_stopping=not self.alive)
        self._sender.look_after(now)
        self._lingering.look_after(now)
        self._lanes.end_late(now)
        self._retries.start_due()

    def drop(self, conn: Any) -> None:  # noqa: ANN401 - gunicorn's own
        """Close a connection, and subtract it from the number of its client's connections."""
        self.nr_conns -= 1
        conn.close()

    def _serve_when_complete(self, conn: Any) -> None:  # noqa: ANN401 - gunicorn's own
        self._receiver.take(conn)

    def _ask_for_thread(
        self,
        conn: Any,  # noqa: ANN401 - gunicorn's own
        request: ArrivingRequest,
        state: RequestState,
    ) -> None:
        conn.give(bytes(request.data))
        conn.is_whole = state is RequestState.WHOLE
        conn.was_continued = request.was_continued
        head = request.head
        conn.sender = sender_of(neighbour_of(conn.client), head)
        conn.is_monitored = conn.is_whole and self._lanes.is_monitored(head)
        conn.head = head
        self._retries.ask(conn.sender, head, conn)

    def _give_thread(self, conn: Any) -> None:  # noqa: ANN401 - gunicorn's own
        self._lanes.of_request(conn).ask(conn.sender, conn)

    def _go_on(self, conn: Any, keeps: bool) -> None:  # noqa: ANN401, FBT001 - gunicorn's own
        """Keep a connection, or end it."""
        if not keeps:
            # Gunicorn would stand here for 2 s, and with it all clients.
            self._lingering.take(conn)
        elif begun := conn.parser.unreader.take_buffered():
            # Sent together with the request before.
            self._receiver.take(conn, begun)
        else:
            super().finish_request(conn, _KEEP_ALIVE)

    def _refuse(self, conn: Any, error: HvError) -> None:  # noqa: ANN401 - gunicorn's own
        with suppress(OSError):
            conn.sock.send(self._words(error, secrets.token_hex(16)))
        self._lingering.take(conn)

    def _words(self, error: HvError, request_id: str) -> bytes:
        return answer(error, request_id=request_id, for_any_page=self.serves_any_page)

    def _make_room(self, newcomer: str) -> None:
        """
        Close connections that wait, where there is no room for a new one.

        Raises:
            UnavailableError: There are none, or only the newcomer's own.
        """
        if self.nr_conns < self.cfg.worker_connections:
            return
        for conn in self._connections.make_room(newcomer, self._waiting()):
            self._give_up(conn)

    def _waiting(self) -> Iterable[Any]:
        return [
            *self._receiver.waiting(),
            *self._lingering.waiting(),
            *self.keepalived_conns,
        ]

    def _give_up(self, conn: Any) -> None:  # noqa: ANN401 - gunicorn's own
        if self._receiver.give_up(conn) or self._lingering.give_up(conn):
            return
        self.keepalived_conns.remove(conn)
        self.poller.unregister(conn.sock)
        self.drop(conn)

    def _turn_of(self, client: str) -> AbstractContextManager[None]:
        return self._request_lock.turn_of(client)

    def _body_within_s(self) -> float:
        return self.body_within_s

    def _body_bytes_per_s(self) -> float:
        return math.inf

    def _body_pace(self) -> Pace:
        return Pace(self._body_within_s(), min_bytes_per_s=self._body_bytes_per_s())

    def _pace(self, grace_s: float) -> Pace:
        return Pace(grace_s, min_bytes_per_s=self.min_bytes_per_s)


class TransferWorker(ApiWorker):
    """
    A gunicorn worker for an app that receives and sends files.

    A transfer may take hours, if the client keeps a minimum pace.
    """

    grace_s = 30.0
    serves_any_page = True

    def _turn_of(self, client: str) -> AbstractContextManager[None]:
        # Files are sent by the kernel: many at a time.
        del client
        return nullcontext()

    def _body_within_s(self) -> float:
        return self.grace_s

    def _body_bytes_per_s(self) -> float:
        return self.min_bytes_per_s
