"""
A video whose track of sound has packets of one byte, as many as one likes.

``python -m tests.plugins.transcoder_ffmpeg.tiny_packets 14000000 big.mkv`` makes one
of 100 MB.
"""

import sys
from pathlib import Path
from typing import Final

from tests.plugins.transcoder_ffmpeg.clips import ffmpeg, tone

_CLUSTER: Final = bytes.fromhex("1F43B675 01FFFFFFFFFFFFFF".replace(" ", ""))
"""Matroska's name for it, and a size that is not known."""
_AT_0: Final = bytes.fromhex("E78100")
_SOUND_TRACK: Final = 2
_MAX_BLOCKS: Final = 100_000


def tiny_packets(path: Path, count: int, seconds: float = 2) -> None:
    """
    Write a Matroska file of some seconds, with so many packets of one byte.
    """
    ffmpeg(
        *("-f", "lavfi", "-i", f"testsrc2=size=160x90:rate=25:duration={seconds}"),
        *tone(seconds),
        *("-c:v", "libx264", "-preset", "ultrafast", "-c:a", "aac"),
        # Of no known length, so that more may follow.
        *("-live", "1", "-f", "matroska", path),
    )
    # Name, size, track, time within the cluster, flags, and the one byte.
    block = bytes((0xA3, 0x85, 0x80 | _SOUND_TRACK, 0x00, 0x01, 0x80, 0x00))
    with path.open("ab") as file:
        while count > 0:
            file.write(_CLUSTER + _AT_0 + block * min(count, _MAX_BLOCKS))
            count -= _MAX_BLOCKS


if __name__ == "__main__":
    tiny_packets(Path(sys.argv[2]), int(sys.argv[1]))
