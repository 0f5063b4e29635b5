"""Read files piece by piece for uploads."""

import asyncio
import io
import os
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final, TypeAlias

import attrs

PIECE_BYTES: Final = 256 * 1024
CONTENT_TYPES: Final = {
    ".mp4": "video/mp4",
    ".m4v": "video/mp4",
    ".mov": "video/quicktime",
    ".avi": "video/x-msvideo",
    ".webm": "video/webm",
    ".mkv": "video/x-matroska",
}
"""The content types of videos that the service accepts, by endings of file names."""

UNNAMED: Final = "video.mp4"
"""The name of a file of which no other name is known."""

FileToSend: TypeAlias = str | os.PathLike[str] | BinaryIO
"""A file to upload: its path, or a file object that is open for reading bytes and can seek."""


@attrs.frozen(kw_only=True)
class SourceFile:
    """A file to upload: its path or file object, its size and its name."""

    file: FileToSend = attrs.field(repr=False)
    name: str
    size_bytes: int

    @classmethod
    def of(cls, file: FileToSend) -> "SourceFile":
        """
        Return the name and the size of a file to upload.

        Raises:
            OSError: The file cannot be read.
            ValueError: The file cannot seek.
        """
        if isinstance(file, str | os.PathLike):
            path = Path(file)
            name = _readable(path.name)
            return cls(file=path, name=name, size_bytes=path.stat().st_size)
        if not file.seekable():
            raise ValueError(
                "The file cannot seek, so a broken upload could not go on; write it "
                "to a disk first."
            )
        size_bytes = file.seek(0, io.SEEK_END)
        # Of a temporary file it is a number.
        name = getattr(file, "name", "")
        name = _readable(Path(name).name) if isinstance(name, str) else ""
        return cls(file=file, name=name or UNNAMED, size_bytes=size_bytes)


@attrs.frozen(kw_only=True)
class FilePart:
    """
    The bytes of a file to upload, from an offset to the end.

    Attributes:
        at: Called after each piece was sent, with the offset of its end in the file.
    """

    source: SourceFile
    offset: int
    at: Callable[[int], None] = attrs.field(repr=False)

    @property
    def size_bytes(self) -> int:
        """The number of bytes from the offset to the end of the file."""
        return self.source.size_bytes - self.offset

    def pieces(self) -> Iterator[bytes]:
        """Yield the bytes of the file from the offset on, piece by piece."""
        offset = self.offset
        for piece in self._read():
            yield piece
            offset += len(piece)
            self.at(offset)

    async def async_pieces(self) -> AsyncIterator[bytes]:
        """Yield the bytes of the file piece by piece, read in threads so that the event loop runs on."""
        offset, read = self.offset, self._read()
        try:
            while piece := await asyncio.to_thread(next, read, b""):
                yield piece
                offset += len(piece)
                self.at(offset)
        finally:
            # Who is cancelled leaves a thread that still reads; it closes the file.
            with suppress(ValueError):
                read.close()

    def _read(self) -> Generator[bytes, None, None]:
        left_bytes = self.size_bytes
        with _opened(self.source.file) as file:
            file.seek(self.offset)
            # No more than was announced, if the file still grows.
            while piece := file.read(min(PIECE_BYTES, left_bytes)):
                left_bytes -= len(piece)
                yield piece


def content_type_of(name: str) -> str:
    """Return the content type for a file's name; that of MP4 if the ending is unknown."""
    return CONTENT_TYPES.get(Path(name).suffix.lower(), "video/mp4")


def _readable(name: str) -> str:
    """
    Return a file's name as text, with replacement characters for bytes that are none.

    Names are bytes; requests are UTF-8, whatever the encoding of this process.
    """
    try:
        name.encode()
    except UnicodeEncodeError:
        return os.fsencode(name).decode("utf-8", "replace")
    return name


@contextmanager
def _opened(file: FileToSend) -> Iterator[BinaryIO]:
    if isinstance(file, str | os.PathLike):
        with Path(file).open("rb") as opened:
            yield opened
    else:
        yield file
