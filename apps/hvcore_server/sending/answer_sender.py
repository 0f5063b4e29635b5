"""Send the parts of answers that threads have left unsent, on many connections at once."""

import selectors
import socket
import struct
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import attrs

from hvcore_server.sending.pacing import Pace
from hvcore_server.sending.piece_threads import MadePiece, PieceThreads
from hvcore_server.sending.socket_writer import SocketWriter
from hvcore_server.sending.transfers import Transfer
from hvcore_server.sending.unsent_answer import UnsentAnswer

LOOK_EVERY_S: Final = 1.0
_AT_ONCE: Final = struct.pack("ii", 1, 0)


@attrs.define(eq=False)
class _Sending:
    """
    An answer on its way.

    Attributes:
        transfer: None while the next piece is made.
        free: Gives back the room of what is sent now.
    """

    conn: Any
    unsent: UnsentAnswer
    keeps: bool
    free: Callable[[], None]
    transfer: Transfer | None = None
    is_registered: bool = False


class AnswerSender:
    """
    The connections on which the main thread sends the unsent rest of an answer.

    Args:
        poller: The main thread's selector.
        pace: Makes the minimum pace at which a client must take an answer.
        pieces: The threads that make the pieces of an answer made piece by piece.
        sent: Called with a connection whose answer was sent, and whether the
            connection may be kept open.
        drop: Closes a connection.
    """

    def __init__(
        self,
        poller: selectors.BaseSelector,
        *,
        pace: Callable[[], Pace],
        pieces: PieceThreads,
        sent: Callable[[Any, bool], None],
        drop: Callable[[Any], None],
    ) -> None:
        self._poller = poller
        self._pace = pace
        self._pieces = pieces
        self._sent = sent
        self._drop = drop
        self._all: dict[Any, _Sending] = {}
        self._looked_at = 0.0

    def send(self, conn: Any, unsent: UnsentAnswer, *, keeps: bool) -> None:  # noqa: ANN401 - gunicorn's own
        """
        Begin to send the unsent rest of an answer on a connection.

        Args:
            keeps: Whether the connection may be kept open after the answer.
        """
        file = unsent.file
        transfer = Transfer(
            SocketWriter(conn.sock),
            unsent.take_bytes(),
            pace=self._pace,
            file=file.descriptor if file else None,
            start=unsent.start,
            end=unsent.end,
            half_at=file.half_at if file else 0,
            segment=file.segment if file else None,
            when_broken_off=file.when_broken_off if file else None,
        )
        sending = self._all[conn] = _Sending(conn, unsent, keeps, unsent.free)
        self._begin(sending, transfer)

    def look_after(self, now: float) -> None:
        """Close connections whose clients take their answers too slowly."""
        if now - self._looked_at < LOOK_EVERY_S:
            return
        self._looked_at = now
        for sending in list(self._all.values()):
            transfer = sending.transfer
            if transfer is not None and not transfer.is_on_pace(now):
                self._break_off(sending)

    def close(self) -> None:
        """Break off all answers, and close their connections."""
        self._pieces.close()
        for sending in list(self._all.values()):
            self._break_off(sending)

    def _begin(self, sending: _Sending, transfer: Transfer) -> None:
        sending.transfer = transfer
        self._go_on(sending, transfer)
        if sending.transfer is transfer:
            look = partial(self._look, sending, transfer)
            self._poller.register(sending.conn.sock, selectors.EVENT_WRITE, look)
            sending.is_registered = True

    def _look(
        self, sending: _Sending, transfer: Transfer, _sock: socket.socket
    ) -> None:
        self._go_on(sending, transfer)

    def _go_on(self, sending: _Sending, transfer: Transfer) -> None:
        try:
            is_done = transfer.go_on()
        except OSError:
            self._break_off(sending)
            return
        if not is_done:
            return
        further = sending.unsent.further
        if further is not None and further.left_bytes:
            self._rest(sending)
            take = partial(self._take_piece, sending)
            self._pieces.ask(sending.unsent.client, further, take)
            return
        self._leave(sending)
        self._sent(sending.conn, sending.keeps)

    def _take_piece(self, sending: _Sending, piece: MadePiece) -> None:
        if self._all.get(sending.conn) is not sending:
            piece.free()
            return
        sending.free = piece.free
        if not piece.data:
            self._break_off(sending)
            return
        transfer = Transfer(
            SocketWriter(sending.conn.sock),
            b"",
            pace=self._pace,
            pieces=iter((piece.data,)),
            end=len(piece.data),
        )
        self._begin(sending, transfer)

    def _break_off(self, sending: _Sending) -> None:
        self._leave(sending)
        # Or the kernel would keep for minutes what nobody fetches.
        sending.conn.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _AT_ONCE)
        self._drop(sending.conn)

    def _leave(self, sending: _Sending) -> None:
        del self._all[sending.conn]
        self._rest(sending)

    def _rest(self, sending: _Sending) -> None:
        """Have nothing to send, for now or for good."""
        if sending.is_registered:
            self._poller.unregister(sending.conn.sock)
            sending.is_registered = False
        if sending.transfer is not None:
            sending.transfer.close()
            sending.transfer = None
        sending.free()
