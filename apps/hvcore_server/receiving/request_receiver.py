"""
Receive requests on many connections at once, without a thread for each.

A request that comes slowly, or not at all, costs a connection and its bytes, and no
thread. A thread reads a long body piece by piece, once the app knows its sender.
"""

import selectors
import socket
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from typing import Any, Final

import attrs
from gunicorn.http.errors import LimitRequestHeaders, LimitRequestLine

from hvcore.errors import HvError
from hvcore_server.arriving_request import ArrivingRequest, RequestState
from hvcore_server.receiving.refusals import error_for
from hvcore_server.sending.pacing import sends_no_more

READ_BYTES: Final = 64 * 1024
LOOK_EVERY_S: Final = 0.25
STOPS_WITHIN_S: Final = 2.0
"""The seconds in which begun bodies must arrive when the process ends."""
_CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"

# Past the methods of our sockets, which wait.
_recv = socket.socket.recv


@attrs.define(eq=False)
class _Awaited:
    until: float
    request: ArrivingRequest = attrs.field(factory=ArrivingRequest)
    state: RequestState = RequestState.HEAD
    is_registered: bool = False


class RequestReceiver:
    """
    The connections whose next request is still arriving, and is not ready for a thread yet.

    Args:
        poller: The main thread's selector.
        head_within_s: The seconds for request line and headers together.
        body_within_s: The seconds for a body; a client that is faster than
            ``min_bytes_per_s`` has more.
        ready: Called with a connection, its request and the request's state.
        drop: Closes a connection.
        refuse: Answers a connection with an error, and ends it.
    """

    def __init__(  # noqa: PLR0913 - each is a rule of its own
        self,
        poller: selectors.BaseSelector,
        *,
        head_within_s: float,
        body_within_s: float,
        min_bytes_per_s: float,
        ready: Callable[[Any, ArrivingRequest, RequestState], None],
        drop: Callable[[Any], None],
        refuse: Callable[[Any, HvError], None],
    ) -> None:
        self._poller = poller
        self._head_within_s = head_within_s
        self._body_within_s = body_within_s
        self._min_bytes_per_s = min_bytes_per_s
        self._ready = ready
        self._drop = drop
        self._refuse = refuse
        self._all: dict[Any, _Awaited] = {}
        self._looked_at = 0.0

    def take(self, conn: Any, begun: bytes = b"") -> None:  # noqa: ANN401 - gunicorn's own
        """
        Add a connection on which a request is to come.

        Args:
            begun: Bytes of the request that were read before.
        """
        awaited = _Awaited(time.monotonic() + self._head_within_s)
        self._all[conn] = awaited
        if begun and self._add(conn, awaited, begun):
            return
        self._read(conn, awaited)
        if conn in self._all:
            look = partial(self._look, conn, awaited)
            self._poller.register(conn.sock, selectors.EVENT_READ, look)
            awaited.is_registered = True

    def waiting(self) -> Iterable[Any]:
        """Return all connections whose request has not arrived, the oldest first."""
        return list(self._all)

    def give_up(self, conn: Any) -> bool:  # noqa: ANN401 - gunicorn's own
        """Close a connection; return False if its request is not one that is still arriving."""
        if conn not in self._all:
            return False
        self._leave(conn, self._all[conn])
        self._drop(conn)
        return True

    def look_after(self, now: float, *, is_stopping: bool) -> None:
        """
        Stop waiting for the requests that arrive too slowly.

        If a body is late, a thread reads the part that has come: the app may keep it, and
        chooses the answer.

        Args:
            now: The present time of the monotonic clock, in seconds.
            is_stopping: Whether the server is stopping: then only bodies that are arriving are
                still waited for, for a few seconds.
        """
        if now - self._looked_at < LOOK_EVERY_S and not is_stopping:
            return
        self._looked_at = now
        for conn, awaited in list(self._all.items()):
            if is_stopping:
                is_begun = awaited.state is RequestState.BODY
                latest = now + STOPS_WITHIN_S if is_begun else now
                awaited.until = min(awaited.until, latest)
            is_half = awaited.state is RequestState.HEAD and awaited.request.data
            if is_half and sends_no_more(conn.sock):
                # Urgent data that came behind what was read wakes nobody.
                self.give_up(conn)
                continue
            if awaited.until > now:
                continue
            self._leave(conn, awaited)
            if awaited.state is RequestState.HEAD:
                self._drop(conn)
            else:
                self._ready(conn, awaited.request, RequestState.WHOLE)

    def _look(self, conn: Any, awaited: _Awaited, _sock: socket.socket) -> None:  # noqa: ANN401 - gunicorn's own
        self._read(conn, awaited)

    def _read(self, conn: Any, awaited: _Awaited) -> None:  # noqa: ANN401 - gunicorn's own
        try:
            data = _recv(conn.sock, READ_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            is_enough = self._add(conn, awaited, data)
            is_half = not is_enough and awaited.state is RequestState.HEAD
            if is_half and sends_no_more(conn.sock):
                self.give_up(conn)
            return
        self._leave(conn, awaited)
        if awaited.state is RequestState.HEAD:
            self._drop(conn)
        else:
            self._ready(conn, awaited.request, RequestState.WHOLE)

    def _add(self, conn: Any, awaited: _Awaited, data: bytes) -> bool:  # noqa: ANN401 - gunicorn's own
        """Add arrived bytes to a request; return whether a thread can take it."""
        before, state = awaited.state, awaited.request.add(data)
        awaited.state = state
        if state is RequestState.HEAD:
            return False
        if state is RequestState.BODY:
            now = time.monotonic()
            latest = now + self._body_within_s
            if before is RequestState.HEAD:
                awaited.until = latest
                self._let_it_come(conn, awaited.request)
            else:
                earned_s = len(data) / self._min_bytes_per_s
                awaited.until = min(latest, awaited.until + earned_s)
            return False
        self._leave(conn, awaited)
        if state is RequestState.HEAD_TOO_LARGE:
            self._refuse(conn, error_for(LimitRequestHeaders("")))
        elif state is RequestState.LINE_TOO_LONG:
            self._refuse(conn, error_for(LimitRequestLine(0, 0)))
        else:
            self._ready(conn, awaited.request, state)
        return True

    def _let_it_come(self, conn: Any, request: ArrivingRequest) -> None:  # noqa: ANN401 - gunicorn's own
        if request.expects_continue:
            # Without this, the client sends it all the same, a second later.
            with suppress(OSError):
                conn.sock.send(_CONTINUE)
            request.was_continued = True

    def _leave(self, conn: Any, awaited: _Awaited) -> None:  # noqa: ANN401 - gunicorn's own
        del self._all[conn]
        if awaited.is_registered:
            self._poller.unregister(conn.sock)
