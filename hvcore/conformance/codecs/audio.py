"""
Read the codec and the number of channels from the configuration record of an audio track (``esds``).

Source: ISO/IEC 14496-1, section 7.2.6 (descriptors); ISO/IEC 14496-3, section 1.6.2
(AudioSpecificConfig); RFC 6381, section 3.3.
"""

from typing import Final

import attrs

from hvcore.conformance.boxes import Box, BoxError
from hvcore.conformance.codecs.bits import Bits, BitsError

_ES: Final = 3
_DECODER_CONFIG: Final = 4
_SPECIFIC: Final = 5
_MPEG4: Final = 0x40
_ESCAPE: Final = 31
_EXPLICIT_RATE: Final = 15
_LAST_TABLED: Final = 7
_SBR: Final = 5
_PS: Final = 29
_SBR_FOLLOWS: Final = 0x2B7
_PS_FOLLOWS: Final = 0x548


@attrs.frozen(kw_only=True)
class AudioConfig:
    """
    The codec and the number of channels of an audio track.

    Attributes:
        codecs: The codec as CODECS attributes name it (RFC 6381).
        channels: The number of channels; 0 if the configuration does not say.
    """

    codecs: str
    channels: int


def read_esds(record: Box) -> AudioConfig:
    """
    Return the codec and channels that the ``esds`` box of an audio track names.

    Raises:
        BoxError: The box names no codec, or is cut off.
    """
    kind, specific = _descriptors(record.body[4:])
    if kind != _MPEG4:
        return AudioConfig(codecs=f"mp4a.{kind:02x}", channels=0)
    try:
        return _specific(specific)
    except BitsError as exc:
        raise BoxError(f"AudioSpecificConfig {exc}") from exc


def _descriptors(data: bytes) -> tuple[int, bytes]:
    kind = at = 0
    while at < len(data):
        tag, at = data[at], at + 1
        length, at = _length(data, at)
        if tag == _ES:
            at += 3
        elif tag == _DECODER_CONFIG and at < len(data):
            kind, at = data[at], at + 13
        elif tag == _SPECIFIC:
            return kind, data[at : at + length]
        else:
            at += length
    if not kind:
        raise BoxError("esds names no codec")
    return kind, b""


def _length(data: bytes, at: int) -> tuple[int, int]:
    # Seven bits a byte, of which there are four at most.
    length = 0
    for byte in data[at : at + 4]:
        length, at = length << 7 | byte & 0x7F, at + 1
        if byte < 0x80:  # noqa: PLR2004 - the highest bit says that one more follows
            break
    return length, at


def _specific(data: bytes) -> AudioConfig:
    bits = Bits(data)
    kind = _object_type(bits)
    _rate(bits)
    channels = bits.take(4)
    if kind in {_SBR, _PS}:
        # Parametric stereo makes two of the one that is coded.
        return AudioConfig(
            codecs=f"mp4a.40.{kind}", channels=2 if kind == _PS else channels
        )
    channels = 8 if channels == _LAST_TABLED else channels
    if bits.left >= 3 + 16:
        bits.take(3)
        if bits.take(11) == _SBR_FOLLOWS and _object_type(bits) == _SBR and bits.flag():
            _rate(bits)
            kind = _SBR
            if bits.left >= 12 and bits.take(11) == _PS_FOLLOWS and bits.flag():  # noqa: PLR2004 - a field and its flag
                kind, channels = _PS, 2
    return AudioConfig(codecs=f"mp4a.40.{kind}", channels=channels)


def _object_type(bits: Bits) -> int:
    kind = bits.take(5)
    return 32 + bits.take(6) if kind == _ESCAPE else kind


def _rate(bits: Bits) -> None:
    if bits.take(4) == _EXPLICIT_RATE:
        bits.take(24)
