"""
Read the boxes of the MP4 files that were made.

Source: ISO/IEC 14496-12, section 4.2. The files come from our own encoder,
which has worked on hostile data: every length is checked against its parent.
"""

import struct
from collections.abc import Iterator
from typing import Final

import attrs

from hvcore_transcoder_ffmpeg.reading_budget import ReadingBudget

_HEADER_BYTES: Final = 8
_LARGE_HEADER_BYTES: Final = 16


class Mp4Error(Exception):
    """The file is not the MP4 that was expected."""


@attrs.frozen
class Mp4Box:
    """
    One box within a file.

    Attributes:
        kind: Four characters, such as ``moov``.
        data: The whole file.
        start: Of the content, behind the header.
        end: Of the content.
        budget: How many boxes inside are read; None for all.
    """

    kind: str
    data: memoryview
    start: int
    end: int
    budget: ReadingBudget | None = None

    def children(self, skip_bytes: int = 0) -> Iterator["Mp4Box"]:
        """
        Yield the boxes inside.

        Args:
            skip_bytes: Fields of this box that come first.
        """
        return _boxes(self, self.start + skip_bytes)

    def child(self, path: str, skip_bytes: int = 0) -> "Mp4Box":
        """
        Return the first box at a path such as ``mdia/minf``.

        Raises:
            Mp4Error: There is none.
        """
        kind, _, rest = path.partition("/")
        for box in self.children(skip_bytes):
            if box.kind == kind:
                return box.child(rest) if rest else box
        raise Mp4Error(f"{self.kind} has no {kind}")

    def find(self, kind: str, skip_bytes: int = 0) -> "Mp4Box | None":
        """Return the first box of a kind inside, if there is one."""
        return next((b for b in self.children(skip_bytes) if b.kind == kind), None)

    def content(self) -> bytes:
        return bytes(self.data[self.start : self.end])

    def fields(self, form: str, offset: int = 0) -> tuple[int, ...]:
        """
        Read big-endian integers.

        Args:
            form: As for the module struct, without the byte order.
            offset: Within the content.

        Raises:
            Mp4Error: The box is too short.
        """
        if self.start + offset + struct.calcsize(">" + form) > self.end:
            raise Mp4Error(f"{self.kind} is too short")
        return struct.unpack_from(">" + form, self.data, self.start + offset)


def root(data: bytes) -> Mp4Box:
    """Return a box around a whole file."""
    return Mp4Box("file", memoryview(data), 0, len(data))


def _boxes(within: Mp4Box, start: int) -> Iterator[Mp4Box]:
    at, data, end, budget = start, within.data, within.end, within.budget
    while at < end:
        if budget is not None and not budget.take():
            raise Mp4Error("there are too many boxes")
        if at + _HEADER_BYTES > end:
            raise Mp4Error("a box is cut off")
        size, kind = struct.unpack_from(">I4s", data, at)
        header = _HEADER_BYTES
        if size == 1 and at + _LARGE_HEADER_BYTES <= end:
            (size,) = struct.unpack_from(">Q", data, at + _HEADER_BYTES)
            header = _LARGE_HEADER_BYTES
        if size < header or at + size > end:
            raise Mp4Error(f"box {kind!r} has a wrong size")
        yield Mp4Box(kind.decode("latin-1"), data, at + header, at + size, budget)
        at += size
