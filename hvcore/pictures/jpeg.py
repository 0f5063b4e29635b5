"""Compress pictures while other threads go on."""

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL import Image


def encode_jpeg(
    picture: "Image.Image", *, quality: int, is_progressive: bool = False
) -> bytes:
    """
    Return a picture as a JPEG.

    Args:
        quality: 1 to 95, as Pillow counts.
    """
    # Pillow holds the interpreter's lock while it compresses into an object of
    # Python's: 0.5 s for 3840 by 3840 pixels, in which the process answers nobody.
    # For a file it gives the lock away.
    with os.fdopen(os.memfd_create("picture"), "w+b") as made:
        picture.save(
            made, "JPEG", quality=quality, optimize=True, progressive=is_progressive
        )
        made.seek(0)
        return made.read()
