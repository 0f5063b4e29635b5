"""Encode pictures as JPEG, without holding up other threads."""

import os
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from PIL import Image

MOST_COMPRESSED_PX: Final = 1920 * 1080
"""Of a larger picture libjpeg writes each row at once: for a progressive or an optimized
JPEG it keeps the coefficients of all rows until the end, 3 bytes for each pixel."""


def encode_jpeg(
    picture: "Image.Image", *, quality: int, is_progressive: bool = False
) -> bytes:
    """
    Return a picture as a JPEG.

    Args:
        quality: The quality from 1 to 95, as Pillow defines it.
        is_progressive: Whether to make a progressive JPEG, unless the picture has more than
            ``MOST_COMPRESSED_PX`` pixels.
    """
    is_kept_whole = picture.width * picture.height <= MOST_COMPRESSED_PX
    # Pillow holds the interpreter's lock while it compresses into an object of
    # Python's: 0.5 s for 3840 by 3840 pixels, in which the process answers nobody.
    # For a file it gives the lock away.
    with os.fdopen(os.memfd_create("picture"), "w+b") as made:
        picture.save(
            made,
            "JPEG",
            quality=quality,
            optimize=is_kept_whole,
            progressive=is_progressive and is_kept_whole,
        )
        made.seek(0)
        return made.read()
