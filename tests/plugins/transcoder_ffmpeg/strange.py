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

X264: Final = ("-c:v", "libx264", "-preset", "ultrafast")
AAC: Final = ("-c:a", "aac")


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


def changed(make: Make, change: Callable[[bytearray], bytearray | None]) -> Make:
    """
    Return what makes a file and then changes its bytes, in place or anew.
    """

    def run(path: Path) -> None:
        make(path)
        data = bytearray(path.read_bytes())
        path.write_bytes(change(data) or data)

    return run


def contains(content: bytes) -> Make:
    """
    Return what writes a file byte by byte.
    """
    return lambda path: void(path.write_bytes(content))


def void(_: object) -> None:
    """
    Take what nobody needs.
    """
