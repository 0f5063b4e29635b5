"""
Keep the unsent rest of an answer, which a thread leaves to the main thread.

Otherwise a slow reader would hold the thread. The bytes of an answer are in memory already.
Only so many of them may be kept that memory does not run out; beyond that, threads wait,
of which each client has its share.
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
    """An open file whose rest the main thread sends."""

    @property
    def descriptor(self) -> int:
        """The file's descriptor; the sender closes it."""
        ...

    @property
    def half_at(self) -> int:
        """The offset in bytes up to which at most half of the file is passed on."""
        ...

    @property
    def segment(self) -> CountedSegment | None:
        """The segment to count before more than half of the bytes is passed on."""
        ...

    @property
    def when_broken_off(self) -> Callable[[], None] | None:
        """The function to call if the answer ends before more than half of the file is sent; None if nothing is counted."""
        ...


def make_room() -> SharedCapacity:
    """Return the memory that a process has for unsent bytes, with a limit for each client."""
    return SharedCapacity(
        name="unsent_bytes",
        capacity=MAX_UNSENT_BYTES,
        most_of_one=MAX_UNSENT_OF_ONE_BYTES,
        things="bytes that wait",
    )


@attrs.define
class UnsentAnswer:
    """
    The unsent rest of one answer: bytes, and perhaps a part of a file behind them.

    Attributes:
        client: The client that gets the answer.
        room: The memory for unsent bytes of all clients.
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
        """Keep a part of a file to be sent later, as the last part of the answer."""
        self.file, self.start, self.end = file, start, end

    def take_bytes(self) -> bytes | memoryview:
        """Remove and return all kept bytes."""
        parts, self._parts = self._parts, []
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def free(self) -> None:
        """Give back the memory that was reserved for the kept bytes."""
        self.room.release(self.client, self._size_bytes)
        self._size_bytes = 0
