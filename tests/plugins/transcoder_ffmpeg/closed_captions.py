"""
Pictures with closed captions in them, as American broadcasts have them.

Source: CEA-608 (pop-on captions of channel CC1), ATSC A/53 part 4, ITU-T H.264 D.1.6.
"""

import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.plugins.transcoder_ffmpeg.clips import ffmpeg, pattern

_LOAD, _ERASE_HIDDEN, _ROW_15, _SHOW = 0x1420, 0x142E, 0x1470, 0x142F
_NOTHING: Final = 0
_PAIRS_OF_CAPTION: Final = 30
"""So that one comes each second at 30 pictures a second."""
_SLICES: Final = {1, 5}
_EMULATED = re.compile(rb"\x00\x00(?=[\x00-\x03])")


def captioned(path: Path, *, seconds: int) -> Path:
    """
    Make pictures that show "CAPTION 0", and another one each second, in A/53.
    """
    words = itertools.chain.from_iterable(map(_caption, range(seconds)))
    return with_messages(path, map(_cc_data, words), seconds=seconds)


def enhanced(path: Path) -> Path:
    """
    Make pictures with enhancements for another decoder (LCEVC) that are none.

    Source: ITU-T T.35 with the codes of the United Kingdom and of V-Nova.
    """
    data = b"\xb4\x00\x50\x00" + b"no start code is in this text"
    return with_messages(path, itertools.repeat(data), seconds=1)


def with_messages(path: Path, messages: Iterator[bytes], *, seconds: int) -> Path:
    """
    Make pictures each of which has a message of the kind that others registered.
    """
    rate = "30"
    plain, marked = path.with_suffix(".plain.h264"), path.with_suffix(".h264")
    encode = ("-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p")
    # Without pictures that go back in time, bytes are in the order of what is shown.
    ffmpeg(*pattern("320x180", rate, seconds), *encode, "-bf", "0", plain)
    units = re.split(rb"\x00{2,3}\x01", plain.read_bytes())[1:]
    with marked.open("wb") as file:
        for unit in units:
            # The first slice of a picture: its first macroblock is number 0.
            if unit[0] & 0x1F in _SLICES and unit[1] & 0x80:
                file.write(_message(next(messages)))
            file.write(b"\0\0\0\1" + unit)
    ffmpeg("-r", rate, "-i", marked, "-c", "copy", path)
    return path


def _caption(number: int) -> Iterator[int]:
    text = f"CAPTION {number}".encode()
    text += b" " * (len(text) % 2)
    letters = [int.from_bytes(text[n : n + 2], "big") for n in range(0, len(text), 2)]
    # Commands are sent twice.
    begin = [word for word in (_LOAD, _ERASE_HIDDEN, _ROW_15) for _ in range(2)]
    words = [*begin, *letters, _SHOW, _SHOW]
    return iter(words + [_NOTHING] * (_PAIRS_OF_CAPTION - len(words)))


def _cc_data(word: int) -> bytes:
    pair = bytes(map(_with_parity, word.to_bytes(2, "big")))
    return b"\xb5\x00\x31GA94\x03\xc1\xff\xfc" + pair + b"\xff"


def _message(data: bytes) -> bytes:
    return b"\0\0\0\1" + _EMULATED.sub(
        b"\0\0\3", bytes((6, 4, len(data))) + data + b"\x80"
    )


def _with_parity(byte: int) -> int:
    return byte | (0 if byte.bit_count() % 2 else 0x80)
