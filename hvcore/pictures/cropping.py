"""
Crop pictures to a size.
"""

import io
from typing import Final

from hvcore.domain.limits import MAX_SOURCE_PIXELS
from hvcore.domain.playback.rules import PlaybackRule
from hvcore.errors import NotFoundError
from hvcore.pictures.jpeg import encode_jpeg

JPEG_QUALITY: Final = 82


def crop_to_fill(picture: bytes, width_px: int, height_px: int) -> bytes:
    """
    Return a JPEG of exactly this size, its middle cut out of the picture.

    Raises:
        NotFoundError: The picture has too many pixels.
    """
    # Costs 60 ms to import, and most processes make no pictures.
    from PIL import Image, ImageOps  # noqa: PLC0415

    Image.MAX_IMAGE_PIXELS = MAX_SOURCE_PIXELS
    with Image.open(io.BytesIO(picture), formats=("JPEG", "PNG")) as opened:
        if opened.width * opened.height > MAX_SOURCE_PIXELS:
            raise too_large()
        # Lets the JPEG decoder skip what a small picture does not need; twice
        # the size, so that scaling still has something to work with.
        opened.draft("RGB", (width_px * 2, height_px * 2))
        # Converted to what it is already, it would be there twice.
        solid = opened if opened.mode == "RGB" else opened.convert("RGB")
        fitted = ImageOps.fit(solid, (width_px, height_px))
    return encode_jpeg(fitted, quality=JPEG_QUALITY, is_progressive=True)


def too_large() -> NotFoundError:
    """
    Return what is said of a picture with too many pixels.
    """
    return NotFoundError(
        "The video's picture is too large to be shown.", rule=PlaybackRule.NO_PICTURE
    )
