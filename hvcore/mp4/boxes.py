"""
Read the boxes of MP4 and QuickTime files, in memory or by ranges.

Source: ISO/IEC 14496-12, section 4.2; Apple's QuickTime File Format. A file may be made
to mislead: every length is checked against the box around it, and nothing recurses.
"""

import struct
from collections.abc import Iterator
from typing import Final, Protocol

import attrs

from hvcore.mp4.reading_budget import ReadingBudget

MOST_CHILDREN: Final = 4096
"""In one box, where no budget counts them; those of films have some dozens."""
MOST_LOADED_BYTES: Final = 4 * 1024 * 1024
_HEADER_BYTES: Final = 8
_LARGE_HEADER_BYTES: Final = 16


class Mp4Error(Exception):
    """The file is not an MP4 file of the expected form; the text says where and how."""


class ByteRanges(Protocol):
    """A file, such as one in a remote storage, whose bytes are read by ranges."""

    @property
    def size_bytes(self) -> int:
        """Return the size of the whole file."""
        ...

    def read(self, start: int, length: int) -> bytes:
        """Return up to ``length`` bytes of the file from the offset ``start`` on; fewer at the end of the file."""
        ...


@attrs.frozen
class BytesInMemory:
    """
    The bytes of a file in memory, all or only the first ones.

    Attributes:
        size_bytes: The size of the whole file.
    """

    data: memoryview
    size_bytes: int

    def read(self, start: int, length: int) -> bytes:
        """Return up to ``length`` bytes from the offset ``start`` on; fewer where the bytes in memory end."""
        return bytes(self.data[start : start + length])


@attrs.frozen(kw_only=True)
class Mp4Box:
    """
    One box of an MP4 file.

    Attributes:
        kind: The type of the box, four characters such as ``moov``.
        begins: The offset in the file of the box's header.
        start: The offset in the file of the content, behind the header.
        end: The offset in the file behind the content; it is beyond the available data if only
            the beginning of the file is there.
        budget: Limits the number of boxes read inside this one; None sets no limit.
        is_forgiving: Whether a cut-off header ends the list of boxes without an error; for
            data that is only the beginning of a file.
        is_open_ended: Whether a size of 0 means the rest of the file.
    """

    kind: str
    source: ByteRanges = attrs.field(repr=False)
    begins: int
    start: int
    end: int
    budget: ReadingBudget | None = None
    is_forgiving: bool = False
    is_open_ended: bool = False

    def children(self, skip_bytes: int = 0) -> Iterator["Mp4Box"]:
        """
        Yield the boxes directly inside this box.

        Args:
            skip_bytes: The size of the fields of this box before the first inner box.

        Raises:
            Mp4Error: An inner box is cut off or exceeds this box, or there are too many.
        """
        at, count = self.start + skip_bytes, 0
        while at < self.end:
            count += 1
            is_over = self.budget is not None and not self.budget.take()
            if is_over or (self.budget is None and count > MOST_CHILDREN):
                raise Mp4Error(f"{self.kind} has too many boxes")
            box = self._box_at(at)
            if box is None:
                return
            yield box
            at = box.end

    def all(self, kind: str) -> list["Mp4Box"]:
        """Return the boxes of a type directly inside this box."""
        return [box for box in self.children() if box.kind == kind]

    def find(self, path: str, skip_bytes: int = 0) -> "Mp4Box | None":
        """
        Return the first inner box at a path such as ``mdia/minf``; None if there is none.

        Args:
            path: The types of nested boxes, with slashes between them.
            skip_bytes: The length of this box's own fields, which stand before the
                boxes directly inside it.
        """
        found: Mp4Box | None = self
        for kind in path.split("/"):
            inside = found.children(skip_bytes) if found else ()
            found = next((box for box in inside if box.kind == kind), None)
            skip_bytes = 0
        return found

    def child(self, path: str, skip_bytes: int = 0) -> "Mp4Box":
        """
        Return the first inner box at a path such as ``mdia/minf``.

        Args:
            path: The types of nested boxes, with slashes between them.
            skip_bytes: The length of this box's own fields, which stand before the
                boxes directly inside it.

        Raises:
            Mp4Error: There is no box at the path.
        """
        found = self.find(path, skip_bytes)
        if found is None:
            raise Mp4Error(f"{self.kind} has no {path}")
        return found

    def content(self, start: int = 0, length: int | None = None) -> bytes:
        """
        Return ``length`` bytes of the box's content from an offset on, or all of them; fewer where the content ends.

        Args:
            start: The offset within the content.
        """
        begin = self.start + start
        room = max(0, self.end - begin)
        return self.source.read(begin, room if length is None else min(length, room))

    def fields(self, form: str, offset: int = 0) -> tuple[int, ...]:
        """
        Return big-endian integers from the box's content.

        Args:
            form: The format as for the module struct, without the byte order.
            offset: The offset within the content.

        Raises:
            Mp4Error: The box is too short.
        """
        length = struct.calcsize(f">{form}")
        data = self.content(offset, length)
        if len(data) < length:
            raise Mp4Error(f"{self.kind} is too short")
        return struct.unpack(f">{form}", data)

    def loaded(self) -> "Mp4Box":
        """
        Return the box with its content read into memory, so that many reads of the content are quick.

        Raises:
            Mp4Error: The box is larger than this function accepts, or cut off.
        """
        size = self.end - self.start
        if size > MOST_LOADED_BYTES:
            raise Mp4Error(f"{self.kind} has {size} bytes")
        data = self.content()
        if len(data) < size:
            raise Mp4Error(f"{self.kind} is cut off")
        source = BytesInMemory(memoryview(data), size)
        return attrs.evolve(self, source=source, begins=0, start=0, end=size)

    def _box_at(self, at: int) -> "Mp4Box | None":
        head = self.source.read(at, min(_LARGE_HEADER_BYTES, self.end - at))
        if len(head) < _HEADER_BYTES:
            self._check_rest()
            return None
        size, name = struct.unpack_from(">I4s", head)
        header = _HEADER_BYTES
        if size == 1:
            header = _LARGE_HEADER_BYTES
            if len(head) < header:
                self._check_rest()
                return None
            (size,) = struct.unpack_from(">Q", head, _HEADER_BYTES)
        elif size == 0 and self.is_open_ended:
            size = self.end - at
        if size < header or at + size > self.end:
            raise Mp4Error(f"box {name!r} has a wrong size")
        return attrs.evolve(
            self,
            kind=name.decode("latin-1"),
            begins=at,
            start=at + header,
            end=at + size,
        )

    def _check_rest(self) -> None:
        if not self.is_forgiving:
            raise Mp4Error(f"a box in {self.kind} is cut off")


def box_of(
    data: bytes,
    *,
    kind: str = "file",
    size_bytes: int | None = None,
    budget: ReadingBudget | None = None,
    is_forgiving: bool = False,
) -> Mp4Box:
    """
    Return a box around a file in memory, or around the content of a box.

    Args:
        data: The bytes of the file or content, or their beginning.
        kind: The type of the box whose content this is; ``file`` for a whole file.
        size_bytes: The size of the whole file or content; by default the size of the data.
        budget: Limits what is read; None for no limit.
        is_forgiving: Whether a box that is cut off ends the list of boxes, and is no error.
    """
    size = len(data) if size_bytes is None else size_bytes
    return Mp4Box(
        kind=kind,
        source=BytesInMemory(memoryview(data), size),
        begins=0,
        start=0,
        end=size,
        budget=budget,
        is_forgiving=is_forgiving,
    )


def box_around(
    source: ByteRanges,
    *,
    budget: ReadingBudget | None = None,
    is_forgiving: bool = False,
) -> Mp4Box:
    """
    Return a box around a whole file that is read by ranges.

    Args:
        budget: Limits what is read; None for no limit.
        is_forgiving: Whether a box that is cut off ends the list of boxes, and is no error.
    """
    return Mp4Box(
        kind="file",
        source=source,
        begins=0,
        start=0,
        end=source.size_bytes,
        budget=budget,
        is_forgiving=is_forgiving,
        is_open_ended=True,
    )
