"""
Read a part of something as if it were all.
"""

import io
import re
from typing import Any, BinaryIO, Final

from hvcore.plugin_api import UnavailableError

_RANGE: Final = re.compile(r"bytes ([0-9]+)-([0-9]+)/([0-9]+|\*)")


class PartOfFile(io.RawIOBase):
    """
    The bytes of an open file from its position up to an end.
    """

    def __init__(self, file: BinaryIO, size_bytes: int) -> None:
        super().__init__()
        self._file = file
        self._left = size_bytes

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 - "any buffer" has no name before Python 3.12
        """
        Read what fits, up to the end.
        """
        data = self._file.read(min(len(buffer), self._left))
        buffer[: len(data)] = data
        self._left -= len(data)
        return len(data)

    def close(self) -> None:
        """
        Close the file, too.
        """
        self._file.close()
        super().close()


def ranged_size(told: str | None, start: int, end: int) -> int:
    """
    Return how many bytes an answer has that gives the bytes ``[start, end)``.

    Args:
        told: Its Content-Range; without one, it gives all bytes of something else.

    Raises:
        UnavailableError: It gives others, or ends before both the range and the object.
    """
    found = _RANGE.fullmatch(told or "")
    first, last = (int(found[1]), int(found[2])) if found else (-1, -1)
    if found is None or first != start or last >= end:
        raise UnavailableError("The storage gives other bytes than were asked for.")
    if last != end - 1 and found[3] != str(last + 1):
        raise UnavailableError("The storage gives less than was asked for.")
    return last - first + 1
