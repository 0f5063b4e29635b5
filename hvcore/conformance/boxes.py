"""
Find the boxes of MP4 files, which may be damaged or made to do harm.

Source: ISO/IEC 14496-12, section 4.2. Nothing here recurses: callers name the path of a
box, so deeply nested boxes cost nothing.

The code that makes files reads boxes with :mod:`hvcore.mp4`. The conformance check shares no code
with that module, so that a fault of one reader shows in the other.
"""

import struct
from collections.abc import Iterator
from typing import Final

import attrs

from hvcore.conformance.source import Extent

MOST_BOXES: Final = 4096
"""The most boxes that one container may have; files of fragments have some dozens."""
MOST_METADATA_BYTES: Final = 4 * 1024 * 1024
_SHORT: Final = 8
_LONG: Final = 16


class BoxError(Exception):
    """A box of an MP4 file is missing or malformed; the text says which box and how."""


@attrs.frozen
class Box:
    """
    A box of an MP4 file, with its content.

    Attributes:
        kind: The four-character type, such as ``moov``.
        body: The bytes behind the header of the box.
    """

    kind: str
    body: bytes = attrs.field(repr=False)

    def all(self, kind: str, *, skip: int = 0) -> list["Box"]:
        """
        Return the boxes of a type directly inside the box.

        Args:
            skip: The size in bytes of the fields of the box in front of its first inner
                box.

        Raises:
            BoxError: An inner box is malformed.
        """
        return [box for box in inside(self, skip=skip) if box.kind == kind]

    def first(self, *path: str) -> "Box | None":
        """Return the first inner box at a path of box types, or None if there is none."""
        found: Box | None = self
        for kind in path:
            found = next(iter(found.all(kind)), None) if found else None
        return found

    def need(self, *path: str) -> "Box":
        """
        Return the first inner box at a path of box types, and require that there is one.

        Raises:
            BoxError: No box is at the path.
        """
        found = self.first(*path)
        if found is None:
            raise BoxError(f"{self.kind} has no {'/'.join(path)}")
        return found

    def numbers(self, form: str, at: int = 0) -> tuple[int, ...]:
        """
        Read and return big-endian integers of the box from an offset on.

        Args:
            form: The format of the integers for the module struct, without the byte
                order.

        Raises:
            BoxError: The box is too short.
        """
        try:
            return struct.unpack_from(f">{form}", self.body, at)
        except struct.error as exc:
            raise BoxError(f"{self.kind} ends early") from exc

    def number(self, form: str, at: int = 0) -> int:
        """
        Read and return one big-endian integer of the box at an offset; ``form`` is its struct format.

        Raises:
            BoxError: The box is too short.
        """
        return self.numbers(form, at)[0]


def inside(parent: Box, *, skip: int = 0) -> list[Box]:
    """
    Return the boxes directly inside a box.

    Args:
        skip: The size in bytes of the fields of the box in front of its first inner box.

    Raises:
        BoxError: An inner box is malformed.
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
    """The type and position of a box in a file whose content was not read yet."""

    kind: str
    start: int
    body: int
    end: int

    def load(self, file: Extent) -> Box:
        """
        Read the content of the box from its file.

        Raises:
            BoxError: The box is larger than the check accepts, or cut off.
        """
        if self.end - self.body > MOST_METADATA_BYTES:
            raise BoxError(f"{self.kind} has {self.end - self.body} bytes")
        data = file.read(self.body, self.end - self.body)
        if len(data) < self.end - self.body:
            raise BoxError(f"{self.kind} is cut off")
        return Box(self.kind, data)


def box_locations(file: Extent, *, may_be_cut: bool = False) -> Iterator[BoxLocation]:
    """
    Yield type and position of each top-level box of a file, without reading the contents.

    Args:
        may_be_cut: The last box may go on behind the end of the file.

    Raises:
        BoxError: A box is malformed or goes on behind the end of the file.
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
