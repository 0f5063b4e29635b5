"""
Find captions and screen metadata in the supplemental messages (SEI) of H.264 and H.265 video.

Source: ITU-T H.264, annex D; ITU-T H.265, annex D; ATSC A/53 part 4, section 6.2.3.
"""

from collections.abc import Iterator
from enum import Enum
from typing import Final

MOST_BYTES: Final = 1024
"""The most bytes that are read of a NAL unit with messages; A/53 has at most 109."""

_REGISTERED: Final = 4
_SCREEN: Final = frozenset({137, 144})
_A53_CAPTIONS: Final = b"\xb5\x00\x31GA94\x03"
_GOES_ON: Final = 0xFF


class Told(Enum):
    """The subjects of supplemental messages (SEI) in video that the check looks for, such as captions."""

    CAPTIONS = "closed captions"
    SCREEN = "mastering display or light levels"


def told_by(unit: bytes) -> frozenset[Told]:
    """
    Return the subjects of the supplemental messages (SEI) in a NAL unit.

    Args:
        unit: The NAL unit from behind its header; it may be cut off.
    """
    return frozenset(
        told
        for kind, content in _messages(unit.replace(b"\0\0\3", b"\0\0"))
        for told in (_told(kind, content),)
        if told is not None
    )


def _told(kind: int, content: bytes) -> Told | None:
    if kind in _SCREEN:
        return Told.SCREEN
    is_captions = kind == _REGISTERED and content.startswith(_A53_CAPTIONS)
    return Told.CAPTIONS if is_captions else None


def _messages(unit: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    # The last byte is only the end of the unit.
    while at < len(unit) - 1:
        kind, at = _number(unit, at)
        length, at = _number(unit, at)
        yield kind, unit[at : at + length]
        at += length


def _number(unit: bytes, at: int) -> tuple[int, int]:
    end = at
    while unit[end : end + 1] == b"\xff":
        end += 1
    last = unit[end] if end < len(unit) else 0
    return _GOES_ON * (end - at) + last, end + 1
