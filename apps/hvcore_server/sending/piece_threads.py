"""
Threads that make the pieces of large answers, so that no thread waits for a slow reader.

A reader of a download takes minutes, and a piece of it comes from an object store in
milliseconds. So a thread makes one piece, and then pieces of other answers until that one is
sent (docs/decisions/0130). These threads serve no requests: if a store is slow, only
downloads are slow.
"""

import logging
import sys
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any, Final, Protocol

import attrs

from hvcore.errors import HvError
from hvcore.throttling.shares import SharedCapacity
from hvcore_server.shared_threads import SharedThreads

_log = logging.getLogger(__name__)

PIECE_THREADS: Final = 8
THREADS_OF_ONE: Final = PIECE_THREADS // 2
PIECE_BYTES: Final = 1024 * 1024
"""The size of a piece that is read from the store: with 30 ms for each request, one reader
gets about 30 MB a second."""
SMALL_PIECE_BYTES: Final = 64 * 1024
"""The size of a piece if memory is short: as much as the file loop has for a connection."""
MAX_PARTS_BYTES: Final = 64 * 1024 * 1024
MAX_PIECES_OF_ONE_BYTES: Final = 16 * 1024 * 1024


class MadeInPieces(Protocol):
    """A response body that is made piece by piece, in order."""

    @property
    def left_bytes(self) -> int:
        """The number of bytes of the body that are not made yet."""
        ...

    def make_piece(self, most_bytes: int) -> bytes:
        """
        Return the next piece of the response's body; empty bytes after the last piece.

        The call may block while it waits for the storage or another server.

        Args:
            most_bytes: The most bytes of the piece.
        """
        ...


@attrs.frozen
class MadePiece:
    """
    A piece of a response body, and the memory that is reserved for it until it is sent.

    Attributes:
        data: The bytes; empty if the piece could not be made.
        free: Gives back the reserved memory.
    """

    data: bytes
    free: Callable[[], None]


@attrs.frozen
class _Wanted:
    client: str
    body: MadeInPieces
    take: Callable[[MadePiece], None]


class PieceThreads:
    """
    Threads that make pieces of response bodies; every method is for the main thread alone.

    Args:
        defer: Has the main thread call a function with arguments soon.
    """

    def __init__(self, defer: Callable[..., None]) -> None:
        self._defer = defer
        self._is_closed = False
        self._pool = ThreadPoolExecutor(PIECE_THREADS, thread_name_prefix="pieces")
        self._room = SharedCapacity(
            name="part_bytes",
            capacity=MAX_PARTS_BYTES,
            most_of_one=MAX_PIECES_OF_ONE_BYTES,
            things="bytes that wait",
        )
        self._threads = SharedThreads(
            threads=SharedCapacity(
                name="part_threads",
                capacity=PIECE_THREADS,
                most_of_one=THREADS_OF_ONE,
                things="pieces",
            ),
            # Whoever was told how long an answer is waits for its turn.
            most_waiting=sys.maxsize,
            start=self._start,
            refuse=lambda _wanted, _error: None,
        )

    def ask(
        self, client: str, body: MadeInPieces, take: Callable[[MadePiece], None]
    ) -> None:
        """
        Have a thread make the next piece of a body, once it is its client's turn.

        Args:
            take: Called in the main thread with the piece.
        """
        self._threads.ask(client, _Wanted(client, body, take))

    def close(self) -> None:
        """Pass on no more pieces, not even those that are being made."""
        self._is_closed = True

    def _start(self, wanted: _Wanted) -> None:
        most_bytes, room_bytes = SMALL_PIECE_BYTES, 0
        if self._room.may_take(wanted.client, PIECE_BYTES):
            most_bytes = room_bytes = PIECE_BYTES
            self._room.acquire(wanted.client, PIECE_BYTES)
        made = self._pool.submit(wanted.body.make_piece, most_bytes)
        made.add_done_callback(partial(self._pass_on, wanted, room_bytes))

    def _pass_on(self, wanted: _Wanted, room_bytes: int, done: "Future[bytes]") -> None:
        # In the thread that has made it; the main thread may have ended by now.
        if not self._is_closed:
            self._defer(self._made, wanted, room_bytes, done)

    def _made(self, wanted: _Wanted, room_bytes: int, done: "Future[bytes]") -> None:
        self._threads.done(wanted.client)
        wanted.take(MadePiece(_data(done), self._freeing(wanted.client, room_bytes)))

    def _freeing(self, client: str, room_bytes: int) -> Callable[[], None]:
        left = [room_bytes]

        def free() -> None:
            if left:
                self._room.release(client, left.pop())

        return free


def _data(done: "Future[bytes]") -> bytes:
    try:
        return done.result()
    except Exception as exc:  # noqa: BLE001 - whatever of: the answer has begun
        is_expected = isinstance(exc, HvError | OSError)
        _log.warning(
            "an answer broke off: its next piece could not be made",
            exc_info=None if is_expected else exc,
            extra={"hv_error": type(exc).__name__},
        )
        return b""


def begin_in_pieces(app: Callable[..., Any]) -> Callable[..., Any]:
    """
    Wrap a WSGI app so that a body made piece by piece is returned with only its first piece.

    The server's sender sends the rest. If middleware has wrapped such a body, the
    request's thread sends all of it.
    """

    def begin(environ: dict[str, Any], start_response: Any) -> Any:  # noqa: ANN401 - WSGI's own
        body = app(environ, start_response)
        unsent = getattr(environ.get("gunicorn.socket"), "unsent", None)
        if unsent is None or not hasattr(body, "make_piece"):
            return body
        first = body.make_piece(SMALL_PIECE_BYTES)
        unsent.further = body if body.left_bytes else None
        return [first]

    return begin
