"""
The boxes of an MP4 or MOV source, wherever they lie in it.

Source: ISO/IEC 14496-12, section 4.2; Apple's QuickTime File Format. A source may be made
to mislead: each box is checked against the one around it, and few are read.
"""

import struct
from collections.abc import Iterator
from typing import Final, Protocol

import attrs

_HEADER_BYTES: Final = 8
_LARGE_HEADER_BYTES: Final = 16
_MOST_CHILDREN: Final = 1000


class SourceBoxError(Exception):
    """The source is no such file."""


class ReadableSource(Protocol):
    """A source whose bytes are read by range."""

    size_bytes: int

    def read(self, start: int, length: int) -> bytes:
        """Return bytes; fewer at the end of the file."""
        ...


@attrs.frozen(kw_only=True)
class SourceBox:
    """
    One box of a source.

    Attributes:
        kind: Four characters, such as ``moov``.
        start: Of the content, behind the header.
        end: Of the content.
    """

    source: ReadableSource
    kind: str
    start: int
    end: int

    def children(self, skip_bytes: int = 0) -> Iterator["SourceBox"]:
        """
        Yield the boxes inside.

        Args:
            skip_bytes: Fields of this box that come first.

        Raises:
            SourceBoxError: One is longer than what is around it, or there are too many.
        """
        at, count = self.start + skip_bytes, 0
        while at + _HEADER_BYTES <= self.end:
            box = self._box_at(at)
            yield box
            at, count = box.end, count + 1
            if count > _MOST_CHILDREN:
                raise SourceBoxError(f"{self.kind} has too many boxes")

    def find(self, path: str, skip_bytes: int = 0) -> "SourceBox | None":
        """Return the first box at a path such as ``mdia/minf``, if there is one."""
        kind, _, rest = path.partition("/")
        for box in self.children(skip_bytes):
            if box.kind == kind:
                return box.find(rest) if rest else box
        return None

    def child(self, path: str) -> "SourceBox":
        """
        Return the first box at a path.

        Raises:
            SourceBoxError: There is none.
        """
        box = self.find(path)
        if box is None:
            raise SourceBoxError(f"{self.kind} has no {path}")
        return box

    def fields(self, form: str, offset: int = 0) -> tuple[int, ...]:
        """
        Read big-endian integers.

        Args:
            form: As for the module struct, without the byte order.
            offset: Within the content.

        Raises:
            SourceBoxError: The box is too short.
        """
        length = struct.calcsize(">" + form)
        data = self.source.read(self.start + offset, length)
        if self.start + offset + length > self.end or len(data) < length:
            raise SourceBoxError(f"{self.kind} is too short")
        return struct.unpack(">" + form, data)

    def _box_at(self, at: int) -> "SourceBox":
        size, name = struct.unpack(">I4s", self._header(at, _HEADER_BYTES))
        header = _HEADER_BYTES
        if size == 1:
            header = _LARGE_HEADER_BYTES
            (size,) = struct.unpack(">Q", self._header(at, header)[_HEADER_BYTES:])
        elif size == 0:
            size = self.end - at
        if size < header or at + size > self.end:
            raise SourceBoxError(f"box {name!r} has a wrong size")
        kind = name.decode("latin-1")
        return SourceBox(
            source=self.source, kind=kind, start=at + header, end=at + size
        )

    def _header(self, at: int, length: int) -> bytes:
        data = self.source.read(at, length)
        if len(data) < length:
            raise SourceBoxError(f"{self.kind} is cut off")
        return data


def source_box(source: ReadableSource) -> SourceBox:
    """Return a box around a whole file."""
    return SourceBox(source=source, kind="file", start=0, end=source.size_bytes)
