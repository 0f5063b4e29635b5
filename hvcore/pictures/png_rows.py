"""
Read the rows of a PNG a few at a time, so that the whole picture is never in memory.

The decoder can only decode whole pictures, four bytes for a pixel: 142 MB for 36 million.
Here it gets small files one after the other, each with some rows, uncompressed.
"""

import io
import struct
import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, Self

if TYPE_CHECKING:
    from PIL import Image

_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_HEADER: Final = struct.Struct(">IIBBBBB")
_CHANNELS: Final = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
"""By colour type, of 8 bits each."""
_BITS: Final = 8
_UNFILTERED: Final = b"\0"


class PngRows:
    """
    Reader of the rows of a PNG, from the top to the bottom.

    Args:
        header: The fields of the chunk IHDR.
        colours: The chunks PLTE and tRNS, whole.
        packed: The contents of the chunks IDAT, in order.
    """

    def __init__(
        self, header: tuple[int, ...], colours: bytes, packed: list[bytes]
    ) -> None:
        self._header = header
        self._colours = colours
        self._packed = iter(packed)
        self._inflate = zlib.decompressobj()
        self._row_bytes = header[0] * _CHANNELS[header[3]]
        self._image: Image.Image | None = None
        self._first = self._bottom = 0

    @classmethod
    def of(cls, png: bytes) -> Self | None:
        """
        Return a reader of a PNG file; None if its rows cannot be read one after the other (interlaced, say).

        Raises:
            ValueError: The file is damaged.
        """
        header: tuple[int, ...] = ()
        colours, packed = b"", []
        for kind, whole in _chunks(png):
            if kind == b"IHDR":
                header = _HEADER.unpack(whole[8:-4])
            elif kind in {b"PLTE", b"tRNS"}:
                colours += whole
            # An empty one is valid, and would look like the end.
            elif kind == b"IDAT" and (content := whole[8:-4]):
                packed.append(content)
        if not header or header[2] != _BITS or header[3] not in _CHANNELS or header[6]:
            return None
        return cls(header, colours, packed)

    def rows(self, first: int, last: int) -> "Image.Image":
        """
        Return the rows from ``first`` to before ``last`` as a picture.

        From call to call both numbers only grow, and ``first`` is at most the last call's ``last``.

        Raises:
            ValueError: The file ends before these rows.
            zlib.error: The file is damaged.
        """
        size = self._row_bytes
        kept = b""
        if self._image is not None:
            above = first - self._first
            box = (0, above, self._image.width, self._image.height)
            kept = self._image.crop(box).tobytes()
        lines = [_UNFILTERED + kept[at : at + size] for at in range(0, len(kept), size)]
        lines.append(self._filtered((last - self._bottom) * (size + 1)))
        self._image = self._decoded(b"".join(lines), last - first)
        self._first, self._bottom = first, last
        return self._image

    def _filtered(self, size_bytes: int) -> bytes:
        found = bytearray()
        while len(found) < size_bytes:
            data = self._inflate.unconsumed_tail or next(self._packed, b"")
            more = self._inflate.decompress(data, size_bytes - len(found))
            if not data and not more:
                msg = "The picture ends too early."
                raise ValueError(msg)
            found += more
        return bytes(found)

    def _decoded(self, lines: bytes, height_px: int) -> "Image.Image":
        from PIL import Image  # noqa: PLC0415 - costs 60 ms to import

        header = _HEADER.pack(self._header[0], height_px, *self._header[2:])
        file = (
            _SIGNATURE
            + _chunk(b"IHDR", header)
            + self._colours
            + _chunk(b"IDAT", zlib.compress(lines, 0))
            + _chunk(b"IEND", b"")
        )
        with Image.open(io.BytesIO(file), formats=("PNG",)) as opened:
            opened.load()
            return opened


def _chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Give the kind of each chunk, and the chunk."""
    at = len(_SIGNATURE)
    while at + 12 <= len(png):
        size_bytes, kind = struct.unpack_from(">I4s", png, at)
        whole = png[at : at + 12 + size_bytes]
        sum_read = int.from_bytes(whole[-4:])
        if len(whole) < 12 + size_bytes or zlib.crc32(whole[4:-4]) != sum_read:
            msg = f"The chunk at {at} is damaged."
            raise ValueError(msg)
        yield kind, whole
        at += len(whole)


def _chunk(kind: bytes, data: bytes) -> bytes:
    body = kind + data
    return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))
