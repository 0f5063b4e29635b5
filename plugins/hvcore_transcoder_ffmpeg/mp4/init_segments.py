"""
Remove the names of programs and their versions from init segments.

Parts of one video may be made by workers with different versions of ffmpeg. The parts
share one init segment, so nothing in the init segment may depend on the version; and
viewers need not know the version either.

Source: ISO/IEC 14496-12, sections 4.2, 8.10.1 (udta) and 12.1.3 (compressorname).
"""

import struct
from pathlib import Path
from typing import Final

from hvcore.plugin_api import box_of

_HEADER_BYTES: Final = 8
_TABLE_FIELDS_BYTES: Final = 8
"""The size of version, flags and number of entries in a sample description table."""

_PICTURES: Final = frozenset({"avc1", "hvc1"})
_NAME_AT: Final = 42
_NAME_BYTES: Final = 32
"""The size of the compressorname in a sample entry: ffmpeg's version and the encoder."""

_MUXER: Final = "udta"
"""The box in the movie that contains only the muxer's name and version."""


def make_neutral(path: Path) -> None:
    """
    Rewrite an init segment without the names and versions of programs.

    Raises:
        Mp4Error: The file has not the form that this transcoder makes.
        OSError: The file cannot be read or written.
    """
    data = path.read_bytes()
    path.write_bytes(_without_muxer(_without_encoder(data)))


def _without_encoder(data: bytes) -> bytes:
    changed = bytearray(data)
    table = box_of(data).child("moov/trak/mdia/minf/stbl/stsd")
    for entry in table.children(skip_bytes=_TABLE_FIELDS_BYTES):
        if entry.kind in _PICTURES:
            entry.fields(f"{_NAME_BYTES}B", _NAME_AT)
            begin = entry.start + _NAME_AT
            changed[begin : begin + _NAME_BYTES] = bytes(_NAME_BYTES)
    return bytes(changed)


def _without_muxer(data: bytes) -> bytes:
    movie = box_of(data).child("moov")
    rest, begin = bytearray(), movie.start
    for box in movie.children():
        if box.kind != _MUXER:
            rest += data[begin : box.end]
        begin = box.end
    head = data[: movie.start - _HEADER_BYTES]
    size = struct.pack(">I", _HEADER_BYTES + len(rest))
    return head + size + b"moov" + rest + data[movie.end :]
