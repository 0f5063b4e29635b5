"""
A loop that answers requests for published files, on all connections in turn.

A thread for each request costs several times what the kernel needs to send a
segment, and as many slow clients as there are threads stop all others. Here a
connection costs a few hundred bytes, and a segment little more than its
``sendfile`` (docs/decisions/0022). What the loop does not understand it has only
looked at: it is still to be read by whoever gets the connection.
"""

import select
import socket
import struct
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Final

from hv_server.file_loop.connections import ConnectionOwner, LoopConnection
from hv_server.file_loop.response_heads import stamp_now, write_head
from hv_server.file_loop.socket_writer import SocketWriter
from hv_server.file_loop.transfers import Transfer
from hv_server.pacing import Pace, sends_no_more
from hv_web.plain_requests import (
    END,
    MAX_HEAD_BYTES,
    FileOpener,
    read_request,
)
from hv_web.representations import Representation, ignore_uncounted
from hvcore.failpoints import failpoint
from hvcore.services.playback.responses import StoredFile
from hvcore.services.playback.shared_texts import PIECE_BYTES, PiecewiseBody
from hvcore.spool import InDoubt

LOOK_EVERY_S: Final = 1.0
MAX_EVENTS: Final = 64
"""
Looked at together: as many files are open at a time, beside those on their way, and
as many segments are in doubt (at most ``hvcore.spool.in_doubt.MOST_LINES``).
"""
STOP_IDLE_S: Final = 2.0
"""As gunicorn's threads: for requests that are on their way."""
_AT_ONCE: Final = struct.pack("ii", 1, 0)

# Past the methods of our sockets, which wait.
_recv = socket.socket.recv


class FileLoop:
    """
    Look at requests, answer those for files, and hand over all others.

    Args:
        files: Decides; what it leaves is the owner's.
        others: A descriptor that is readable when the owner has something to do.
        head_within_s: For the first request of a connection, and for the rest
            of one that has begun.
        idle_s: For the next request.
        pace: Makes what is asked of who is sent something.
        in_doubt: Knows what was counted and is still to be sent.
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
        self._epoll = select.epoll()
        self._epoll.register(others, select.EPOLLIN)
        self._kept: dict[int, LoopConnection] = {}
        self._now = self._looked_at = time.monotonic()
        self._stamp = stamp_now()
        self._is_stopping = False

    def take(self, conn: Any) -> None:  # noqa: ANN401 - gunicorn's own
        """
        Take a connection that is to send a request, or has begun to.
        """
        fd = conn.sock.fileno()
        deadline = time.monotonic() + self._head_within_s
        # A unix socket's peer has no address.
        neighbour = conn.client[0] if conn.client else ""
        self._kept[fd] = LoopConnection(
            conn, conn.sock, SocketWriter(conn.sock), fd, neighbour, deadline
        )
        self._epoll.register(fd, select.EPOLLIN)

    def run(self, for_s: float) -> None:
        """
        Serve for a while; return sooner if the owner has something to do.
        """
        until = time.monotonic() + for_s
        left_s = for_s
        while left_s >= 0:
            events = self._epoll.poll(left_s, MAX_EVENTS)
            self._now = time.monotonic()
            left_s = until - self._now
            seen = []
            for fd, _event in events:
                kept = self._kept.get(fd)
                if kept is None:
                    # The owner's; see others.
                    left_s = -1.0
                elif kept.transfer is not None:
                    self._go_on(kept, kept.transfer)
                elif begun := self._look(kept):
                    seen.append((kept, begun))
            if seen:
                self._answer_all(seen)

    def look_after(self, *, is_stopping: bool) -> None:
        """
        End what takes too long; call this about once a second or more often.

        Args:
            is_stopping: Connections end after the request that they send now.
        """
        now = time.monotonic()
        if is_stopping and not self._is_stopping:
            self._is_stopping = True
            for kept in self._kept.values():
                kept.deadline = min(kept.deadline, now + STOP_IDLE_S)
        elif now - self._looked_at < LOOK_EVERY_S:
            return
        self._looked_at = now
        self._stamp = stamp_now()
        for kept in list(self._kept.values()):
            if kept.transfer is None:
                is_late = kept.deadline <= now
            else:
                is_late = not kept.transfer.has_kept_pace(now)
            if is_late:
                self._drop(kept)

    def waiting(self) -> Iterable[Any]:
        """
        Return the connections on which nothing is sent, the oldest first.
        """
        return [kept.conn for kept in self._kept.values() if kept.transfer is None]

    def give_up(self, conn: Any) -> bool:  # noqa: ANN401 - gunicorn's own
        """
        Close a connection; tell whether it was here.
        """
        kept = self._kept.get(conn.sock.fileno())
        if kept is None or kept.conn is not conn:
            return False
        self._drop(kept)
        return True

    def close(self) -> None:
        """
        Give up all connections; what is on its way breaks off.
        """
        for kept in list(self._kept.values()):
            self._drop(kept)

    def _look(self, kept: LoopConnection) -> bytes:
        try:
            seen = _recv(kept.sock, MAX_HEAD_BYTES, socket.MSG_PEEK)
        except BlockingIOError:
            return b""
        except OSError:
            seen = b""
        if not seen:
            self._drop(kept)
        return seen

    def _answer_all(self, seen: Sequence[tuple[LoopConnection, bytes]]) -> None:
        # They all came before this moment, so that one look will do.
        with self._moment():
            # Decisions first, one after the other: what they need stays in the
            # processor's caches, which to send a segment fills with other things.
            decided = [self._decide(kept, requests) for kept, requests in seen]
            # And so does what counting needs.
            self._count_ahead([answer[0] for answer in decided if answer])
            for (kept, requests), answer in zip(seen, decided, strict=True):
                if answer is not None and answer[0].is_counted:
                    # Before it is sent: what was sent must not be taken back.
                    self._in_doubt.hand_over()
                self._answer_each(kept, requests, answer)

    def _count_ahead(self, transfers: Sequence[Transfer]) -> None:
        """
        Count what will fit into the kernel, all of it together.
        """
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

    def _decide(self, kept: LoopConnection, seen: bytes) -> tuple[Transfer, int] | None:
        """
        Return the answer to the first request, and how long the request is.

        None if it is not there yet, or is others' to answer.
        """
        size = seen.find(END) + len(END)
        if size < len(END):
            self._await_rest(kept, len(seen))
            return None
        transfer = self._answer(kept, seen[:size])
        if transfer is None:
            self._owner.hand_over(self._give_up(kept))
            return None
        return transfer, size

    def _answer_each(
        self, kept: LoopConnection, seen: bytes, answer: tuple[Transfer, int] | None
    ) -> None:
        while answer is not None:
            transfer, size = answer
            self._go_on(kept, transfer, request_bytes=size)
            # What was sent together with it.
            seen = b"" if kept.is_gone or kept.transfer else seen[size:]
            answer = self._decide(kept, seen) if seen else None

    def _await_rest(self, kept: LoopConnection, seen_bytes: int) -> None:
        if seen_bytes >= MAX_HEAD_BYTES:
            self._owner.hand_over(self._give_up(kept))
            return
        if sends_no_more(kept.sock):
            self._drop(kept)
            return
        if kept.awaited_bytes == 1:
            kept.deadline = self._now + self._head_within_s
        # What was looked at stays in the kernel, and would wake us again.
        self._await_bytes(kept, seen_bytes + 1)

    def _await_bytes(self, kept: LoopConnection, size: int) -> None:
        if kept.awaited_bytes != size:
            kept.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, size)
            kept.awaited_bytes = size

    def _answer(self, kept: LoopConnection, head: bytes) -> Transfer | None:
        request = read_request(head, kept.neighbour)
        if request is None:
            return None
        try:
            opened = self._files.open(request)
            if opened is None:
                return None
            served, chosen = opened
            stored = chosen.body
            file = stored.open_local() if isinstance(stored, StoredFile) else None
        except Exception:  # noqa: BLE001 - the app meets it again, and words it
            return None
        kept.closes = request.closes or self._is_stopping
        ignore_uncounted(served, chosen)
        is_counted = file is not None and chosen.has_over_half and served.segment
        written = write_head(request, chosen, stamp=self._stamp, closes=kept.closes)
        body, pieces = _split(stored, chosen)
        return Transfer(
            kept.wire,
            written + body,
            pace=self._pace,
            file=file,
            pieces=pieces,
            start=chosen.start,
            end=chosen.end,
            half_at=chosen.half_at,
            segment=served.segment if is_counted else None,
            when_broken_off=served.break_off if is_counted else None,
        )

    def _go_on(
        self, kept: LoopConnection, transfer: Transfer, *, request_bytes: int = 0
    ) -> None:
        try:
            if request_bytes:
                _recv(kept.sock, request_bytes)
                self._await_bytes(kept, 1)
            is_done = transfer.go_on()
        except OSError:
            transfer.close()
            self._drop(kept)
            return
        if not is_done:
            if kept.transfer is None:
                kept.transfer = transfer
                self._epoll.modify(kept.fd, select.EPOLLOUT)
            return
        failpoint("answer.sent")
        transfer.close()
        if kept.closes:
            self._owner.linger(self._give_up(kept))
            return
        kept.deadline = self._now + self._idle_s
        if kept.transfer is not None:
            kept.transfer = None
            self._epoll.modify(kept.fd, select.EPOLLIN)

    def _drop(self, kept: LoopConnection) -> None:
        if kept.transfer is not None:
            kept.transfer.close()
            # Or the kernel would keep for minutes what nobody fetches.
            kept.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _AT_ONCE)
        self._owner.drop(self._give_up(kept))

    def _give_up(self, kept: LoopConnection) -> Any:  # noqa: ANN401 - gunicorn's own
        kept.is_gone = True
        del self._kept[kept.fd]
        self._epoll.unregister(kept.fd)
        if kept.awaited_bytes != 1:
            # Whoever has it now is to be woken by each.
            self._await_bytes(kept, 1)
        return kept.conn


def _split(
    body: object, chosen: Representation
) -> tuple[bytes, Iterator[bytes] | None]:
    """
    Return what of a body is sent together with the head, else its pieces.
    """
    if not isinstance(body, bytes):
        if isinstance(body, PiecewiseBody):
            return b"", body.pieces(chosen.start, chosen.end)
        return b"", None
    part = body[chosen.start : chosen.end]
    # A long one is others' as well: no copy for each who waits for it.
    return (part, None) if len(part) <= PIECE_BYTES else (b"", iter((part,)))
