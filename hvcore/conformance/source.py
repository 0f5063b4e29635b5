"""The interface through which the conformance check reads the files of a video, from a storage, folder or web server."""

from typing import Final, Protocol

import attrs

WINDOW_BYTES: Final = 16 * 1024
"""
The number of bytes that are read at a time.

The boxes of a fragment of 6 s and the head of its first picture fit in. The films of
a day have tens of thousands of fragments.
"""


class UnreadableError(Exception):
    """A file is missing or may not be read; the text is a sentence for a person."""


@attrs.frozen(kw_only=True)
class Piece:
    """
    Some bytes of a file, with the size of the whole file.

    Attributes:
        data: The bytes that were asked for; fewer where the file ends.
        size_bytes: The size of the whole file.
    """

    data: bytes
    size_bytes: int


class Source(Protocol):
    """Reads the files of one video for the check."""

    def read(self, name: str, start: int, length: int) -> Piece:
        """
        Read up to ``length`` bytes of a file from the offset ``start`` on.

        Args:
            name: The file's name as playlists have it, relative to the multivariant
                playlist, with its query. Do not trust it: it may be absolute or lead
                out of the video's folder.

        Raises:
            UnreadableError: There is no such file, or it may not be read.
        """
        ...


class Extent:
    """
    A file, or a byte range of a file, of which only a window is kept in memory.

    Attributes:
        size_bytes: The size of the file or of the range.
    """

    def __init__(
        self, source: Source, name: str, start: int = 0, length: int | None = None
    ) -> None:
        """
        Open a file or a byte range of it, and read the first window.

        Raises:
            UnreadableError: There is no such file, or it ends before the range.
        """
        self._source, self._name, self._start = source, name, start
        wanted = WINDOW_BYTES if length is None else min(length, WINDOW_BYTES)
        first = source.read(name, start, wanted)
        rest = max(0, first.size_bytes - start)
        if length is not None and length > rest:
            raise UnreadableError("The file ends before this byte range.")
        self.size_bytes = rest if length is None else length
        self.read_bytes = len(first.data)
        self._at, self._data = 0, first.data[:wanted]

    def read(self, at: int, length: int) -> bytes:
        """
        Return up to ``length`` bytes of the extent from an offset on; fewer where it ends.

        Raises:
            UnreadableError: The file is gone or may not be read.
        """
        length = min(length, self.size_bytes - at)
        if length <= 0:
            return b""
        if not (self._at <= at and at + length <= self._at + len(self._data)):
            wanted = min(max(length, WINDOW_BYTES), self.size_bytes - at)
            piece = self._source.read(self._name, self._start + at, wanted)
            self._at, self._data = at, piece.data[:wanted]
            self.read_bytes += len(piece.data)
        return self._data[at - self._at : at - self._at + length]
