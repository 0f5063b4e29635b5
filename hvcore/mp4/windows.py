"""Read a remote file by windows, so that many short reads cost few requests."""

from collections.abc import Callable
from typing import Final

WINDOW_BYTES: Final = 16 * 1024
"""Room for the boxes of a fragment of 6 s."""


class FileInWindows:
    """
    A remote file of which a window is kept in memory.

    Attributes:
        size_bytes: The size of the whole file.
    """

    def __init__(
        self, read_range: Callable[[int, int], bytes], size_bytes: int
    ) -> None:
        """
        Wrap a function that reads ranges of the file.

        Args:
            read_range: Returns the bytes from one offset to before another.
        """
        self._read_range, self.size_bytes = read_range, size_bytes
        self._at, self._data = 0, b""

    def read(self, start: int, length: int) -> bytes:
        """Return up to ``length`` bytes from the offset ``start`` on; fewer at the end of the file."""
        length = min(length, self.size_bytes - start)
        if length <= 0:
            return b""
        if not (self._at <= start and start + length <= self._at + len(self._data)):
            end = min(start + max(length, WINDOW_BYTES), self.size_bytes)
            self._at, self._data = start, self._read_range(start, end)
        begin = start - self._at
        return self._data[begin : begin + length]
