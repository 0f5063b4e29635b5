"""
The rows of a PNG are those that the decoder finds, with little of it in memory.
"""

import io
import zlib
from typing import Any, Final

import pytest
from PIL import Image

from hvcore.pictures.png_rows import PngRows

SIZE_PX: Final = (97, 210)
STOPS: Final = (64, 130, 130, 210)
OVERLAP: Final = 9


def png(mode: str, **saved: Any) -> bytes:  # noqa: ANN401 - of Pillow
    gradient = Image.linear_gradient("L").resize(SIZE_PX)
    picture = Image.merge("RGB", (gradient, gradient.rotate(90), gradient.rotate(45)))
    made = io.BytesIO()
    picture = picture.quantize(200) if mode == "P" else picture.convert(mode)
    picture.save(made, "PNG", **saved)
    return made.getvalue()


@pytest.mark.parametrize(
    "file",
    [
        pytest.param(png("L"), id="grey"),
        pytest.param(png("L", transparency=7), id="grey, one transparent"),
        pytest.param(png("LA"), id="grey and alpha"),
        pytest.param(png("RGB"), id="colours"),
        pytest.param(png("RGB", transparency=(1, 2, 3)), id="colours, one transparent"),
        pytest.param(png("RGBA"), id="colours and alpha"),
        pytest.param(png("P", transparency=b"\0\x80"), id="palette"),
    ],
)
def test_rows_are_those_of_the_whole_picture(file: bytes) -> None:
    reader, first = PngRows.of(file), 0
    assert reader is not None
    with Image.open(io.BytesIO(file)) as whole:
        for last in STOPS:
            found = reader.rows(first, last)

            wanted = whole.crop((0, first, SIZE_PX[0], last))
            assert found.has_transparency_data == wanted.has_transparency_data
            assert found.convert("RGBA").tobytes() == wanted.convert("RGBA").tobytes()
            first = last - OVERLAP


@pytest.mark.parametrize(
    "file", [png("1"), png("P", bits=4)], ids=["one bit", "four bits"]
)
def test_rows_of_other_depths_are_not_read_in_turn(file: bytes) -> None:
    assert PngRows.of(file) is None


def test_empty_chunks_are_not_the_end_of_the_file() -> None:
    file = png("RGB")
    at = file.index(b"IDAT") - 4
    empty = b"\0\0\0\0IDAT" + zlib.crc32(b"IDAT").to_bytes(4, "big")
    reader = PngRows.of(file[:at] + empty + file[at:])
    assert reader is not None

    found = reader.rows(0, SIZE_PX[1])

    with Image.open(io.BytesIO(file)) as whole:
        assert found.tobytes() == whole.tobytes()


def test_a_file_that_ends_too_early_is_refused() -> None:
    file = png("RGB")
    reader = PngRows.of(file[: file.index(b"IDAT") - 4])
    assert reader is not None
    with pytest.raises(ValueError, match="too early"):
        reader.rows(0, SIZE_PX[1])


def test_a_file_that_is_cut_off_is_refused() -> None:
    file = png("RGB")
    with pytest.raises(ValueError, match="damaged"):
        PngRows.of(file[: len(file) // 2])


def test_a_chunk_whose_sum_is_wrong_is_refused() -> None:
    file = bytearray(png("RGB"))
    file[file.index(b"IDAT") + 20] ^= 1

    with pytest.raises(ValueError, match="damaged"):
        PngRows.of(bytes(file))
