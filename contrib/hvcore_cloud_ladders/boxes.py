"""
Read the boxes of MP4 files of which only the beginning is there.

Source: ISO/IEC 14496-12, section 4.2.
"""

import struct
from collections.abc import Iterator
from typing import Final

import attrs

_HEADER_BYTES: Final = 8
_LARGE_HEADER_BYTES: Final = 16


class MadeBoxError(Exception):
    """The file is not the MP4 that was expected."""


@attrs.frozen
class MadeBox:
    """
    One box.

    Attributes:
        kind: Four characters, such as ``moov``.
        data: What is there of the file.
        start: Of the content, behind the header.
        end: Of the content; behind the end of the data if that is cut off.
    """

    kind: str
    data: bytes
    start: int
    end: int

    def children(self, skip_bytes: int = 0) -> Iterator["MadeBox"]:
        """
        Yield the boxes inside, as far as they begin within the data.

        Raises:
            MadeBoxError: One is longer than what is around it.
        """
        at = self.start + skip_bytes
        while at < min(self.end, len(self.data)):
            box = _box_at(self.data, at)
            if box is None:
                return
            if box.end > self.end:
                raise MadeBoxError(f"{box.kind} is longer than {self.kind}")
            yield box
            at = box.end

    def child(self, path: str, skip_bytes: int = 0) -> "MadeBox":
        """
        Return the first box at a path such as ``mdia/minf``.

        Raises:
            MadeBoxError: There is none.
        """
        kind, _, rest = path.partition("/")
        for box in self.children(skip_bytes):
            if box.kind == kind:
                return box.child(rest) if rest else box
        raise MadeBoxError(f"{self.kind} has no {kind}")

    def fields(self, form: str, offset: int = 0) -> tuple[int, ...]:
        """
        Read big-endian integers.

        Args:
            form: As for the module struct, without the byte order.
            offset: Within the content.

        Raises:
            MadeBoxError: The box is too short.
        """
        at = self.start + offset
        if at + struct.calcsize(">" + form) > min(self.end, len(self.data)):
            raise MadeBoxError(f"{self.kind} is too short")
        return struct.unpack_from(">" + form, self.data, at)


def file_box(data: bytes, size_bytes: int) -> MadeBox:
    """
    Return a box around a file.

    Args:
        size_bytes: Of the whole file.
    """
    return MadeBox("file", data, 0, size_bytes)


def _box_at(data: bytes, at: int) -> MadeBox | None:
    """Return the box that begins at a place; None if its header is cut off."""
    if at + _HEADER_BYTES > len(data):
        return None
    size, kind = struct.unpack_from(">I4s", data, at)
    header = _HEADER_BYTES
    if size == 1:
        header = _LARGE_HEADER_BYTES
        if at + header > len(data):
            return None
        (size,) = struct.unpack_from(">Q", data, at + _HEADER_BYTES)
    if size < header:
        raise MadeBoxError(f"box {kind!r} has a wrong size")
    return MadeBox(kind.decode("latin-1"), data, at + header, at + size)
