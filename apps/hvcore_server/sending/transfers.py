"""Send one HTTP answer on a connection without waiting for the client."""

import os
from collections.abc import Callable, Iterator
from typing import Final

from hvcore.ports.counting import CountedSegment
from hvcore_server.sending.pacing import Pace
from hvcore_server.sending.socket_writer import SocketWriter

MAX_PER_TURN_BYTES: Final = 4 * 1024 * 1024
"""
The most bytes of one file that are sent before other files have their turn: as much as the
kernel takes at once with its usual settings. With less, every turn had a wait.
"""
PIECES_PER_TURN: Final = 4
"""The pieces of 64 KiB of a generated body that are sent in one turn, which takes 0.1 ms."""
MAX_UNSENT_BYTES: Final = 256 * 1024
"""
The most unsent bytes of a generated body in the kernel, which keeps a copy for each reader:
up to 4 MB with its usual settings.
"""


class Transfer:
    """
    An answer that is being sent: bytes in memory first, then a byte range of a file.

    Args:
        data: The status line and headers, and perhaps a body.
        pace: Makes the minimum pace for the client, once the answer has to wait for the
            client longer than a moment.
        file: The descriptor of a file, closed with this object; None if there is none.
        pieces: Makes the body from ``start`` to before ``end`` piece by piece, instead of a file.
        start: The offset at which the byte range begins.
        end: The offset before which the byte range ends.
        half_at: The offset above which the segment counts as served, as in ``Representation``.
        segment: The segment to count. It is counted before ``half_at`` is passed: once all
            that is left will fit into the kernel, or else when the kernel has taken all
            bytes up to ``half_at``. The count is taken back if the client left before more
            bytes were passed on after all.
        when_broken_off: Called at the end if at most half of the file was sent.
    """

    __slots__ = (
        *("_arrived_bytes", "_counted", "_data", "_end", "_file", "_half_at"),
        *("_looked_at", "_make_pace", "_offset", "_pace", "_pieces", "_uncounted"),
        *("_when_broken_off", "_wire"),
    )

    def __init__(  # noqa: PLR0913 - the parts of an answer
        self,
        wire: SocketWriter,
        data: bytes | memoryview,
        *,
        pace: Callable[[], Pace],
        file: int | None = None,
        pieces: Iterator[bytes] | None = None,
        start: int = 0,
        end: int = 0,
        half_at: int = 0,
        segment: CountedSegment | None = None,
        when_broken_off: Callable[[], None] | None = None,
    ) -> None:
        self._wire = wire
        self._data: bytes | memoryview = data
        self._make_pace = pace
        self._file = file
        self._pieces = pieces
        self._offset = start
        self._end = end
        self._half_at = half_at
        self._uncounted = segment
        self._counted: CountedSegment | None = None
        self._when_broken_off = when_broken_off
        self._pace: Pace | None = None
        self._arrived_bytes = 0
        self._looked_at = 0.0

    @property
    def is_counted(self) -> bool:
        """Whether the answer's segment is counted while at most half of it is sent."""
        return self._counted is not None and self._offset <= self._half_at

    def count_ahead(self) -> CountedSegment | None:
        """
        Return the segment to count, if the kernel can take all of the answer; None otherwise.

        The caller counts the segment, together with others, before it calls ``go_on``.
        """
        segment = self._uncounted
        if segment is None or not self._fits():
            return None
        self._counted, self._uncounted = segment, None
        return segment

    def go_on(self) -> bool:
        """
        Send the bytes that the kernel takes now; return whether all bytes were sent.

        Raises:
            TooShortError: The file ends before its published end.
            OSError: The client is gone.
        """
        try:
            self._send_data()
            if self._pieces is not None and not self._send_pieces(self._pieces):
                return False
            return self._file is None or self._send_file(self._file)
        except BlockingIOError:
            return False

    def is_on_pace(self, now: float) -> bool:
        """
        Return whether the client takes the answer at the minimum pace or faster.

        Args:
            now: The time by the monotonic clock.
        """
        arrived = self._wire.arrived_bytes()
        if self._pace is None:
            # Most never wait long enough that somebody looks.
            self._pace = self._make_pace()
        else:
            self._pace.waited(now - self._looked_at)
            self._pace.moved(arrived - self._arrived_bytes)
        self._looked_at, self._arrived_bytes = now, arrived
        return self._pace.left_s > 0

    def close(self) -> None:
        """
        Close the file.

        If at most half of the file was sent, take the segment's count back and call
        ``when_broken_off``.
        """
        if self._file is not None:
            os.close(self._file)
            self._file = None
        if self._offset <= self._half_at:
            if self._counted is not None:
                self._counted.take_back()
            if self._when_broken_off is not None:
                self._when_broken_off()
        self._counted = self._when_broken_off = None

    def _fits(self) -> bool:
        size_bytes = self._end - self._offset
        return 0 < size_bytes <= MAX_PER_TURN_BYTES and self._wire.takes(
            len(self._data) + size_bytes
        )

    def _send_data(self) -> None:
        has_more = self._file is not None or self._pieces is not None
        is_all = not has_more or self._offset == self._end
        while self._data:
            sent = self._wire.send(self._data, is_all=is_all)
            self._data = self._data[sent:]

    def _send_pieces(self, pieces: Iterator[bytes]) -> bool:
        self._wire.limit_unsent(MAX_UNSENT_BYTES)
        for _ in range(PIECES_PER_TURN):
            piece = next(pieces, None)
            if piece is None:
                self._pieces = None
                self._wire.limit_unsent(0)
                return True
            self._data = memoryview(piece)
            self._offset += len(piece)
            self._send_data()
        return False

    def _send_file(self, file: int) -> bool:
        segment = self._uncounted
        if segment is not None:
            if not self._fits() and not self._send_part(file, self._half_at):
                return False
            segment.count()
            self._counted, self._uncounted = segment, None
        return self._send_part(file, self._end)

    def _send_part(self, file: int, end: int) -> bool:
        if self._offset < end:
            size_bytes = min(end - self._offset, MAX_PER_TURN_BYTES)
            self._offset += self._wire.send_file(file, self._offset, size_bytes)
        return self._offset >= end
