"""
A loop that answers requests for published files, on all connections in turn.

A thread for each request costs several times what the kernel needs to send a segment,
and as many slow clients as there are threads stop all others. Here a connection costs
a few hundred bytes, and a segment little more than its ``sendfile``
(docs/decisions/0022). The loop only peeks at requests that it does not understand;
the worker that serves them afterwards still reads them.
"""

import select
import socket
import struct
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Final

from hvcore.failpoints import failpoint
from hvcore.services.playback.responses import StoredFile
from hvcore.services.playback.shared_texts import PIECE_BYTES, PiecewiseBody
from hvcore.spool import InDoubt
from hvcore_server.file_loop.connections import ConnectionOwner, LoopConnection
from hvcore_server.file_loop.response_heads import stamp_now, write_head
from hvcore_server.file_loop.served_counts import ServedCounts
from hvcore_server.sending.pacing import Pace, sends_no_more
from hvcore_server.sending.socket_writer import SocketWriter
from hvcore_server.sending.transfers import Transfer
from hvcore_web.plain_requests import (
    END,
    MAX_HEAD_BYTES,
    FileOpener,
    read_request,
)
from hvcore_web.readiness import STATE
from hvcore_web.representations import Representation, ignore_uncounted

LOOK_EVERY_S: Final = 1.0
MAX_EVENTS: Final = 64
"""
The most events that are handled together: as many files are open at a time, besides those
that are being sent, and as many segments are in doubt (at most
``hvcore.spool.in_doubt.MOST_LINES``).
"""
STOP_IDLE_S: Final = 2.0
"""The most seconds for which connections stay open when the process stops, as with gunicorn's
threads: requests may be on their way."""
_AT_ONCE: Final = struct.pack("ii", 1, 0)

# Past the methods of our sockets, which wait.
_recv = socket.socket.recv


class FileLoop:
    """
    An event loop that answers requests for files, and hands all other requests to its owner.

    Args:
        files: Decides about requests; those that it leaves undecided go to the owner.
        owner: The worker that serves all other requests.
        others: A file descriptor that is readable when the owner has something to do.
        head_within_s: The seconds for the first request of a connection, and for the rest
            of a request that has begun.
        idle_s: The seconds for which a connection may wait for its next request.
        pace: Makes the minimum pace at which a client must take an answer.
        in_doubt: The segments that were counted and are still to be sent.
    """

    def __init__(  # noqa: PLR0913 - each is a rule of its own
        self,
        files: FileOpener,
        owner: ConnectionOwner,
        *,
        others: int,
        head_within_s: float,
        idle_s: float,
        pace: Callable[[], Pace],
        in_doubt: InDoubt,
    ) -> None:
        self._files = files
        self._owner = owner
        self._head_within_s = head_within_s
        self._idle_s = idle_s
        self._pace = pace
        self._in_doubt = in_doubt
        self._served = ServedCounts()
        self._epoll = select.epoll()
        self._epoll.register(others, select.EPOLLIN)
        self._connections: dict[int, LoopConnection] = {}
        self._now = self._looked_at = time.monotonic()
        self._stamp = stamp_now()
        self._is_stopping = False
        self._has_handed_over = False

    def take(self, conn: Any) -> None:  # noqa: ANN401 - gunicorn's own
        """Add a connection to the loop; its next request has not been read."""
        fd = conn.sock.fileno()
        deadline = time.monotonic() + self._head_within_s
        # A unix socket's peer has no address.
        neighbour = conn.client[0] if conn.client else ""
        self._connections[fd] = LoopConnection(
            conn, conn.sock, SocketWriter(conn.sock), fd, neighbour, deadline
        )
        self._epoll.register(fd, select.EPOLLIN)

    def run(self, for_s: float) -> None:
        """Answer requests for ``for_s`` seconds; return sooner if the owner has something to do."""
        until = time.monotonic() + for_s
        left_s = for_s
        while left_s >= 0:
            events = self._epoll.poll(left_s, MAX_EVENTS)
            self._now = time.monotonic()
            left_s = until - self._now
            seen = []
            for fd, _event in events:
                loop_conn = self._connections.get(fd)
                if loop_conn is None:
                    # The owner's; see others.
                    left_s = -1.0
                elif loop_conn.transfer is not None:
                    self._go_on(loop_conn, loop_conn.transfer)
                elif begun := self._look(loop_conn):
                    seen.append((loop_conn, begun))
            if seen:
                self._answer_all(seen)
            if self._has_handed_over:
                # What the owner was given may have to wait for its turn, which may come
                # sooner than the time that this may take.
                self._has_handed_over = False
                left_s = -1.0

    def look_after(self, *, is_stopping: bool) -> None:
        """
        Close connections that are late or too slow; to be called at least once a second.

        Args:
            is_stopping: Whether the process is to end: each connection then ends after the
                answer that is being sent.
        """
        now = time.monotonic()
        if is_stopping and not self._is_stopping:
            self._is_stopping = True
            for loop_conn in self._connections.values():
                loop_conn.deadline = min(loop_conn.deadline, now + STOP_IDLE_S)
        elif now - self._looked_at < LOOK_EVERY_S:
            return
        self._looked_at = now
        self._stamp = stamp_now()
        self._served.pass_on()
        for loop_conn in list(self._connections.values()):
            if loop_conn.transfer is None:
                is_late = loop_conn.deadline <= now
            else:
                is_late = not loop_conn.transfer.is_on_pace(now)
            if is_late:
                self._drop(loop_conn)

    def waiting(self) -> Iterable[Any]:
        """Return the connections on which no answer is being sent, the oldest first."""
        return [
            loop_conn.conn
            for loop_conn in self._connections.values()
            if loop_conn.transfer is None
        ]

    def give_up(self, conn: Any) -> bool:  # noqa: ANN401 - gunicorn's own
        """Close a connection if it is in the loop; return whether it was."""
        loop_conn = self._connections.get(conn.sock.fileno())
        if loop_conn is None or loop_conn.conn is not conn:
            return False
        self._drop(loop_conn)
        return True

    def close(self) -> None:
        """Close all connections, and break off the answers that are being sent."""
        for loop_conn in list(self._connections.values()):
            self._drop(loop_conn)
        self._served.pass_on()

    def _look(self, loop_conn: LoopConnection) -> bytes:
        try:
            seen = _recv(loop_conn.sock, MAX_HEAD_BYTES, socket.MSG_PEEK)
        except BlockingIOError:
            return b""
        except OSError:
            seen = b""
        if not seen:
            self._drop(loop_conn)
        return seen

    def _answer_all(self, seen: Sequence[tuple[LoopConnection, bytes]]) -> None:
        # They all came before this moment, so that one look will do.
        with self._moment():
            # Decisions first, one after the other: what they need stays in the
            # processor's caches, which to send a segment fills with other things.
            decided = [
                self._decide(loop_conn, requests) for loop_conn, requests in seen
            ]
            # And so does what counting needs.
            self._count_ahead([answer[0] for answer in decided if answer])
            for (loop_conn, requests), answer in zip(seen, decided, strict=True):
                if answer is not None and answer[0].is_counted:
                    # Before it is sent: what was sent must not be taken back.
                    self._in_doubt.hand_over()
                self._answer_each(loop_conn, requests, answer)

    def _count_ahead(self, transfers: Sequence[Transfer]) -> None:
        """Count the segments whose bytes will fit into the kernel, in one step."""
        ahead = [segment for one in transfers if (segment := one.count_ahead())]
        if ahead:
            is_written = self._files.count(ahead)
            # What is only owed dies with the process, and must not be taken back.
            lines = [one.line for one in ahead if one.line] if is_written else []
            self._in_doubt.counted(lines)

    def _moment(self) -> AbstractContextManager[None]:
        try:
            return self._files.moment()
        except Exception:  # noqa: BLE001 - whatever for: each is decided by itself
            return nullcontext()

    def _decide(
        self, loop_conn: LoopConnection, seen: bytes
    ) -> tuple[Transfer, int] | None:
        """
        Return the answer to the first request, and how long the request is.

        None if it has not arrived yet, or the loop does not answer it.
        """
        size = seen.find(END) + len(END)
        if size < len(END):
            self._await_rest(loop_conn, len(seen))
            return None
        transfer = self._answer(loop_conn, seen[:size])
        if transfer is None:
            self._hand_over(loop_conn)
            return None
        return transfer, size

    def _answer_each(
        self,
        loop_conn: LoopConnection,
        seen: bytes,
        answer: tuple[Transfer, int] | None,
    ) -> None:
        while answer is not None:
            transfer, size = answer
            self._go_on(loop_conn, transfer, request_bytes=size)
            # What was sent together with it.
            seen = b"" if loop_conn.is_gone or loop_conn.transfer else seen[size:]
            answer = self._decide(loop_conn, seen) if seen else None

    def _hand_over(self, loop_conn: LoopConnection) -> None:
        self._owner.hand_over(self._give_up(loop_conn))
        self._has_handed_over = True

    def _await_rest(self, loop_conn: LoopConnection, seen_bytes: int) -> None:
        # Half a request behind others that came together with it: until that half is
        # read, too, the kernel keeps the room of all of them, and may take no more.
        if loop_conn.has_answered or seen_bytes >= MAX_HEAD_BYTES:
            self._hand_over(loop_conn)
            return
        if sends_no_more(loop_conn.sock):
            self._drop(loop_conn)
            return
        if loop_conn.awaited_bytes == 1:
            loop_conn.deadline = self._now + self._head_within_s
        # What was looked at stays in the kernel, and would wake us again.
        self._await_bytes(loop_conn, seen_bytes + 1)

    def _await_bytes(self, loop_conn: LoopConnection, size: int) -> None:
        if loop_conn.awaited_bytes != size:
            loop_conn.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, size)
            loop_conn.awaited_bytes = size

    def _answer(self, loop_conn: LoopConnection, head: bytes) -> Transfer | None:
        request = read_request(head, loop_conn.neighbour)
        if request is None:
            return None
        try:
            opened = self._files.open(request)
            if opened is None:
                return None
            response, chosen = opened
            stored = chosen.body
            file = stored.open_local() if isinstance(stored, StoredFile) else None
        except Exception:  # noqa: BLE001 - the app meets it again, and words it
            return None
        loop_conn.closes = request.closes or STATE.is_stopping or self._is_stopping
        ignore_uncounted(response, chosen)
        is_counted = file is not None and chosen.has_over_half and response.segment
        written = write_head(
            request, chosen, stamp=self._stamp, closes=loop_conn.closes
        )
        self._served.add(request, chosen)
        body, pieces = _split(stored, chosen)
        return Transfer(
            loop_conn.wire,
            written + body,
            pace=self._pace,
            file=file,
            pieces=pieces,
            start=chosen.start,
            end=chosen.end,
            half_at=chosen.half_at,
            segment=response.segment if is_counted else None,
            when_broken_off=response.break_off if is_counted else None,
        )

    def _go_on(
        self, loop_conn: LoopConnection, transfer: Transfer, *, request_bytes: int = 0
    ) -> None:
        try:
            if request_bytes:
                _recv(loop_conn.sock, request_bytes)
                loop_conn.has_answered = True
                self._await_bytes(loop_conn, 1)
            is_done = transfer.go_on()
        except OSError:
            transfer.close()
            self._drop(loop_conn)
            return
        if not is_done:
            if loop_conn.transfer is None:
                loop_conn.transfer = transfer
                self._epoll.modify(loop_conn.fd, select.EPOLLOUT)
            return
        failpoint("answer.sent")
        transfer.close()
        if loop_conn.closes:
            self._owner.linger(self._give_up(loop_conn))
            return
        loop_conn.deadline = self._now + self._idle_s
        if loop_conn.transfer is not None:
            loop_conn.transfer = None
            self._epoll.modify(loop_conn.fd, select.EPOLLIN)

    def _drop(self, loop_conn: LoopConnection) -> None:
        if loop_conn.transfer is not None:
            loop_conn.transfer.close()
            # Or the kernel would keep for minutes what nobody fetches.
            loop_conn.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _AT_ONCE)
        self._owner.drop(self._give_up(loop_conn))

    def _give_up(self, loop_conn: LoopConnection) -> Any:  # noqa: ANN401 - gunicorn's own
        loop_conn.is_gone = True
        del self._connections[loop_conn.fd]
        self._epoll.unregister(loop_conn.fd)
        if loop_conn.awaited_bytes != 1:
            # Whoever has it now is to be woken by each.
            self._await_bytes(loop_conn, 1)
        return loop_conn.conn


def _split(
    body: object, chosen: Representation
) -> tuple[bytes, Iterator[bytes] | None]:
    """Return the bytes to send together with the head, or the body's pieces."""
    if not isinstance(body, bytes):
        if isinstance(body, PiecewiseBody):
            return b"", body.pieces(chosen.start, chosen.end)
        return b"", None
    part = body[chosen.start : chosen.end]
    # A long one is others' as well: no copy for each who waits for it.
    return (part, None) if len(part) <= PIECE_BYTES else (b"", iter((part,)))
