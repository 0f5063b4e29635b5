"""Read a range of an open file as if it were a whole file."""

import io
from typing import Any, BinaryIO


class FileRange(io.RawIOBase):
    """A file object with the bytes of an open file from its present position up to an end."""

    def __init__(self, file: BinaryIO, size_bytes: int) -> None:
        super().__init__()
        self._file = file
        self._left = size_bytes

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 - "any buffer" has no name before Python 3.12
        """Read bytes into a buffer until it is full or the range ends; return the number of bytes read."""
        data = self._file.read(min(len(buffer), self._left))
        buffer[: len(data)] = data
        self._left -= len(data)
        return len(data)

    def close(self) -> None:
        """Close the range and the open file."""
        self._file.close()
        super().close()
