"""
Read pictures from untrusted senders, and encode their pixels anew.

Only the pixels of the sent file survive: no metadata, no second format hidden behind
the first one.
"""

import io
import struct
import warnings
import zlib
from collections.abc import Callable, Mapping
from math import ceil
from typing import TYPE_CHECKING, Final

from hvcore.domain.limits import MAX_SOURCE_PIXELS, MAX_THUMBNAIL_PX, MIN_THUMBNAIL_PX
from hvcore.errors import FieldError, InvalidParametersError
from hvcore.pictures.jpeg import encode_jpeg
from hvcore.pictures.png_rows import PngRows
from hvcore.pictures.sanitizing import TooManyPartsError, bare_jpeg, bare_png

if TYPE_CHECKING:
    from PIL import Image

    _Rows = Callable[[int, int], Image.Image]

PICTURE_FORMATS: Final[Mapping[str, str]] = {"image/jpeg": "JPEG", "image/png": "PNG"}
"""By content type, the library's name."""
POSTER_QUALITY: Final = 90
"""Thumbnails are made from it, and each is compressed once more."""


def redraw(picture: bytes, content_type: str) -> bytes:
    """
    Return an untrusted picture as a plain JPEG, upright, at most 3840 pixels a side.

    Args:
        content_type: One of PICTURE_FORMATS; a picture of another is refused.

    Raises:
        InvalidParametersError: The picture cannot be read, has too many or too few
            pixels, or costs too much to decode.
    """
    # Costs 60 ms to import, and most processes make no pictures.
    from PIL import Image  # noqa: PLC0415

    name = PICTURE_FORMATS[content_type]
    Image.MAX_IMAGE_PIXELS = MAX_SOURCE_PIXELS
    # For every thread, and for ever: Python cannot do it for one of them. Its
    # texts quote what was sent.
    warnings.filterwarnings("ignore", module=r"PIL\.")
    try:
        bare = bare_jpeg(picture) if name == "JPEG" else bare_png(picture)
        # What was decoded is gone before the rest begins.
        drawn = _decoded(bare.data, name)
    except TooManyPartsError as exc:
        raise refused(str(exc)) from exc
    except Image.DecompressionBombError as exc:
        raise refused(_TOO_LARGE) from exc
    except UNREADABLE as exc:
        raise refused(f"The body cannot be read as {content_type}.") from exc
    return encode_jpeg(_upright(drawn, bare.orientation), quality=POSTER_QUALITY)


def _decoded(picture: bytes, name: str) -> "Image.Image":
    from PIL import Image  # noqa: PLC0415 - see redraw

    with Image.open(io.BytesIO(picture), formats=(name,)) as opened:
        _check_size(opened.width, opened.height)
        return _on_black(opened, _rows_of(opened, picture))


def _rows_of(opened: "Image.Image", picture: bytes) -> "_Rows":
    """Return the function that gives the rows of a picture from one number to before another."""
    in_turn = PngRows.of(picture) if opened.format == "PNG" else None
    if in_turn is not None:
        return in_turn.rows
    opened.draft("RGB", (MAX_THUMBNAIL_PX, MAX_THUMBNAIL_PX))
    opened.load()
    return lambda first, last: opened.crop((0, first, opened.width, last))


def _on_black(opened: "Image.Image", rows_of: "_Rows") -> "Image.Image":
    """
    Return the pixels alone, shrunk; what is transparent becomes black.

    That is the player's ground. It is done to some rows at a time: with the whole of
    it, 36 million pixels took 570 MB.
    """
    from PIL import Image  # noqa: PLC0415 - see redraw

    width_px, height_px = opened.size
    scale = max(1.0, max(opened.size) / MAX_THUMBNAIL_PX)
    drawn_px = max(1, round(width_px / scale)), max(1, round(height_px / scale))
    drawn = Image.new("RGB", drawn_px, "black")
    rows, beside_px = height_px / drawn_px[1], ceil(_REACH_ROWS * scale)
    for top in range(0, drawn_px[1], _BAND_ROWS):
        bottom = min(top + _BAND_ROWS, drawn_px[1])
        first = max(0, int(top * rows) - beside_px)
        last = min(height_px, ceil(bottom * rows) + beside_px)
        band = _in_colour(rows_of(first, last))
        found = band.resize(
            (drawn_px[0], bottom - top),
            Image.Resampling.BICUBIC,
            box=(
                0,
                top * rows - first,
                width_px,
                min(bottom * rows, height_px) - first,
            ),
        )
        drawn.paste(found, (0, top), found if found.mode == "RGBA" else None)
    return drawn


def _in_colour(band: "Image.Image") -> "Image.Image":
    """Return rows as RGB, or as RGBA if there is anything transparent."""
    if band.mode.startswith("I"):
        # 16 bits of grey; converted by itself, all above 255 is white.
        band = band.convert("I").point(_EIGHT_BITS, "L")
    return band.convert("RGBA" if band.has_transparency_data else "RGB")


def _upright(drawn: "Image.Image", orientation: int) -> "Image.Image":
    from PIL.Image import Transpose  # noqa: PLC0415 - see redraw

    rotations = {
        2: Transpose.FLIP_LEFT_RIGHT,
        3: Transpose.ROTATE_180,
        4: Transpose.FLIP_TOP_BOTTOM,
        5: Transpose.TRANSPOSE,
        6: Transpose.ROTATE_270,
        7: Transpose.TRANSVERSE,
        8: Transpose.ROTATE_90,
    }
    rotation = rotations.get(orientation)
    return drawn if rotation is None else drawn.transpose(rotation)


_BAND_ROWS: Final = 64
_REACH_ROWS: Final = 3
"""How many drawn rows beside its own a row is made of; bicubic looks at two."""
_EIGHT_BITS: Final = tuple(value >> 8 for value in range(1 << 16))
_TOO_LARGE: Final = f"The picture must have at most {MAX_SOURCE_PIXELS:,} pixels."
UNREADABLE: Final = (
    # What the library raises for damaged files of these two formats; its
    # UnidentifiedImageError is an OSError.
    OSError,
    SyntaxError,
    ValueError,
    TypeError,
    KeyError,
    IndexError,
    zlib.error,
    EOFError,
    OverflowError,
    struct.error,
)


def _check_size(width_px: int, height_px: int) -> None:
    if width_px * height_px > MAX_SOURCE_PIXELS:
        raise refused(_TOO_LARGE)
    if min(width_px, height_px) < MIN_THUMBNAIL_PX:
        raise refused(
            f"Each side of the picture must have at least {MIN_THUMBNAIL_PX} pixels."
        )


def refused(message: str) -> InvalidParametersError:
    """Return the error for a sent picture that is not accepted, with the reason as its message."""
    problem = FieldError(message=message, location="body")
    return InvalidParametersError(message, errors=[problem])
