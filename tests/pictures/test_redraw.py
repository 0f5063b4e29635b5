"""
Pictures from strangers keep how they look, whatever kind of pixels they have.
"""

import io

import pytest
from PIL import Image, ImageChops, ImageOps
from PIL.JpegImagePlugin import JpegImageFile

from hvcore.errors import InvalidParametersError
from hvcore.pictures import redraw as redraw_module
from hvcore.pictures.cropping import crop_to_fill
from hvcore.pictures.redraw import redraw

JPEG, PNG = "image/jpeg", "image/png"


def encoded(picture: Image.Image, name: str = "PNG", **more: object) -> bytes:
    made = io.BytesIO()
    picture.save(made, name, **more)
    return made.getvalue()


def drawn(picture: Image.Image) -> Image.Image:
    return Image.open(io.BytesIO(redraw(encoded(picture, compress_level=1), PNG)))


@pytest.mark.parametrize("grey", [0, 30_000, 65_535])
def test_a_grey_picture_of_16_bits_is_as_bright_as_before(grey: int) -> None:
    found = drawn(Image.new("I;16", (32, 32), grey)).getpixel((16, 16))

    assert found == pytest.approx((grey >> 8,) * 3, abs=2)


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA"])
def test_a_picture_of_any_mode_is_as_it_was(mode: str) -> None:
    picture = Image.linear_gradient("L").resize((64, 64)).convert(mode)

    found, wanted = drawn(picture), picture.convert("RGB")

    for at in [(2, 8), (60, 40), (30, 60)]:
        assert found.getpixel(at) == pytest.approx(wanted.getpixel(at), abs=24)


@pytest.mark.parametrize("size", [(5000, 100), (400, 4000), (3841, 300)])
def test_a_picture_that_is_shrunk_by_rows_has_no_seams(size: tuple[int, int]) -> None:
    picture = Image.linear_gradient("L").resize(size).convert("RGB")

    found = drawn(picture)

    wanted = picture.resize(found.size, Image.Resampling.BICUBIC)
    assert max(found.size) == 3840
    difference = ImageChops.difference(found, wanted).getextrema()
    assert max(most for _, most in difference) <= 6


@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_picture_is_upright_however_the_camera_was_held(orientation: int) -> None:
    picture = Image.linear_gradient("L").resize((64, 32)).convert("RGB")
    picture.paste("red", (0, 0, 16, 8))
    exif = Image.Exif()
    exif[0x0112] = orientation
    sent = encoded(picture, "JPEG", exif=exif, quality=95)

    found = Image.open(io.BytesIO(redraw(sent, JPEG)))

    wanted = ImageOps.exif_transpose(Image.open(io.BytesIO(sent)))
    assert found.size == wanted.size
    difference = ImageChops.difference(found, wanted.convert("RGB")).getextrema()
    # Held another way, black would be white.
    assert max(most for _, most in difference) <= 60


def test_transparent_pixels_become_black() -> None:
    picture = Image.new("RGBA", (32, 32), (255, 255, 255, 0))
    picture.paste((255, 255, 255, 255), (16, 0, 32, 32))

    found = drawn(picture)

    assert found.getpixel((4, 16)) == pytest.approx((0, 0, 0), abs=4)
    assert found.getpixel((28, 16)) == pytest.approx((255, 255, 255), abs=4)


@pytest.mark.parametrize("name", ["JPEG", "PNG"])
@pytest.mark.parametrize(
    ("size", "told"),
    [
        ((16, 64), None),
        ((15, 64), "at least 16 pixels"),
        ((64, 15), "at least 16 pixels"),
        ((32, 32), None),
        ((32, 33), "at most 36,000,000 pixels"),
        # The library itself refuses these.
        ((32, 65), "at most 36,000,000 pixels"),
    ],
)
def test_a_picture_has_so_many_pixels(
    name: str,
    size: tuple[int, int],
    told: str | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(redraw_module, "MAX_SOURCE_PIXELS", 32 * 32)
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", None)
    sent = encoded(Image.new("RGB", size), name)

    if told is None:
        assert (
            Image.open(io.BytesIO(redraw(sent, f"image/{name.lower()}"))).size == size
        )
        return
    with pytest.raises(InvalidParametersError, match=told) as caught:
        redraw(sent, f"image/{name.lower()}")
    assert [item.location for item in caught.value.errors] == ["body"]


def test_a_picture_of_another_type_is_not_read() -> None:
    for content_type, name in ((JPEG, "PNG"), (PNG, "JPEG"), (PNG, "GIF")):
        sent = encoded(Image.new("RGB", (32, 32)), name)
        with pytest.raises(InvalidParametersError, match=f"read as {content_type}"):
            redraw(sent, content_type)


def test_a_large_jpeg_is_decoded_in_the_size_that_is_needed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    decoded = []
    load = JpegImageFile.load

    def noted(picture: JpegImageFile) -> object:
        decoded.append(picture.size)
        return load(picture)

    monkeypatch.setattr(JpegImageFile, "load", noted)
    monkeypatch.setattr(redraw_module, "MAX_THUMBNAIL_PX", 64)
    redraw(encoded(Image.new("RGB", (128, 160)), "JPEG"), JPEG)
    assert set(decoded) == {(64, 80)}
    decoded.clear()
    crop_to_fill(encoded(Image.new("RGB", (1600, 800)), "JPEG"), 100, 50)
    assert set(decoded) == {(200, 100)}
