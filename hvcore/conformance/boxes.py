"""
Find boxes in MP4 files that may be damaged or made to do harm.

Source: ISO/IEC 14496-12, section 4.2. Nothing here recurses: who looks for a box
names its path, so that no depth of nesting costs anything.

Makers of files read boxes with :mod:`hvcore.mp4`. The check shares no code with them: a
fault of one reader must show in the other.
"""

import struct
from collections.abc import Iterator
from typing import Final

import attrs

from hvcore.conformance.source import Extent

MOST_BOXES: Final = 4096
"""In one container; files of fragments have some dozens."""
MOST_METADATA_BYTES: Final = 4 * 1024 * 1024
_SHORT: Final = 8
_LONG: Final = 16


class BoxError(Exception):
    """Boxes are not as the standard has them; the text says which and how."""


@attrs.frozen
class Box:
    """
    One box.

    Attributes:
        kind: Four characters.
        body: What stands behind the header.
    """

    kind: str
    body: bytes = attrs.field(repr=False)

    def all(self, kind: str, *, skip: int = 0) -> list["Box"]:
        """
        Return the boxes of a kind directly inside.

        Args:
            skip: Bytes of own fields that come first.

        Raises:
            BoxError: What is inside is malformed.
        """
        return [box for box in inside(self, skip=skip) if box.kind == kind]

    def first(self, *path: str) -> "Box | None":
        """Return the first box at a path, if there is one."""
        found: Box | None = self
        for kind in path:
            found = next(iter(found.all(kind)), None) if found else None
        return found

    def need(self, *path: str) -> "Box":
        """
        Return the first box at a path.

        Raises:
            BoxError: There is none.
        """
        found = self.first(*path)
        if found is None:
            raise BoxError(f"{self.kind} has no {'/'.join(path)}")
        return found

    def numbers(self, form: str, at: int = 0) -> tuple[int, ...]:
        """
        Read big-endian integers.

        Args:
            form: As the module struct has it, without the byte order.

        Raises:
            BoxError: The box is too short.
        """
        try:
            return struct.unpack_from(f">{form}", self.body, at)
        except struct.error as exc:
            raise BoxError(f"{self.kind} ends early") from exc

    def number(self, form: str, at: int = 0) -> int:
        """Read one big-endian integer."""
        return self.numbers(form, at)[0]


def inside(parent: Box, *, skip: int = 0) -> list[Box]:
    """
    Return the boxes directly inside a box.

    Raises:
        BoxError: One is malformed.
    """
    found: list[Box] = []
    data, at = parent.body, skip
    while at < len(data):
        kind, header, size = _header(data[at : at + _LONG], len(data) - at)
        found.append(Box(kind, data[at + header : at + size]))
        at += size
        if len(found) > MOST_BOXES:
            raise BoxError(f"{parent.kind} has more than {MOST_BOXES} boxes")
    return found


@attrs.frozen
class BoxLocation:
    """The position of a box in a file, of which only the header was read."""

    kind: str
    start: int
    body: int
    end: int

    def load(self, file: Extent) -> Box:
        """
        Read the box.

        Raises:
            BoxError: It is larger than any that is reasonable.
        """
        if self.end - self.body > MOST_METADATA_BYTES:
            raise BoxError(f"{self.kind} has {self.end - self.body} bytes")
        data = file.read(self.body, self.end - self.body)
        if len(data) < self.end - self.body:
            raise BoxError(f"{self.kind} is cut off")
        return Box(self.kind, data)


def box_locations(file: Extent, *, may_be_cut: bool = False) -> Iterator[BoxLocation]:
    """
    Yield the boxes of a file, without reading what is in them.

    Args:
        may_be_cut: The last box may go on behind the end of the file.

    Raises:
        BoxError: One is malformed or goes on behind the end of the file.
    """
    at = count = 0
    while at < file.size_bytes:
        head = file.read(at, _LONG)
        room = file.size_bytes - at
        kind, header, size = _header(head, room, may_be_cut=may_be_cut)
        yield BoxLocation(kind, at, at + header, at + size)
        at += size
        count += 1
        if count > MOST_BOXES:
            raise BoxError(f"there are more than {MOST_BOXES} boxes")


def _header(
    head: bytes, room: int, *, may_be_cut: bool = False
) -> tuple[str, int, int]:
    if len(head) < _SHORT:
        raise BoxError(f"{len(head)} bytes at the end are no box")
    size, raw = struct.unpack_from(">I4s", head)
    kind, header = raw.decode("latin-1"), _SHORT
    kind = "".join(c if c.isascii() and c.isprintable() else "?" for c in kind)
    if size == 1 and len(head) >= _LONG:
        (size,) = struct.unpack_from(">Q", head, _SHORT)
        header = _LONG
    elif size == 0:
        # It goes on to the end of its container.
        size = room
    if size < header:
        raise BoxError(f"box {kind} says that it has {size} bytes")
    if size > room and not may_be_cut:
        raise BoxError(
            f"box {kind} says that it has {size} bytes, of which {room} are there"
        )
    return kind, header, size
