"""
Read the elements of Matroska and WebM.

The files are strangers', so every length is checked.

Source: RFC 8794, sections 4 to 6; RFC 9559, section 5.
"""

import os
from collections.abc import Iterator
from typing import BinaryIO, Final

from hvcore.plugin_api import ReadingBudget

SEGMENT: Final = 0x18538067
_TRACKS: Final = 0x1654AE6B
_CLUSTER: Final = 0x1F43B675
_MAX_TRACKS_BYTES: Final = 16 * 1024**2
_MAX_ELEMENTS: Final = 1000
_MOST_HEADER_BYTES: Final = 12
_MOST_BYTES_OF_NUMBER: Final = 8


def read_tracks(file: BinaryIO) -> bytes:
    """Return the content of the first Tracks element; b"" if clusters come before it."""
    for kind, size in _walked(file, into=SEGMENT):
        if kind == _TRACKS:
            return file.read(min(size or _MAX_TRACKS_BYTES, _MAX_TRACKS_BYTES))
        if kind == _CLUSTER:
            break
    return b""


def count_segments(file: BinaryIO) -> int:
    """Return the number of segments in a file, up to the first one of unknown size."""
    return sum(kind == SEGMENT for kind, _ in _walked(file, into=None))


def _walked(file: BinaryIO, *, into: int | None) -> Iterator[tuple[int, int | None]]:
    """
    Yield the kind and the size of each element of a file.

    While an element is yielded, the file's position is at the element's content.

    Args:
        into: The kind of elements that are entered, so that their own elements come next.
    """
    end = file.seek(0, os.SEEK_END)
    file.seek(0)
    for _ in range(_MAX_ELEMENTS):
        head = file.read(_MOST_HEADER_BYTES)
        try:
            kind, id_bytes = _identity(head, 0)
            size, size_bytes = _size(head, id_bytes)
        except ValueError:
            return
        at = file.seek(id_bytes + size_bytes - len(head), os.SEEK_CUR)
        yield kind, size
        if kind != into:
            # A damaged size may be one that no file can have.
            if size is None or at + size > end:
                return
            file.seek(at + size)


def elements(data: bytes, budget: ReadingBudget) -> Iterator[tuple[int, bytes]]:
    """
    Yield the kind and the content of each element within another element.

    Raises:
        ValueError: The elements are damaged, or too many.
    """
    at = 0
    while at < len(data):
        if not budget.take():
            raise ValueError("too many elements of EBML")
        kind, id_bytes = _identity(data, at)
        size, size_bytes = _size(data, at + id_bytes)
        at += id_bytes + size_bytes
        end = len(data) if size is None else at + size
        yield kind, data[at:end]
        at = end


def _identity(data: bytes, at: int) -> tuple[int, int]:
    length = _length(data, at, most=4)
    return int.from_bytes(data[at : at + length], "big"), length


def _size(data: bytes, at: int) -> tuple[int | None, int]:
    length = _length(data, at, most=8)
    value = int.from_bytes(data[at : at + length], "big")
    ones = (1 << 7 * length) - 1
    value &= ones
    return (None if value == ones else value), length


def _length(data: bytes, at: int, *, most: int) -> int:
    length = 9 - data[at].bit_length() if at < len(data) else 9
    if length > most or at + length > len(data):
        raise ValueError("no element of EBML")
    return length


def number(content: bytes | None) -> int:
    """
    Return the unsigned number in an element's content; 0 if there is no content.

    Source: RFC 8794, section 7.2.

    Raises:
        ValueError: The number has more than 8 bytes. Calculations with a number of
            megabytes would take hours.
    """
    data = content or b""
    if len(data) > _MOST_BYTES_OF_NUMBER:
        raise ValueError("no number of EBML")
    return int.from_bytes(data, "big")
