"""
What a strange source is, and how it is made.
"""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Final, TypeAlias

import attrs

from tests.plugins.transcoder_ffmpeg.clips import ffmpeg, pattern

Make: TypeAlias = Callable[[Path], None]
Change: TypeAlias = Callable[[bytearray], bytearray | None]

X264: Final = ("-c:v", "libx264", "-preset", "ultrafast")
AAC: Final = ("-c:a", "aac")
SRT: Final = "1\n00:00:00,000 --> 00:00:01,000\nHello.\n"


@attrs.frozen(kw_only=True)
class Ready:
    """
    The video is published, and this is what a viewer gets.

    Attributes:
        size_px: Width and height of the one rung that is made.
        within_s: How far the length may be off.
        sound: Channels and language of each audio rendition.
        sound_over_s: How much longer than the pictures the sound may be.
        warns: Words of the warning in the details, ``""`` for none.
        corner: Red, green and blue of the pixel at the top left.
    """

    size_px: tuple[int, int] = (160, 90)
    duration_s: float = 1.0
    within_s: float = 0.05
    frame_rate: Fraction = Fraction(25)
    sound: tuple[tuple[int, str], ...] = ()
    sound_over_s: float = 0.0
    warns: str = ""
    corner: tuple[int, int, int] | None = None


@attrs.frozen(kw_only=True)
class Refused:
    """
    The video is ``failed``, and this is what its owner reads.
    """

    reason: str


@attrs.frozen(kw_only=True)
class Strange:
    """
    A source, and what has to come of it.
    """

    name: str
    make: Make
    expected: Ready | Refused


def made(*arguments: str | Path) -> Make:
    """
    Return what makes a file by one ffmpeg command; the path comes last.
    """
    return lambda path: ffmpeg(*arguments, path)


def with_text(name: str, text: str, *options: str, inputs: tuple[str, ...]) -> Make:
    """
    Return what makes a file by one ffmpeg command that also reads a file of text.
    """

    def make(path: Path) -> None:
        extra = path.with_name(name)
        extra.write_text(text)
        ffmpeg(*inputs, "-i", extra, *options, path)

    return make


def picture(
    size: str = "160x90", rate: str = "25", seconds: float = 1, chain: str = "null"
) -> list[str]:
    """
    Return ffmpeg's arguments for a moving picture behind a filter.
    """
    inputs = pattern(size, rate, seconds)
    return [*inputs[:-1], f"{inputs[-1]},{chain}"]


def box_at(data: bytes, kind: bytes, start: int = 0) -> tuple[int, int]:
    """
    Return where a box of the kind lies: its beginning and its end.
    """
    at = data.index(kind, start) - 4
    return at, at + int.from_bytes(data[at : at + 4], "big")


def changed(make: Make, change: Change) -> Make:
    """
    Return what makes a file and then changes its bytes, in place or anew.
    """

    def run(path: Path) -> None:
        make(path)
        data = bytearray(path.read_bytes())
        path.write_bytes(change(data) or data)

    return run


def with_more(
    data: bytearray, kinds: tuple[bytes, ...], at: int, end: int, content: bytes
) -> bytearray:
    """
    Put a box in place of what lies there, and let the boxes around it grow.
    """
    box = (4 + len(content)).to_bytes(4, "big") + content
    # The brands of a file have names of boxes, too.
    inside = data.index(kinds[0])
    for kind in kinds:
        start, stop = box_at(data, kind, inside)
        size = stop - start + len(box) - (end - at)
        data[start : start + 4] = size.to_bytes(4, "big")
    return data[:at] + box + data[end:]


_MASTERS: Final = frozenset({0x18538067, 0x1654AE6B, 0xAE, 0xE0})
"""Segment, Tracks, TrackEntry, Video."""
_VIDEO: Final = 0xE0


def with_elements(make: Make, more: bytes) -> Make:
    """
    Return what makes a Matroska file and puts elements into its video track.
    """

    def run(path: Path) -> None:
        live = path.with_name(f"live-{path.name}")
        make(path)
        # Sizes of live recordings are unknown, and nothing refers to a place.
        again = ["-c", "copy", "-live", "1", "-f", "matroska"]
        ffmpeg("-i", path, *again, live)
        path.write_bytes(rebuilt(live.read_bytes(), more))

    return run


def element(kind: int, content: bytes) -> bytes:
    """
    Return an element of EBML.
    """
    size = (1 << 56 | len(content)).to_bytes(8, "big")
    return kind.to_bytes((kind.bit_length() + 7) // 8, "big") + size + content


def rebuilt(data: bytes, more: bytes) -> bytes:
    """
    Return a live recording in Matroska with elements in its video track.
    """
    made, at = b"", 0
    while at < len(data):
        wide = 9 - data[at].bit_length()
        kind = int.from_bytes(data[at : at + wide], "big")
        at += wide
        wide = 9 - data[at].bit_length()
        size = int.from_bytes(data[at : at + wide], "big") & ((1 << 7 * wide) - 1)
        is_open = size == (1 << 7 * wide) - 1
        at += wide
        content = data[at:] if is_open else data[at : at + size]
        at += len(content)
        if kind in _MASTERS:
            content = rebuilt(content, more) + (more if kind == _VIDEO else b"")
        made += element(kind, content)
    return made


def contains(content: bytes) -> Make:
    """
    Return what writes a file byte by byte.
    """
    return lambda path: void(path.write_bytes(content))


def void(_: object) -> None:
    """
    Take what nobody needs.
    """
