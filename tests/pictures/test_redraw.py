"""
Pictures from strangers keep how they look, whatever kind of pixels they have.
"""

import io

import pytest
from PIL import Image, ImageChops

from hvcore.pictures.redraw import redraw

PNG = "image/png"


def drawn(picture: Image.Image) -> Image.Image:
    made = io.BytesIO()
    picture.save(made, "PNG", compress_level=1)
    return Image.open(io.BytesIO(redraw(made.getvalue(), PNG)))


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
