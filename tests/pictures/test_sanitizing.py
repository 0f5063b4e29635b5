"""
Hostile pictures: small files that would cost much to decode.
"""

import io
import struct
import time
import warnings
import zlib
from collections.abc import Callable
from typing import Final

import pytest
from PIL import Image

from hvcore.errors import InvalidParametersError
from hvcore.pictures.redraw import redraw
from hvcore.pictures.sanitizing import (
    MAX_JPEG_SCANS,
    MAX_PARTS,
    UPRIGHT,
    bare_jpeg,
    bare_png,
)

JPEG, PNG = "image/jpeg", "image/png"
LIMIT_S: Final = 5.0
"""Of CPU; what these files cost without their limits is over a minute."""
MIB: Final = 1024**2


def jpeg_part(marker: int, data: bytes) -> bytes:
    return b"\xff" + bytes([marker]) + struct.pack(">H", len(data) + 2) + data


def many_scans(scans: int, side_px: int = 64) -> bytes:
    """
    A progressive JPEG of one colour whose scans, but for the first, are empty.
    """
    blocks = ((side_px + 7) // 8) ** 2
    frame = struct.pack(">BHHB", 8, side_px, side_px, 1) + b"\1\x11\0"
    one_code = bytes([1] + [0] * 15)
    start = (
        b"\xff\xd8"
        + jpeg_part(0xDB, b"\0" + b"\1" * 64)
        + jpeg_part(0xC2, frame)
        + jpeg_part(0xC4, b"\x00" + one_code + b"\0")
        + jpeg_part(0xC4, b"\x10" + one_code + b"\xe0")
        + jpeg_part(0xDA, b"\1\1\0\0\0\0")
        + b"\0" * ((blocks + 7) // 8)
    )
    # Each code says that the next 32,767 blocks have nothing.
    bits = ("0" + "1" * 14) * (blocks // 32767 + 1)
    bits += "1" * (-len(bits) % 8)
    run = int(bits, 2).to_bytes(len(bits) // 8).replace(b"\xff", b"\xff\0")
    empty = jpeg_part(0xDA, b"\1\1\0\1\x3f\0") + run
    return start + empty * (scans - 1) + b"\xff\xd9"


def png_part(kind: bytes, data: bytes) -> bytes:
    checked = kind + data
    return (
        struct.pack(">I", len(data)) + checked + struct.pack(">I", zlib.crc32(checked))
    )


SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
PNG_HEAD: Final = png_part(b"IHDR", struct.pack(">IIBBBBB", 16, 16, 8, 2, 0, 0, 0))
PNG_END: Final = png_part(b"IDAT", zlib.compress(b"\0" * (16 * 49))) + png_part(
    b"IEND", b""
)


def png(*middle: bytes) -> bytes:
    return b"".join((SIGNATURE, PNG_HEAD, *middle, PNG_END))


def exif(*entries: tuple[int, int, int, int], rest: int = 0) -> bytes:
    directory = b"".join(struct.pack(">HHII", *entry) for entry in entries)
    return b"MM\0*" + struct.pack(">IH", 8, len(entries)) + directory + bytes(rest)


def turned(orientation: int) -> tuple[int, int, int, int]:
    return (0x0112, 3, 1, orientation << 16)


def size_of(drawn: bytes) -> tuple[int, int]:
    with Image.open(io.BytesIO(drawn)) as found:
        return found.size


def test_a_picture_of_as_many_scans_as_encoders_write_is_drawn() -> None:
    assert size_of(redraw(many_scans(MAX_JPEG_SCANS), JPEG)) == (64, 64)


@pytest.mark.parametrize("scans", [MAX_JPEG_SCANS + 1, 200_000])
def test_a_picture_of_too_many_scans_is_refused_unread(scans: int) -> None:
    started_s = time.process_time()

    with pytest.raises(InvalidParametersError, match="at most 100 scans") as caught:
        redraw(many_scans(scans, side_px=6000), JPEG)

    assert caught.value.errors[0].location == "body"
    # Most of it is spent on making the file.
    assert time.process_time() - started_s < LIMIT_S


def test_what_looks_like_a_scan_within_another_part_counts_as_none() -> None:
    video_behind = b"\xff\xda" * 1000
    camera_notes = jpeg_part(0xE1, b"\xff\xda" * 1000)
    picture = b"\xff\xd8" + camera_notes + many_scans(3)[2:] + video_behind

    assert size_of(redraw(picture, JPEG)) == (64, 64)


TOO_MANY: Final = "at most 10,000 parts"


@pytest.mark.parametrize(
    ("content_type", "make", "why"),
    [
        (JPEG, lambda: b"\xff\xd8" + b"\xff\xfe\0\2" * (5 * MIB // 2), TOO_MANY),
        (JPEG, lambda: b"\xff\xd8" + b"\xff\1" * (5 * MIB), TOO_MANY),
        # No parts, whatever their number, and no picture.
        (JPEG, lambda: b"\xff\xd8" + b"\xff" * (10 * MIB) + b"\0", "cannot be read"),
        (PNG, lambda: png(png_part(b"teSt", b"") * 870_000), TOO_MANY),
        (PNG, lambda: png(png_part(b"IDAT", b"") * 870_000), TOO_MANY),
    ],
    ids=["comments", "marks", "filling", "chunks", "empty data"],
)
def test_a_picture_of_countless_parts_is_refused_unread(
    content_type: str, make: Callable[[], bytes], why: str
) -> None:
    picture = make()
    started_s = time.process_time()

    with pytest.raises(InvalidParametersError, match=why):
        redraw(picture, content_type)

    assert time.process_time() - started_s < LIMIT_S


def test_what_is_not_drawn_costs_nothing() -> None:
    profile = png_part(b"iCCP", b"a\0\0" + zlib.compress(bytes(MIB - 10), 9))
    words = png_part(b"zTXt", b"a\0\0" + zlib.compress(bytes(MIB - 10), 9))
    tags = [(1000 + n, 7, 9 * MIB, 8) for n in range(60_000)]
    directory = png_part(b"eXIf", exif(*tags, rest=9 * MIB))
    started_s = time.process_time()

    for picture in (png(profile * 9000), png(words * 9000), png(directory)):
        assert size_of(redraw(picture, PNG)) == (16, 16)

    assert time.process_time() - started_s < LIMIT_S


def test_data_behind_the_last_row_is_not_inflated() -> None:
    pack = zlib.compressobj(9)
    data = b"".join(
        [*(pack.compress(bytes(100 * MIB)) for _ in range(5)), pack.flush()]
    )
    picture = SIGNATURE + PNG_HEAD + png_part(b"IDAT", data) + png_part(b"IEND", b"")
    started_s = time.process_time()

    redraw(picture, PNG)

    assert time.process_time() - started_s < 0.5


def test_an_animation_gives_its_picture_and_no_frame() -> None:
    frames = [Image.new("RGB", (32, 32), colour) for colour in ("red", "blue")]
    made = io.BytesIO()
    frames[0].save(made, "PNG", save_all=True, append_images=frames[1:])

    bare = bare_png(made.getvalue()).data

    assert b"fdAT" not in bare
    assert b"acTL" not in bare
    with Image.open(io.BytesIO(redraw(made.getvalue(), PNG))) as found:
        pixel = found.getpixel((16, 16))
    assert isinstance(pixel, tuple)
    assert pixel[0] > 240


@pytest.mark.parametrize("frame", [0xC3, 0xC9, 0xCA])
def test_codings_that_no_browser_shows_are_refused(frame: int) -> None:
    picture = many_scans(2).replace(b"\xff\xc2", bytes([0xFF, frame]))

    with pytest.raises(InvalidParametersError, match="cannot be read"):
        redraw(picture, JPEG)


def test_damaged_exif_is_upright_and_says_nothing_in_the_log() -> None:
    """
    The decoder's warnings quote what was sent.
    """
    lying = exif((0x010F, 2, 2**31, 8), turned(6))
    picture = b"\xff\xd8" + jpeg_part(0xE1, b"Exif\0\0" + lying) + many_scans(2)[2:]

    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        redraw(picture, JPEG)

    assert said == []


def test_the_decoders_warnings_are_silenced() -> None:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        redraw(png(), PNG)
        warnings.warn_explicit("from it", UserWarning, "x.py", 1, "PIL.TiffImagePlugin")
        warnings.warn_explicit("from us", UserWarning, "x.py", 1, "hvcore.clock")

    assert [str(warning.message) for warning in said] == ["from us"]


@pytest.mark.parametrize(
    ("sent", "orientation"),
    [
        (exif(turned(6)), 6),
        (exif((0x010F, 2, 2**31, 8), turned(3)), 3),
        (b"II*\0" + struct.pack("<IHHHIHH", 8, 1, 0x0112, 3, 1, 8, 0), 8),
        (exif(turned(9)), UPRIGHT),
        (exif(turned(0)), UPRIGHT),
        (exif((0x0112, 4, 1, 6)), UPRIGHT),
        (exif(turned(6))[:19], UPRIGHT),
        (exif(), UPRIGHT),
        (b"MM\0*" + b"\xff" * 4, UPRIGHT),
        (b"no exif", UPRIGHT),
        (b"", UPRIGHT),
    ],
)
def test_the_orientation_is_read_or_upright(sent: bytes, orientation: int) -> None:
    jpeg = b"\xff\xd8" + jpeg_part(0xE1, b"Exif\0\0" + sent) + many_scans(2)[2:]

    assert bare_jpeg(jpeg).orientation == orientation
    assert bare_png(png(png_part(b"eXIf", sent))).orientation == orientation


@pytest.mark.parametrize("read", [bare_jpeg, bare_png])
def test_another_file_is_no_picture(read: Callable[[bytes], object]) -> None:
    with pytest.raises(ValueError, match="It is no"):
        read(b"something else")


def test_what_is_cut_off_stays_cut_off() -> None:
    jpeg, whole = many_scans(3), png()

    for size_bytes in (0, 1, 3, 40, len(jpeg) - 4):
        with pytest.raises(InvalidParametersError, match="cannot be read as image/jp"):
            redraw(jpeg[:size_bytes], JPEG)
    for size_bytes in (9, 30, 40):
        with pytest.raises(InvalidParametersError, match="cannot be read as image/png"):
            redraw(whole[:size_bytes], PNG)
    assert MAX_PARTS > 1300
