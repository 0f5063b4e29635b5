"""
Read the decoder configuration (``avcC``) and parameter sets of H.264 video.

Source: ITU-T H.264, sections 7.3.2.1, A.3 and E.1; ISO/IEC 14496-15, section 5.3.
"""

from collections.abc import Mapping
from typing import Final

from hvcore.conformance.boxes import Box
from hvcore.conformance.codecs.bits import Bits, BitsError, payload
from hvcore.conformance.codecs.pictures import Picture, Usability, VideoConfig

IDR: Final = frozenset({5})
PICTURES: Final = frozenset(range(1, 6))
PARAMETER_SETS: Final = frozenset({7, 8, 13, 15})
MESSAGES: Final = frozenset({6})
HEADER_BYTES: Final = 1
_SPS: Final = 7
_PPS: Final = 8

_WITH_CHROMA: Final = frozenset(
    {44, 83, 86, 100, 110, 118, 122, 128, 134, 135, 138, 139, 244}
)
# Baseline, Main, Extended and High, up to level 5.2.
_FOR_DEVICES: Final = frozenset({66, 77, 88, 100})
_MOST_FOR_DEVICES: Final = 52
_EXTENDED_SHAPE: Final = 255
_SQUARE_SHAPES: Final = frozenset({0, 1})
"""The aspect ratio codes (table E-1) of square pixels: unspecified, and 1:1."""
_MACROBLOCK_PX: Final = 16

# By level_idc: macroblocks per second, macroblocks per picture (table A-1).
_LEVELS: Final[Mapping[int, tuple[int, int]]] = {
    9: (1485, 99),
    10: (1485, 99),
    11: (3000, 396),
    12: (6000, 396),
    13: (11_880, 396),
    20: (11_880, 396),
    21: (19_800, 792),
    22: (20_250, 1620),
    30: (40_500, 1620),
    31: (108_000, 3600),
    32: (216_000, 5120),
    40: (245_760, 8192),
    41: (245_760, 8192),
    42: (522_240, 8704),
    50: (589_824, 22_080),
    51: (983_040, 36_864),
    52: (2_073_600, 36_864),
    60: (4_177_920, 139_264),
    61: (8_355_840, 139_264),
    62: (16_711_680, 139_264),
}


def nal_type(first_byte: int) -> int:
    """Return the type of an H.264 NAL unit from its first byte."""
    return first_byte & 0x1F


def level_covers(level: int, picture: Picture, rate: float) -> bool:
    """
    Return whether an H.264 level allows pictures of this size at this frame rate.

    An unknown level allows nothing.
    """
    most_per_s, most = _LEVELS.get(level, (0, 0))
    across = -(-picture.coded_width_px // _MACROBLOCK_PX)
    down = -(-picture.coded_height_px // _MACROBLOCK_PX)
    is_slim = max(across, down) ** 2 <= 8 * most
    return across * down <= most and is_slim and across * down * rate <= most_per_s


def read_config(record: Box) -> VideoConfig:
    """
    Read the decoder configuration of H.264 video from an ``avcC`` box.

    Raises:
        BoxError: The box is shorter than its own fields say.
    """
    version, profile, compatible, level, lengths, count = record.numbers("6B")
    problems = [] if version == 1 else [f"avcC has version {version}"]
    sps, at = _sets(record, 6, count & 0x1F)
    (pictures_count,) = record.numbers("B", at)
    pps, _ = _sets(record, at + 1, pictures_count)
    if not sps or not pps:
        problems.append("avcC has no parameter sets")
    pictures = []
    for unit in sps:
        try:
            pictures.append(_picture(unit))
        except BitsError as exc:
            problems.append(f"a sequence parameter set {exc}")
        if unit[1:4] != bytes((profile, compatible, level)):
            problems.append("avcC and its SPS differ in profile or level")
    if any(nal_type(u[0]) != _PPS for u in pps if u):
        problems.append("avcC holds something else as picture parameter set")
    return VideoConfig(
        codecs=f"{profile:02x}{compatible:02x}{level:02x}",
        level=level,
        is_for_devices=profile in _FOR_DEVICES and level <= _MOST_FOR_DEVICES,
        nal_length_bytes=(lengths & 3) + 1,
        pictures=tuple(pictures),
        problems=tuple(problems),
    )


def _sets(record: Box, at: int, count: int) -> tuple[list[bytes], int]:
    found = []
    for _ in range(count):
        length = record.number("H", at)
        # Reads them to be sure that they are there.
        record.numbers(f"{length}B", at + 2)
        found.append(record.body[at + 2 : at + 2 + length])
        at += 2 + length
    return found, at


def _picture(unit: bytes) -> Picture:
    if not unit or nal_type(unit[0]) != _SPS:
        raise BitsError("is something else")
    bits = payload(unit, 1)
    profile = bits.take(8)
    bits.take(16)
    bits.unsigned(31)
    chroma = _chroma(bits) if profile in _WITH_CHROMA else 1
    bits.unsigned(12)
    _order_count(bits)
    bits.unsigned(16)
    bits.take(1)
    width = _MACROBLOCK_PX * (bits.unsigned(4095) + 1)
    units = bits.unsigned(4095) + 1
    has_frames_only = bits.flag()
    height = _MACROBLOCK_PX * units * (1 if has_frames_only else 2)
    if not has_frames_only:
        bits.take(1)
    bits.take(1)
    crop = [bits.unsigned(65_535) for _ in range(4)] if bits.flag() else [0, 0, 0, 0]
    across = 2 if chroma in {1, 2} else 1
    down = (2 if chroma == 1 else 1) * (1 if has_frames_only else 2)
    usability = read_usability(bits) if bits.flag() else Usability()
    return Picture(
        width_px=width - across * (crop[0] + crop[1]),
        height_px=height - down * (crop[2] + crop[3]),
        coded_width_px=width,
        coded_height_px=height,
        transfer=usability.transfer,
        has_square_pixels=usability.has_square_pixels,
    )


def read_usability(bits: Bits) -> Usability:
    """Read the shape of a pixel and the transfer function from the beginning of a VUI (H.264 and H.265)."""
    is_square = True
    if bits.flag():
        shape = bits.take(8)
        is_square = shape in _SQUARE_SHAPES
        if shape == _EXTENDED_SHAPE:
            width, height = bits.take(16), bits.take(16)
            # Not said where one of them is 0.
            is_square = width == height or not width * height
    if bits.flag():
        bits.take(1)
    transfer = None
    if bits.flag():
        bits.take(4)
        if bits.flag():
            _primaries, transfer, _matrix = (bits.take(8) for _ in range(3))
    return Usability(transfer=transfer, has_square_pixels=is_square)


def _chroma(bits: Bits) -> int:
    chroma = bits.unsigned(3)
    has_full_colour = chroma == 3  # noqa: PLR2004 - table 6-1
    has_separate_planes = has_full_colour and bits.flag()
    bits.unsigned(6)
    bits.unsigned(6)
    bits.take(1)
    if bits.flag():
        # Of full colour, there are lists of all planes even if planes are separate.
        for number in range(12 if has_full_colour else 8):
            if bits.flag():
                _skip_scaling(bits, 16 if number < 6 else 64)  # noqa: PLR2004 - table 7-2
    return 0 if has_separate_planes else chroma


def _skip_scaling(bits: Bits, size: int) -> None:
    last = 8
    for _ in range(size):
        last = (last + bits.signed()) % 256
        if last == 0:
            # The last number but one stands for all that would follow.
            break


def _order_count(bits: Bits) -> None:
    kind = bits.unsigned(2)
    if kind == 0:
        bits.unsigned(12)
    elif kind == 1:
        bits.take(1)
        bits.signed()
        bits.signed()
        for _ in range(bits.unsigned(255)):
            bits.signed()
