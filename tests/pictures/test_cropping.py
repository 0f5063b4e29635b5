"""
Pictures are cropped some rows at a time, as if it were done to the whole.
"""

import io
import random

from PIL import Image, ImageChops, ImageOps

from hvcore.pictures.cropping import crop_to_fill
from hvcore.pictures.jpeg import encode_jpeg

SIZES = 150
MOST_LEVELS = 8
"""Of 256: rounding, and what the JPEG makes of it."""


def test_sizes_of_all_shapes_are_those_of_the_whole_picture() -> None:
    chance = random.Random(3)  # noqa: S311 - the same each time
    gradient = Image.linear_gradient("L").resize((377, 384))
    source = Image.merge("RGB", (gradient, gradient.rotate(90), gradient.rotate(180)))
    file = io.BytesIO()
    source.save(file, "PNG")

    for _ in range(SIZES):
        size = chance.randrange(16, 640), chance.randrange(16, 640)
        made = crop_to_fill(file.getvalue(), *size)

        whole = encode_jpeg(ImageOps.fit(source, size), quality=82)
        with Image.open(io.BytesIO(made)) as found, Image.open(io.BytesIO(whole)) as at:
            extrema = ImageChops.difference(found, at).getextrema()
        assert max(most for _, most in extrema) <= MOST_LEVELS, size
