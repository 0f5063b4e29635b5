"""A response body that is read from another server in pieces, and so is never in memory as a whole."""

from collections.abc import Callable, Iterator
from typing import Final

import attrs

PIECE_BYTES: Final = 1024 * 1024


@attrs.define
class BodyInPieces:
    """
    A range of bytes of a large object on another server, read from there piece by piece.

    Iterating gives the whole range. A server that gets this object from the app unchanged
    may make each piece when the one before was sent (``hvcore_server.sending.piece_threads``).

    Args:
        read: Returns all bytes from a start offset up to an end offset (exclusive).
    """

    _read: Callable[[int, int], bytes]
    _start: int
    _end: int

    @property
    def left_bytes(self) -> int:
        """The number of bytes of the body that were not read yet."""
        return self._end - self._start

    def make_piece(self, most_bytes: int) -> bytes:
        """
        Read and return the next piece of the body; empty bytes once all of it was returned.

        Args:
            most_bytes: The most bytes of the piece.

        Raises:
            OSError: The bytes of this piece no longer exist.
            UnavailableError: The other server does not answer.
        """
        until = min(self._end, self._start + most_bytes)
        piece = self._read(self._start, until) if self._start < until else b""
        self._start = until
        return piece

    def __iter__(self) -> Iterator[bytes]:
        return iter(lambda: self.make_piece(PIECE_BYTES), b"")
