"""
Reduce untrusted pictures to the parts that draw them, before they are decoded.

The decoder follows whatever a file says. Measured, with 10 MiB: a progressive
JPEG of 200,000 empty scans takes minutes; so do a PNG's compressed colour
profiles, and an EXIF directory whose entries all name the same megabytes fills
the memory. None of that is needed to draw a picture.
"""

import re
import struct
from collections.abc import Iterator
from typing import Final

import attrs

MAX_JPEG_SCANS: Final = 100
"""Encoders write about 10; each costs up to 10 ms at 36 million pixels."""
MAX_PARTS: Final = 10_000
"""
Segments or chunks; the decoder takes some microseconds for each. Encoders cut
10 MiB of PNG into 1,300.
"""
UPRIGHT: Final = 1

_SOI: Final = b"\xff\xd8"
_EOI: Final = 0xD9
_SOS: Final = 0xDA
_APP1: Final = 0xE1
_FIRST_WITH_LENGTH: Final = 0xC0
_FRAMES: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_HUFFMAN_FRAMES: Final = frozenset({0xC0, 0xC1, 0xC2})
"""Browsers show no others; arithmetic coding makes empty scans costly."""
_NOT_DRAWN: Final = (frozenset(range(0xE1, 0xF0)) - {0xEE}) | {0xFE}
"""Comments and what programs add; but for Adobe's, which tells the colours."""
# Not the zero behind a byte 0xFF of the picture, not the marks within a scan.
_MARKER: Final = re.compile(rb"\xff[^\x00\xff\xd0-\xd7]")

_PNG_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_DRAWN: Final = frozenset({b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND"})

_EXIF: Final = b"Exif\0\0"
_ORDERS: Final = {b"II*\0": "<", b"MM\0*": ">"}
_ORIENTATION: Final = 0x0112
_SHORT: Final = 3
_ORIENTATIONS: Final = range(1, 9)


class TooManyPartsError(ValueError):
    """The picture has more parts than any encoder writes; the text may be shown to its sender."""


@attrs.frozen(kw_only=True)
class BarePicture:
    """
    A picture file reduced to the parts that draw its pixels.

    Attributes:
        orientation: The orientation as EXIF counts it; 1 is upright.
    """

    data: bytes
    orientation: int = UPRIGHT


def bare_jpeg(picture: bytes) -> BarePicture:
    """
    Return the first picture of a JPEG file, reduced to the parts that draw its pixels.

    Raises:
        TooManyPartsError: The file has too many scans or segments.
        ValueError: The file is no JPEG, or one that browsers do not show.
    """
    parts, scans, orientation = [_SOI], 0, UPRIGHT
    for marker, segment in _segments(picture):
        if marker == _SOS:
            scans += 1
        elif marker == _APP1 and segment[4:10] == _EXIF:
            orientation = _orientation(segment[10:])
        elif marker in _FRAMES and marker not in _HUFFMAN_FRAMES:
            msg = "It has another coding."
            raise ValueError(msg)
        if scans > MAX_JPEG_SCANS:
            msg = f"The picture must have at most {MAX_JPEG_SCANS} scans."
            raise TooManyPartsError(msg)
        if marker not in _NOT_DRAWN:
            parts.append(segment)
    return BarePicture(data=b"".join(parts), orientation=orientation)


def bare_png(picture: bytes) -> BarePicture:
    """
    Return the default picture of a PNG file (also of an animated one), reduced to the parts that draw its pixels.

    Raises:
        TooManyPartsError: The file has too many chunks.
        ValueError: The file is no PNG.
    """
    if not picture.startswith(_PNG_SIGNATURE):
        msg = "It is no PNG."
        raise ValueError(msg)
    parts, orientation, at = [_PNG_SIGNATURE], UPRIGHT, len(_PNG_SIGNATURE)
    for _ in range(MAX_PARTS):
        if at + 8 > len(picture):
            break
        size_bytes, kind = struct.unpack_from(">I4s", picture, at)
        end = at + 12 + size_bytes
        if kind in _DRAWN:
            parts.append(picture[at:end])
        elif kind == b"eXIf":
            orientation = _orientation(picture[at + 8 : end - 4])
        if kind == b"IEND":
            break
        at = end
    else:
        raise _too_many_parts()
    return BarePicture(data=b"".join(parts), orientation=orientation)


def _segments(jpeg: bytes) -> Iterator[tuple[int, bytes]]:
    """
    Give each marker, and its segment with it; a scan is part of its segment.

    As libjpeg reads them. Where the file is cut off, so is the last segment.
    """
    if not jpeg.startswith(_SOI):
        msg = "It is no JPEG."
        raise ValueError(msg)
    at = len(_SOI)
    for _ in range(MAX_PARTS):
        found = _MARKER.search(jpeg, at)
        if found is None:
            return
        start, marker = found.start(), jpeg[found.end() - 1]
        if marker == _EOI or marker < _FIRST_WITH_LENGTH:
            at = found.end()
        else:
            size_bytes = int.from_bytes(jpeg[found.end() : found.end() + 2])
            at = found.end() + max(size_bytes, 2)
        if marker == _SOS:
            following = _MARKER.search(jpeg, at)
            at = following.start() if following else len(jpeg)
        yield marker, jpeg[start:at]
        if marker == _EOI:
            return
    raise _too_many_parts()


def _orientation(exif: bytes) -> int:
    """Read the orientation from EXIF data; damaged data is upright."""
    order = _ORDERS.get(exif[:4])
    if order is None:
        return UPRIGHT
    try:
        (at,) = struct.unpack_from(f"{order}I", exif, 4)
        (count,) = struct.unpack_from(f"{order}H", exif, at)
        for number in range(count):
            entry = struct.unpack_from(f"{order}HHIH", exif, at + 2 + 12 * number)
            if entry[:3] == (_ORIENTATION, _SHORT, 1):
                return entry[3] if entry[3] in _ORIENTATIONS else UPRIGHT
    except struct.error:
        return UPRIGHT
    return UPRIGHT


def _too_many_parts() -> TooManyPartsError:
    return TooManyPartsError(f"The picture must have at most {MAX_PARTS:,} parts.")
