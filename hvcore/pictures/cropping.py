"""Crop pictures around their middle to a size in pixels, as JPEG or WebP."""

import io
from typing import TYPE_CHECKING, Final

from hvcore.domain.limits import MAX_SOURCE_PIXELS
from hvcore.domain.playback.rules import PlaybackRule
from hvcore.errors import NotFoundError
from hvcore.pictures.jpeg import encode_jpeg
from hvcore.pictures.webp import encode_webp

if TYPE_CHECKING:
    from PIL import Image

JPEG_QUALITY: Final = 82
_BAND_ROWS: Final = 64


def crop_to_fill(picture: bytes, width_px: int, height_px: int) -> bytes:
    """
    Return a picture as a JPEG of exactly the given size, cropped around its middle.

    Raises:
        NotFoundError: The picture has too many pixels.
    """
    fitted = _cropped(picture, width_px, height_px)
    return encode_jpeg(fitted, quality=JPEG_QUALITY, is_progressive=True)


def crop_to_webp(picture: bytes, width_px: int, height_px: int) -> bytes:
    """
    Return a picture as a WebP of exactly the given size, cropped around its middle.

    Raises:
        NotFoundError: The picture has too many pixels.
    """
    return encode_webp(_cropped(picture, width_px, height_px))


def _cropped(picture: bytes, width_px: int, height_px: int) -> "Image.Image":
    # Costs 60 ms to import, and most processes make no pictures.
    from PIL import Image  # noqa: PLC0415

    Image.MAX_IMAGE_PIXELS = MAX_SOURCE_PIXELS
    with Image.open(io.BytesIO(picture), formats=("JPEG", "PNG")) as opened:
        if opened.width * opened.height > MAX_SOURCE_PIXELS:
            raise too_large()
        # Lets the JPEG decoder skip what a small picture does not need; twice
        # the size, so that scaling still has something to work with.
        opened.draft("RGB", (width_px * 2, height_px * 2))
        # Converted to what it is already, it would be there twice.
        solid = opened if opened.mode == "RGB" else opened.convert("RGB")
        fitted = _fitted(solid, width_px, height_px)
    # What was decoded is gone before the rest begins.
    del solid, opened
    return fitted


def _fitted(solid: "Image.Image", width_px: int, height_px: int) -> "Image.Image":
    """
    Return the middle of a picture in a size.

    It is done to some rows at a time: there is another picture between a large one and
    its other size, of the width of the one and the height of the other.
    """
    from PIL import Image  # noqa: PLC0415 - see crop_to_fill

    scale = min(solid.width / width_px, solid.height / height_px)
    # Rounded, they may be a little outside of the picture, which is refused.
    left = max(0.0, (solid.width - width_px * scale) / 2)
    above = max(0.0, (solid.height - height_px * scale) / 2)
    right = min(solid.width, left + width_px * scale)
    fitted = Image.new("RGB", (width_px, height_px))
    for top in range(0, height_px, _BAND_ROWS):
        bottom = min(top + _BAND_ROWS, height_px)
        box = (
            left,
            above + top * scale,
            right,
            min(solid.height, above + bottom * scale),
        )
        size_px = (width_px, bottom - top)
        rows = solid.resize(size_px, Image.Resampling.BICUBIC, box=box)
        fitted.paste(rows, (0, top))
    return fitted


def too_large() -> NotFoundError:
    """Return the error for a picture that has too many pixels."""
    return NotFoundError(
        "The video's picture is too large to be shown.", rule=PlaybackRule.NO_PICTURE
    )
