"""
Sheets of small pictures, and frames, within their limits.
"""

import io

import pytest
from PIL import Image

from hvcore.errors import NotFoundError
from hvcore.pictures import cropping, jpeg, webp
from hvcore.pictures.cropping import crop_to_fill, crop_to_webp
from hvcore.pictures.jpeg import encode_jpeg
from hvcore.pictures.sheets import MAX_TILE_PX, draw_sheet
from hvcore.pictures.webp import draw_animation

COLOURS = ("red", "lime", "blue", "white", "yellow")


def still(colour: str = "red", size: tuple[int, int] = (32, 16)) -> bytes:
    made = io.BytesIO()
    Image.new("RGB", size, colour).save(made, "JPEG")
    return made.getvalue()


@pytest.mark.parametrize(
    ("count", "columns", "size"),
    [(5, 3, (96, 32)), (3, 3, (96, 16)), (2, 3, (64, 16)), (4, 1, (32, 64))],
)
def test_pictures_stand_on_a_sheet_row_after_row(
    count: int, columns: int, size: tuple[int, int]
) -> None:
    made = draw_sheet([still(colour) for colour in COLOURS[:count]], columns=columns)

    sheet = Image.open(io.BytesIO(made.picture))
    assert sheet.size == size
    assert (made.width_px, made.height_px) == (32, 16)
    for number, colour in enumerate(COLOURS[:count]):
        row, column = divmod(number, columns)
        wanted = Image.new("RGB", (1, 1), colour).getpixel((0, 0))
        found = sheet.getpixel((32 * column + 16, 16 * row + 8))
        assert found == pytest.approx(wanted, abs=16)


def test_a_tile_has_a_largest_size_and_that_of_the_others() -> None:
    for size in ((MAX_TILE_PX, 16), (16, MAX_TILE_PX)):
        assert draw_sheet([still(size=size)], columns=1).picture
    for size in ((MAX_TILE_PX + 1, 16), (16, MAX_TILE_PX + 1)):
        with pytest.raises(ValueError, match=f"a still is {size[0]}x{size[1]}"):
            draw_sheet([still(size=size)], columns=1)
    with pytest.raises(ValueError, match="differ in size"):
        draw_sheet([still(), still(size=(32, 24))], columns=2)


def test_a_still_of_countless_pixels_is_too_large(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 32)

    with pytest.raises(ValueError, match="a still is too large"):
        draw_sheet([still()], columns=1)


def test_a_frame_has_a_largest_size_and_that_of_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(webp, "_MAX_FRAME_PX", 32 * 16)

    made = draw_animation([still("red"), still("blue")], frame_ms=100)

    assert getattr(Image.open(io.BytesIO(made)), "n_frames", 0) == 2
    with pytest.raises(ValueError, match="a frame is 32x17"):
        draw_animation([still(size=(32, 17))], frame_ms=100)
    with pytest.raises(ValueError, match="the frames differ in size"):
        draw_animation([still(), still(size=(16, 16))], frame_ms=100)


@pytest.mark.filterwarnings("ignore::PIL.Image.DecompressionBombWarning")
@pytest.mark.parametrize("crop", [crop_to_fill, crop_to_webp])
def test_a_picture_that_is_cropped_has_so_many_pixels(
    crop: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert callable(crop)
    monkeypatch.setattr(cropping, "MAX_SOURCE_PIXELS", 32 * 16)
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", None)

    assert Image.open(io.BytesIO(crop(still(), 8, 8))).size == (8, 8)
    with pytest.raises(NotFoundError, match="too large to be shown"):
        crop(still(size=(32, 17)), 8, 8)


@pytest.mark.parametrize("is_wanted", [True, False])
def test_a_picture_is_progressive_if_it_is_small_enough(
    monkeypatch: pytest.MonkeyPatch, *, is_wanted: bool
) -> None:
    monkeypatch.setattr(jpeg, "MOST_COMPRESSED_PX", 32 * 32)

    for size, is_small in (((32, 32), True), ((32, 33), False)):
        made = encode_jpeg(Image.new("RGB", size), quality=75, is_progressive=is_wanted)
        info = Image.open(io.BytesIO(made)).info
        assert bool(info.get("progressive")) is (is_wanted and is_small)
