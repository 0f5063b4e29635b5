"""A body of which a piece at a time is made, so that nothing is held between them."""

from collections.abc import Callable, Iterator
from typing import Final

import attrs

PIECE_BYTES: Final = 1024 * 1024


@attrs.define
class BodyInPieces:
    """
    A range of something large that lies on another server.

    Whoever iterates over it gets all of it. A server that gets it as the app has left it
    may make a piece whenever the one before is sent (hvcore_server.sending.piece_threads).

    Args:
        read: Returns the bytes from a start to before an end, all of them.
    """

    _read: Callable[[int, int], bytes]
    _start: int
    _end: int

    @property
    def left_bytes(self) -> int:
        """The number of bytes that are not made yet."""
        return self._end - self._start

    def make_piece(self, most_bytes: int) -> bytes:
        """
        Make the next piece; nothing once all is made.

        Raises:
            OSError: A piece is gone.
            UnavailableError: The other server does not answer.
        """
        until = min(self._end, self._start + most_bytes)
        piece = self._read(self._start, until) if self._start < until else b""
        self._start = until
        return piece

    def __iter__(self) -> Iterator[bytes]:
        return iter(lambda: self.make_piece(PIECE_BYTES), b"")
