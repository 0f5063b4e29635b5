"""
The unsent rest of an answer, which a thread leaves to the main thread.

Otherwise a slow reader would hold the thread. The bytes of an answer are in memory already.
The memory for such bytes is limited; beyond the limit, threads wait for their clients, and
each client has its share of threads.
"""

from collections.abc import Callable
from typing import Final, Protocol

import attrs

from hvcore.errors import UnavailableError
from hvcore.ports.counting import CountedSegment
from hvcore.throttling.shares import SharedCapacity
from hvcore_server.sending.piece_threads import MadeInPieces

MAX_UNSENT_BYTES: Final = 128 * 1024 * 1024
MAX_UNSENT_OF_ONE_BYTES: Final = 32 * 1024 * 1024
"""The most unsent bytes of one answer: more than the longest playlist has, that of a film with
a token in each line."""


class HandedOver(Protocol):
    """An open file that the main thread sends in place of the thread that answered the request."""

    @property
    def descriptor(self) -> int:
        """The file's descriptor; the sender closes it."""
        ...

    @property
    def half_at(self) -> int:
        """The offset in bytes up to which at most half of the file is sent."""
        ...

    @property
    def segment(self) -> CountedSegment | None:
        """The segment to count before more than half of the file is sent; None if nothing is counted."""
        ...

    @property
    def when_broken_off(self) -> Callable[[], None] | None:
        """
        The function to call if the answer ends before more than half of the file is sent.

        None if nothing is counted.
        """
        ...


def make_room() -> SharedCapacity:
    """Return the capacity that a process has for unsent bytes in memory, with a limit per client."""
    return SharedCapacity(
        name="unsent_bytes",
        capacity=MAX_UNSENT_BYTES,
        most_of_one=MAX_UNSENT_OF_ONE_BYTES,
        things="bytes that wait",
    )


@attrs.define
class UnsentAnswer:
    """
    The unsent rest of one answer: bytes, and perhaps a byte range of a file behind them.

    Attributes:
        client: The client that gets the answer.
        room: The memory for unsent bytes of all clients.
        file: The file; None if the rest has bytes only.
        start: The offset at which the byte range of the file begins.
        end: The offset before which the byte range ends.
        further: The part of the body that is not made yet; only a small piece stands
            before it.
    """

    client: str
    room: SharedCapacity
    file: HandedOver | None = attrs.field(default=None, init=False)
    start: int = attrs.field(default=0, init=False)
    end: int = attrs.field(default=0, init=False)
    further: MadeInPieces | None = attrs.field(default=None, init=False)
    _parts: list[memoryview] = attrs.field(factory=list, init=False)
    _size_bytes: int = attrs.field(default=0, init=False)

    @property
    def is_any(self) -> bool:
        """Whether there is something left to send."""
        return bool(self._parts or self.file or self.further)

    def keep(self, data: memoryview) -> bool:
        """Keep bytes to be sent later; return False, and do not keep them, if there is no memory."""
        if self.further is None:
            try:
                self.room.acquire(self.client, len(data))
            except UnavailableError:
                return False
            self._size_bytes += len(data)
        self._parts.append(data)
        return True

    def keep_file(self, file: HandedOver, start: int, end: int) -> None:
        """
        Keep a byte range of a file to be sent later, as the last part of the answer.

        Args:
            start: The offset of the first byte.
            end: The offset behind the last byte.
        """
        self.file, self.start, self.end = file, start, end

    def take_bytes(self) -> bytes | memoryview:
        """Remove and return all bytes kept for later sending."""
        parts, self._parts = self._parts, []
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def free(self) -> None:
        """Give back the memory that was reserved for the answer's kept bytes."""
        self.room.release(self.client, self._size_bytes)
        self._size_bytes = 0
