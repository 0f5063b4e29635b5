"""
Pictures that carry their number, so that each can be told from all others.
"""

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

_GRID: Final = 4
_BLOCK_PX: Final = 16
SIZE: Final = f"{_GRID * _BLOCK_PX}x{_GRID * _BLOCK_PX}"
_BITS: Final = _GRID * _GRID
_MIDDLE: Final = 128


def counted_clip(  # noqa: PLR0913 - each says one thing
    path: Path,
    *,
    rate: str = "30",
    frames: int = 750,
    codec: Sequence[str] = ("-c:v", "libx264", "-preset", "ultrafast"),
    filters: str = "null",
    more_inputs: Sequence[str | Path] = (),
    more: Sequence[str] = (),
) -> None:
    """
    Make a clip of 64 by 64 pixels, whose bits are black and white squares.

    Args:
        filters: Applied to the numbered pictures.
        more_inputs: Of sound, say; they come first and are numbers 0, 1, ….
        more: Options of the output, the video being its last input.
    """
    command: list[str | Path] = ["ffmpeg", "-hide_banner", "-loglevel", "error", "-y"]
    command += [*more_inputs, "-f", "rawvideo", "-pix_fmt", "gray", "-s", SIZE]
    command += ["-r", rate, "-i", "-", "-vf", f"{filters},format=yuv420p"]
    command += [*codec, *more, path]
    data = b"".join(map(_picture, range(frames)))
    subprocess.run(command, input=data, check=True)


def numbers(source: Path | str) -> list[int]:
    """
    Return the number that each picture of a file or a stream carries.
    """
    size = f"scale={_GRID}:{_GRID}:flags=area"
    command: list[str | Path] = ["ffmpeg", "-v", "error", "-nostdin", "-i", source]
    command += ["-fps_mode", "passthrough", "-vf", size, "-pix_fmt", "gray"]
    command += ["-f", "rawvideo", "-"]
    data = subprocess.run(command, capture_output=True, check=True).stdout
    return [
        sum(
            1 << bit
            for bit, brightness in enumerate(data[at : at + _BITS])
            if brightness > _MIDDLE
        )
        for at in range(0, len(data), _BITS)
    ]


def _picture(number: int) -> bytes:
    rows = []
    for row in range(_GRID):
        bits = [number >> (row * _GRID + column) & 1 for column in range(_GRID)]
        line = b"".join(bytes([235 if bit else 16]) * _BLOCK_PX for bit in bits)
        rows.append(line * _BLOCK_PX)
    return b"".join(rows)
