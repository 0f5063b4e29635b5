"""
Make a sparse copy of an MP4 in a remote store: its index, and the beginnings of its tracks.

ffprobe has no network, so that a file that takes ffprobe over has none either. And ffprobe
needs little of an MP4: the times, sizes and key frames of all packets stand in the index.
So this process reads the index and the first packets, and leaves the rest empty.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import attrs

from hvcore.plugin_api import Mp4Box, Mp4Error, SourceRanges, box_of

_MIB: Final = 1024**2
SMALL_BYTES: Final = 16 * _MIB
"""The size up to which a file is fetched as a whole, which takes no longer than several
requests."""
_HEAD_BYTES: Final = 64 * 1024
_FIRST_BYTES: Final = 6 * _MIB
"""The bytes that are read from the first packet on: ffprobe decodes at most 5 MB to examine
the tracks (its probesize)."""
_TRACK_BYTES: Final = _MIB
"""The bytes that are read at the beginning of each track."""
_PIECE_BYTES: Final = 4 * _MIB
_MAX_MOVIE_BYTES: Final = 64 * _MIB
_MAX_BOXES: Final = 32
"""The most boxes on top of a file; a file that is not fragmented has only a few."""
_HEADER_BYTES: Final = 16

_BESIDES: Final = frozenset(
    {"ftyp", "mdat", "wide", "free", "skip", "pnot", "uuid", "meta", "udta"}
)
_PLAIN_ENTRIES: Final = frozenset(
    {
        # Of others, ffmpeg reads the packets themselves to tell key frames.
        *("avc1", "hvc1", "hev1"),
        *("apco", "apcs", "apcn", "apch", "ap4h", "ap4x"),
        *("mp4a", "alac", "lpcm", "sowt", "twos", "in24", "in32", "fl32", "fl64"),
        *("tx3g", "tmcd"),
    }
)


@attrs.frozen
class _Span:
    start: int
    end: int


def outline(
    ranges: SourceRanges, folder: Path, check: Callable[[], None]
) -> Path | None:
    """
    Write the sparse copy of a source, and return its path.

    Args:
        ranges: Reads parts of the source.
        folder: The folder in which a folder ``outline`` with the copy is made. The copy
            takes only as much of the disk as was read.
        check: Called between requests; its errors are passed on.

    Returns:
        None if the whole file is needed: it is small, fragmented, damaged, no MP4, or has
        chapters or codecs whose packets must be read.
    """
    if ranges.size_bytes <= SMALL_BYTES:
        return None
    head = ranges.read(0, _HEAD_BYTES)
    try:
        movie = _movie(ranges, head, check)
        if movie is None:
            return None
        starts = _track_starts(ranges.read(movie.start, movie.end))
    except Mp4Error:
        return None
    if not starts:
        return None
    spans = [_Span(0, len(head)), movie]
    spans += [_Span(start, start + _TRACK_BYTES) for start in starts]
    spans.append(_Span(min(starts), min(starts) + _FIRST_BYTES))
    copy = folder / "outline" / "source"
    copy.parent.mkdir()
    _write(copy, ranges, spans, check)
    return copy


def _write(
    copy: Path,
    ranges: SourceRanges,
    spans: Sequence[_Span],
    check: Callable[[], None],
) -> None:
    with copy.open("wb") as file:
        file.truncate(ranges.size_bytes)
        for span in _joined(spans, ranges.size_bytes):
            for start in range(span.start, span.end, _PIECE_BYTES):
                check()
                file.seek(start)
                file.write(ranges.read(start, min(start + _PIECE_BYTES, span.end)))


def _movie(
    ranges: SourceRanges, head: bytes, check: Callable[[], None]
) -> _Span | None:
    """Return the place of the file's index; None if there is not exactly one."""
    at, found = 0, None
    for _ in range(_MAX_BOXES):
        if at >= ranges.size_bytes:
            return found
        check()
        header = head[at : at + _HEADER_BYTES]
        if len(header) < _HEADER_BYTES:
            header = ranges.read(at, at + _HEADER_BYTES)
        length = int.from_bytes(header[:4], "big")
        if length == 1:
            length = int.from_bytes(header[8:], "big")
        end = at + length if length else ranges.size_bytes
        kind = header[4:8].decode("latin-1")
        if (length and length < len(b"sizekind")) or end > ranges.size_bytes:
            return None
        if kind == "moov" and found is None and end - at <= _MAX_MOVIE_BYTES:
            found = _Span(at, end)
        elif kind not in _BESIDES:
            return None
        at = end
    return None


def _track_starts(movie: bytes) -> Sequence[int]:
    """Return the offset of each track's first packets; none if all packets must be read."""
    (box,) = box_of(movie).children()
    starts: list[int] = []
    for child in box.children():
        if child.kind == "mvex":
            return []
        if child.kind != "trak":
            continue
        references = child.find("tref")
        # The titles of chapters are packets.
        if references is not None and references.find("chap") is not None:
            return []
        table = child.child("mdia/minf/stbl")
        entries = table.child("stsd").children(_HEADER_BYTES // 2)
        if not {entry.kind for entry in entries} <= _PLAIN_ENTRIES:
            return []
        starts += _first_chunk(table)
    return starts


def _first_chunk(table: Mp4Box) -> Iterator[int]:
    for kind, form in (("stco", "I"), ("co64", "Q")):
        chunks = table.find(kind)
        if chunks is not None and chunks.fields("I", 4)[0]:
            yield chunks.fields(form, 8)[0]


def _joined(spans: Sequence[_Span], size: int) -> Iterator[_Span]:
    """Yield the given spans in order, cut so that none overlap or leave the file."""
    at = 0
    for span in sorted(spans, key=lambda span: span.start):
        start, end = max(span.start, at), min(span.end, size)
        if start < end:
            yield _Span(start, end)
            at = end
