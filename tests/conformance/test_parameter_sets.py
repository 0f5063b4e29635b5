"""
Parameter sets of video are read whatever optional parts they have, and no further.
"""

import re
import struct
from collections.abc import Sequence

import attrs
import pytest

from hvcore.conformance.boxes import Box, BoxError
from hvcore.conformance.codecs import avc, hevc
from hvcore.conformance.codecs.bits import Bits, BitsError
from hvcore.conformance.codecs.pictures import Picture, VideoConfig

PPS = b"\x68\xce\x3c\x80"
HEVC_SETS = {32: b"\x40\x01\x0c", 34: b"\x44\x01\xc1"}


def code(value: int) -> str:
    digits = f"{value + 1:b}"
    return "0" * (len(digits) - 1) + digits


def signed(value: int) -> str:
    return code(2 * value - 1 if value > 0 else -2 * value)


def unit(head: bytes, *bits: str) -> bytes:
    """
    Return a NAL unit of these bits, ended and with emulation prevention bytes.
    """
    text = "".join(bits) + "1"
    text += "0" * (-len(text) % 8)
    data = int(text, 2).to_bytes(len(text) // 8, "big")
    return head + re.sub(rb"\0\0(?=[\0-\3])", b"\0\0\3", data)


def colours(transfer: int = 16) -> str:
    return f"1{'101'}0" + f"1{9:08b}{transfer:08b}{9:08b}"


NO_SHAPE, NO_OVERSCAN, NO_COLOURS = "0", "0", "0"
VUI = f"1{NO_SHAPE}{NO_OVERSCAN}{colours()}"
CROP = "1" + code(1) + code(2) + code(3) + code(4)
"""3 units of the width, and 7 of the height."""


def avc_sps(  # noqa: PLR0913 - its optional parts
    *,
    profile: int = 66,
    chroma: str = "",
    order: str = code(2),
    fields: str = "1",
    crop: str = "0",
    vui: str = VUI,
) -> bytes:
    """
    Return an SPS of 10 by 5 macroblocks.
    """
    size = code(9) + code(4) + fields
    head = f"{profile:08b}{0:08b}{30:08b}" + code(31) + chroma + code(12)
    return unit(b"\x67", head, order, code(16), "1", size, "1", crop, vui)


def avcc(*sets: bytes, pps: Sequence[bytes] = (PPS,), head: bytes = b"") -> Box:
    head = head or bytes((1, 66, 0, 30, 0xFF, 0xE0 | len(sets)))
    told = [struct.pack(">H", len(one)) + one for one in (*sets, *pps)]
    told.insert(len(sets), bytes([len(pps)]))
    return Box("avcC", head + b"".join(told))


def hevc_sps(  # noqa: PLR0913 - its optional parts
    *,
    layers: int = 0,
    profiles: str = "",
    chroma: str = code(1),
    crop: str = "0",
    order: str = "0" + code(1) * 3,
    scaling: str = "0",
    pcm: str = "0",
    sets: str = code(0),
    long_term: str = "0",
    vui: str = VUI,
) -> bytes:
    """
    Return an SPS of 160 by 80 pixels.
    """
    head = f"{15:04b}{layers:03b}1" + "1" * 96 + profiles + code(15)
    size = chroma + code(160) + code(80) + crop + code(8) + code(8) + code(12)
    rest = code(3) * 6 + scaling + "11" + pcm + sets + long_term + "11"
    return unit(b"\x42\x01", head, size, order, rest, vui)


def hvcc(*sets: bytes, level: int = 93, general: int = 1) -> Box:
    head = struct.pack(">BBI6sB", 1, general, 0x60000000, b"\xb0" + bytes(5), level)
    head += bytes(8) + bytes((0xFF, len(sets)))
    told = [struct.pack(">BHH", one[0] >> 1 & 0x3F, 1, len(one)) + one for one in sets]
    return Box("hvcC", head + b"".join(told))


def hevc_config(*sps: bytes, level: int = 93, general: int = 1) -> VideoConfig:
    sets = (HEVC_SETS[32], *sps, HEVC_SETS[34])
    return hevc.read_config(hvcc(*sets, level=level, general=general))


PLAIN = Picture(
    width_px=160,
    height_px=80,
    coded_width_px=160,
    coded_height_px=80,
    transfer=16,
)


def cropped(across: int, down: int, height_px: int = 80) -> Picture:
    return attrs.evolve(
        PLAIN,
        width_px=160 - 3 * across,
        height_px=height_px - 7 * down,
        coded_height_px=height_px,
    )


def high(chroma: str, scaling: str = "0") -> dict[str, object]:
    return {"profile": 100, "chroma": chroma + code(6) + code(6) + "1" + scaling}


# One list of each length: of the first, all numbers differ; the second ends early,
# because its next number would be 0.
LISTS = "1" + signed(1) * 16 + "1" + signed(-8)
FIRST_LONG = "1" + signed(1) * 64
SHAPES = {
    "unspecified": (f"1{0:08b}", True),
    "square": (f"1{1:08b}", True),
    "12 by 11": (f"1{2:08b}", False),
    "4 by 3": (f"1{255:08b}{4:016b}{3:016b}", False),
    "8 by 8": (f"1{255:08b}{8:016b}{8:016b}", True),
    "0 by 8": (f"1{255:08b}{0:016b}{8:016b}", True),
    "8 by 0": (f"1{255:08b}{8:016b}{0:016b}", True),
}


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({}, PLAIN),
        ({"vui": "0"}, attrs.evolve(PLAIN, transfer=None)),
        ({"crop": CROP}, cropped(2, 2)),
        ({"fields": "01"}, cropped(0, 0, 160)),
        ({"fields": "00", "crop": CROP}, cropped(2, 4, 160)),
        ({"order": code(0) + code(12)}, PLAIN),
        (
            {"order": code(1) + "1" + signed(-5) + signed(7) + code(2) + signed(9) * 2},
            PLAIN,
        ),
        ({**high(code(0)), "crop": CROP}, cropped(1, 1)),
        ({**high(code(1)), "crop": CROP}, cropped(2, 2)),
        ({**high(code(2)), "crop": CROP}, cropped(2, 1)),
        ({**high(code(3) + "0"), "crop": CROP}, cropped(1, 1)),
        ({**high(code(3) + "1"), "crop": CROP, "fields": "00"}, cropped(1, 2, 160)),
        (high(code(1), "1" + LISTS + "0" * 4 + FIRST_LONG + "0"), PLAIN),
        (high(code(3) + "0", "1" + LISTS + "0" * 4 + FIRST_LONG * 6), PLAIN),
        (high(code(3) + "1", "1" + LISTS + "0" * 4 + FIRST_LONG * 6), PLAIN),
        *(
            ({**high(code(2)), "profile": profile, "crop": CROP}, cropped(2, 1))
            for profile in (44, 83, 86, 110, 118, 122, 128, 134, 135, 138, 139, 244)
        ),
    ],
)
def test_pictures_of_h264_are_read_behind_all_optional_parts(
    parts: dict[str, object], expected: Picture
) -> None:
    sps = avc_sps(**parts)  # type: ignore[arg-type]  # names of arguments

    assert avc.read_config(avcc(sps)).pictures == (expected,)


FULL_SETS = (
    # The first names three pictures; the second is told by its difference to that.
    code(4)
    + (code(2) + code(1) + (code(5) + "1") * 3)
    + ("1" + "1" + code(3) + "1" + "01" + "00" + "1")
    # Of these four, three are used: so has the next one its four.
    + ("1" + "0" + code(0) + "1" * 4)
    + ("0" + code(1) + code(0) + code(2) + "0")
)


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({}, PLAIN),
        ({"vui": "0"}, attrs.evolve(PLAIN, transfer=None)),
        ({"chroma": code(0), "crop": CROP}, cropped(1, 1)),
        ({"chroma": code(1), "crop": CROP}, cropped(2, 2)),
        ({"chroma": code(2), "crop": CROP}, cropped(2, 1)),
        ({"chroma": code(3) + "0", "crop": CROP}, cropped(1, 1)),
        ({"chroma": code(3) + "1", "crop": CROP}, cropped(1, 1)),
        ({"layers": 6, "profiles": "0" * 12 + "0" * 4}, PLAIN),
        (
            {
                "layers": 2,
                "profiles": "1101" + "0" * 12 + "1" * 96 + "1" * 8,
                "order": "1" + code(1) * 9,
            },
            PLAIN,
        ),
        ({"scaling": "10"}, PLAIN),
        (
            {
                "scaling": "11"
                + ("0" + code(1)) * 5
                + ("1" + signed(-1) * 16)
                + ("1" + signed(1) * 64) * 6
                + ("1" + signed(3) + signed(1) * 64) * 6
                + ("1" + signed(3) + signed(1) * 64) * 2
            },
            PLAIN,
        ),
        ({"pcm": "1" + "1" * 8 + code(1) + code(2) + "1"}, PLAIN),
        ({"sets": FULL_SETS}, PLAIN),
        ({"long_term": "1" + code(2) + "1" * 17 * 2}, PLAIN),
    ],
)
def test_pictures_of_h265_are_read_behind_all_optional_parts(
    parts: dict[str, object], expected: Picture
) -> None:
    sps = hevc_sps(**parts)  # type: ignore[arg-type]  # names of arguments

    config = hevc_config(sps)

    assert config.problems == ()
    assert config.pictures == (expected,)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("overscan", ["0", "11"])
@pytest.mark.parametrize(
    ("colour", "transfer"),
    [("0", None), ("1" + "101" + "1" + "0", None), (colours(1), 1), (colours(18), 18)],
)
def test_shape_and_colours_are_read_of_what_is_said_of_both_codecs(
    shape: str, overscan: str, colour: str, transfer: int | None
) -> None:
    said, is_square = SHAPES[shape]
    vui = f"1{said}{overscan}{colour}"
    expected = attrs.evolve(PLAIN, transfer=transfer, has_square_pixels=is_square)

    assert avc.read_config(avcc(avc_sps(vui=vui))).pictures == (expected,)
    assert hevc_config(hevc_sps(vui=vui)).pictures == (expected,)


def test_each_of_several_parameter_sets_is_read() -> None:
    interlaced = avc_sps(fields="01")

    of_avc = avc.read_config(avcc(avc_sps(), interlaced, avc_sps(), pps=(PPS, PPS)))
    of_hevc = hevc_config(hevc_sps(), hevc_sps(crop=CROP))

    assert of_avc.pictures == (PLAIN, cropped(0, 0, 160), PLAIN)
    assert of_hevc.pictures == (PLAIN, cropped(2, 2))
    assert of_avc.problems == of_hevc.problems == ()


def test_a_parameter_set_that_is_cut_off_is_told_whatever_follows_it() -> None:
    for vui in (VUI, f"1{SHAPES['square'][0]}{NO_OVERSCAN}{colours()}"):
        of_avc, of_hevc = avc_sps(vui=vui), hevc_sps(vui=vui)
        # In a byte of its own, the end of a set is not missed.
        assert b"\x80" not in (of_avc[-1:], of_hevc[-1:])

        for config in (
            avc.read_config(avcc(of_avc[:-1], of_avc)),
            hevc_config(of_hevc[:-1], of_hevc),
        ):
            assert config.problems == ("a sequence parameter set ends early",)
            assert config.pictures == (PLAIN,)


@pytest.mark.parametrize("record", [avcc(avc_sps()), hvcc(*HEVC_SETS.values())])
def test_a_record_that_is_cut_off_is_malformed(record: Box) -> None:
    read = {"avcC": avc.read_config, "hvcC": hevc.read_config}[record.kind]

    for end in range(len(record.body)):
        with pytest.raises(BoxError, match=f"{record.kind} ends early"):
            read(Box(record.kind, record.body[:end]))
    assert read(record).nal_length_bytes == 4


HEAD = bytes((1, 66, 0, 30, 0xFF, 0xE1))


@pytest.mark.parametrize(
    ("record", "problems"),
    [
        (avcc(avc_sps()), ()),
        (avcc(avc_sps(), head=b"\2" + HEAD[1:]), ("avcC has version 2",)),
        (avcc(), ("avcC has no parameter sets",)),
        (avcc(avc_sps(), pps=()), ("avcC has no parameter sets",)),
        (
            avcc(avc_sps(), pps=(PPS, b"\x67")),
            ("avcC holds something else as picture parameter set",),
        ),
        (
            avcc(PPS[:1] + avc_sps()[1:]),
            ("a sequence parameter set is something else",),
        ),
        *(
            (
                avcc(avc_sps(), head=HEAD[:at] + b"\x4d" + HEAD[at + 1 :]),
                ("avcC and its SPS differ in profile or level",),
            )
            for at in (1, 2, 3)
        ),
    ],
)
def test_faults_of_a_record_of_h264_are_told(
    record: Box, problems: tuple[str, ...]
) -> None:
    assert avc.read_config(record).problems == problems


def test_faults_of_a_record_of_h265_are_told() -> None:
    sps = hevc_sps()
    for sets, missing in (
        ((sps, HEVC_SETS[34]), [32]),
        ((HEVC_SETS[32], HEVC_SETS[34]), [33]),
        ((sps,), [32, 34]),
    ):
        told = f"hvcC lacks parameter sets of the types {missing}"
        assert hevc.read_config(hvcc(*sets)).problems == (told,)
    record = hvcc(HEVC_SETS[32], sps, HEVC_SETS[34])
    of_another_version = Box("hvcC", b"\2" + record.body[1:])
    assert hevc.read_config(of_another_version).problems == ("hvcC has version 2",)


@pytest.mark.parametrize("length_bytes", [1, 2, 3, 4])
def test_the_length_of_a_nal_unit_has_as_many_bytes_as_the_record_says(
    length_bytes: int,
) -> None:
    head = HEAD[:4] + bytes((0xFC | length_bytes - 1, 0xE1))

    assert avc.read_config(avcc(avc_sps(), head=head)).nal_length_bytes == length_bytes


@pytest.mark.parametrize(
    ("profile", "level", "is_for_devices"),
    [
        *((profile, 52, True) for profile in (66, 77, 88, 100)),
        (100, 60, False),
        (110, 30, False),
    ],
)
def test_devices_play_profiles_of_h264_up_to_level_5_2(
    profile: int, level: int, *, is_for_devices: bool
) -> None:
    config = avc.read_config(avcc(head=bytes((1, profile, 0, level, 0xFF, 0xE0))))

    assert config.is_for_devices is is_for_devices
    assert config.codecs == f"{profile:02x}00{level:02x}"


@pytest.mark.parametrize(
    ("general", "level", "codecs", "is_for_devices"),
    [
        (0x01, 93, "1.6.l93.b0", True),
        (0x22, 153, "2.6.h153.b0", True),
        (0x01, 154, "1.6.l154.b0", False),
        (0x83, 93, "b3.6.l93.b0", False),
    ],
)
def test_devices_play_profiles_of_h265_up_to_level_5_1(
    general: int, level: int, codecs: str, *, is_for_devices: bool
) -> None:
    config = hevc_config(level=level, general=general)

    assert (config.codecs, config.level) == (codecs, level)
    assert config.is_for_devices is is_for_devices


def bits_of(text: str) -> Bits:
    text += "0" * (-len(text) % 8)
    return Bits(int(text, 2).to_bytes(len(text) // 8, "big"))


def test_numbers_of_a_parameter_set_are_read_up_to_their_ends() -> None:
    for value in (0, 1, 2, 6, 7, 254, (1 << 32) - 2):
        assert bits_of(code(value)).unsigned() == value
        assert bits_of(code(value)).unsigned(value) == value
        with pytest.raises(BitsError, match=f"has {value + 1} where {value} is"):
            bits_of(code(value + 1)).unsigned(value)
    for value in (0, 1, -1, 2, -2, 100, -100):
        assert bits_of(signed(value)).signed() == value
    with pytest.raises(BitsError, match="without end"):
        bits_of("0" * 33 + "1" * 40).unsigned()
    bits = Bits(b"\xa5\x0f")
    assert (bits.take(0), bits.take(4), bits.take(12), bits.left) == (0, 10, 0x50F, 0)
    for read in (lambda: bits.take(1), bits.flag, bits.unsigned):
        with pytest.raises(BitsError, match="ends early"):
            read()
