"""
Read the decoder configuration (``hvcC``) and parameter sets of H.265 video.

Source: ITU-T H.265, sections 7.3.2.2, 7.3.3, 7.3.4, 7.3.7, A.4 and E.2; ISO/IEC
14496-15, section 8.3 and annex E.
"""

from collections.abc import Mapping
from typing import Final

from hvcore.conformance.boxes import Box
from hvcore.conformance.codecs.avc import read_usability
from hvcore.conformance.codecs.bits import Bits, BitsError, payload
from hvcore.conformance.codecs.pictures import Picture, Usability, VideoConfig

IDR: Final = frozenset({19, 20})
PICTURES: Final = frozenset(range(32))
PARAMETER_SETS: Final = frozenset({32, 33, 34})
MESSAGES: Final = frozenset({39, 40})
HEADER_BYTES: Final = 2
_SPS: Final = 33
_MOST_SETS: Final = 64
# Main and Main 10, up to level 5.1 of either tier.
_FOR_DEVICES: Final = frozenset({1, 2})
_MOST_FOR_DEVICES: Final = 153

# By general_level_idc: samples per second, samples per picture (table A.8).
_LEVELS: Final[Mapping[int, tuple[int, int]]] = {
    30: (552_960, 36_864),
    60: (3_686_400, 122_880),
    63: (7_372_800, 245_760),
    90: (16_588_800, 552_960),
    93: (33_177_600, 983_040),
    120: (66_846_720, 2_228_224),
    123: (133_693_440, 2_228_224),
    150: (267_386_880, 8_912_896),
    153: (534_773_760, 8_912_896),
    156: (1_069_547_520, 8_912_896),
    180: (1_069_547_520, 35_651_584),
    183: (2_139_095_040, 35_651_584),
    186: (4_278_190_080, 35_651_584),
}


def nal_type(first_byte: int) -> int:
    """Return the type of an H.265 NAL unit from its first byte."""
    return first_byte >> 1 & 0x3F


def level_covers(level: int, picture: Picture, rate: float) -> bool:
    """
    Return whether an H.265 level allows pictures of this size at this frame rate.

    An unknown level allows nothing.
    """
    most_per_s, most = _LEVELS.get(level, (0, 0))
    size = picture.coded_width_px * picture.coded_height_px
    longest = max(picture.coded_width_px, picture.coded_height_px)
    return size <= most and longest**2 <= 8 * most and size * rate <= most_per_s


def read_config(record: Box) -> VideoConfig:
    """
    Read the decoder configuration of H.265 video from an ``hvcC`` box.

    Raises:
        BoxError: The box is shorter than its own fields say.
    """
    version, general, compatible, *constraints, level = record.numbers("BBI6BB")
    problems = [] if version == 1 else [f"hvcC has version {version}"]
    lengths, arrays = record.numbers("BB", 21)
    units = _units(record, arrays)
    missing = PARAMETER_SETS - {nal_type(unit[0]) for unit in units if unit}
    if missing:
        problems.append(f"hvcC lacks parameter sets of the types {sorted(missing)}")
    pictures = []
    for unit in units:
        if unit and nal_type(unit[0]) == _SPS:
            try:
                pictures.append(_picture(unit))
            except BitsError as exc:
                problems.append(f"a sequence parameter set {exc}")
    return VideoConfig(
        codecs=_codecs(general, compatible, constraints, level),
        level=level,
        is_for_devices=general & 0x1F in _FOR_DEVICES and level <= _MOST_FOR_DEVICES,
        nal_length_bytes=(lengths & 3) + 1,
        pictures=tuple(pictures),
        problems=tuple(problems),
    )


def _codecs(general: int, compatible: int, constraints: list[int], level: int) -> str:
    space = ("", "a", "b", "c")[general >> 6]
    tier = "h" if general & 0x20 else "l"
    # Its bits from the last to the first.
    mirrored = int(f"{compatible:032b}"[::-1], 2)
    trimmed = bytes(constraints).rstrip(b"\0")
    tail = "".join(f".{byte:x}" for byte in trimmed)
    return f"{space}{general & 0x1F}.{mirrored:x}.{tier}{level}{tail}"


def _units(record: Box, arrays: int) -> list[bytes]:
    found: list[bytes] = []
    at = 23
    for _ in range(arrays):
        _, count = record.numbers("BH", at)
        at += 3
        for _ in range(min(count, _MOST_SETS)):
            length = record.number("H", at)
            record.numbers(f"{length}B", at + 2)
            found.append(record.body[at + 2 : at + 2 + length])
            at += 2 + length
    return found


def _picture(unit: bytes) -> Picture:
    bits = payload(unit, 2)
    bits.take(4)
    layers = bits.take(3)
    bits.take(1)
    _skip_profile(bits, layers)
    bits.unsigned(15)
    chroma = bits.unsigned(3)
    planes = 3
    if chroma == planes and bits.flag():
        chroma = 0
    width, height = bits.unsigned(65_535), bits.unsigned(65_535)
    crop = [bits.unsigned(65_535) for _ in range(4)] if bits.flag() else [0, 0, 0, 0]
    across = 2 if chroma in {1, 2} else 1
    down = 2 if chroma == 1 else 1
    usability = _usability(bits, layers)
    return Picture(
        width_px=width - across * (crop[0] + crop[1]),
        height_px=height - down * (crop[2] + crop[3]),
        coded_width_px=width,
        coded_height_px=height,
        transfer=usability.transfer,
        has_square_pixels=usability.has_square_pixels,
    )


def _skip_profile(bits: Bits, layers: int) -> None:
    bits.take(96)
    if not layers:
        return
    present = [(bits.flag(), bits.flag()) for _ in range(layers)]
    bits.take(2 * (8 - layers))
    for has_profile, has_level in present:
        bits.take((88 if has_profile else 0) + (8 if has_level else 0))


def _usability(bits: Bits, layers: int) -> Usability:
    bits.unsigned(8)
    bits.unsigned(8)
    order_bits = bits.unsigned(12) + 4
    for _ in range(layers + 1 if bits.flag() else 1):
        for _ in range(3):
            bits.unsigned()
    for _ in range(6):
        bits.unsigned()
    if bits.flag() and bits.flag():
        _skip_scaling(bits)
    bits.take(2)
    if bits.flag():
        bits.take(8)
        bits.unsigned()
        bits.unsigned()
        bits.take(1)
    _skip_reference_sets(bits)
    if bits.flag():
        for _ in range(bits.unsigned(32)):
            bits.take(order_bits + 1)
    bits.take(2)
    return read_usability(bits) if bits.flag() else Usability()


def _skip_scaling(bits: Bits) -> None:
    for size in range(4):
        for _ in range(0, 6, 3 if size == 3 else 1):  # noqa: PLR2004 - section 7.3.4
            if not bits.flag():
                bits.unsigned()
                continue
            if size > 1:
                bits.signed()
            for _ in range(min(64, 1 << (4 + 2 * size))):
                bits.signed()


def _skip_reference_sets(bits: Bits) -> None:
    pictures = 0
    for number in range(bits.unsigned(64)):
        if number and bits.flag():
            # It is told by its difference to the set before it.
            bits.take(1)
            bits.unsigned()
            used = 0
            for _ in range(pictures + 1):
                is_used = bits.flag()
                used += is_used or bits.flag()
            pictures = used
        else:
            pictures = bits.unsigned(16) + bits.unsigned(16)
            for _ in range(pictures):
                bits.unsigned()
                bits.take(1)
