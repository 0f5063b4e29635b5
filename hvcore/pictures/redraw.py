"""
Read pictures from untrusted senders, and draw them again.

Only the pixels of the sent file survive: no metadata, no second format hidden behind
the first one.
"""

import io
import struct
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from hvcore.domain.limits import MAX_SOURCE_PIXELS, MAX_THUMBNAIL_PX, MIN_THUMBNAIL_PX
from hvcore.errors import FieldError, InvalidParametersError
from hvcore.pictures.jpeg import encode_jpeg
from hvcore.pictures.sanitizing import TooManyPartsError, bare_jpeg, bare_png

if TYPE_CHECKING:
    from PIL import Image

PICTURE_FORMATS: Final[Mapping[str, str]] = {"image/jpeg": "JPEG", "image/png": "PNG"}
"""By content type, the library's name."""
POSTER_QUALITY: Final = 90
"""Thumbnails are made from it, and each is compressed once more."""


def redraw(picture: bytes, content_type: str) -> bytes:
    """
    Return a picture as a plain JPEG, upright, at most 3840 pixels a side.

    Args:
        content_type: One of PICTURE_FORMATS; a picture of another is refused.

    Raises:
        InvalidParametersError: It cannot be read, has too many or too few
            pixels, or costs more than a picture may.
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
        with Image.open(io.BytesIO(bare.data), formats=(name,)) as opened:
            _check_size(opened.width, opened.height)
            drawn = _on_black(opened)
    except TooManyPartsError as exc:
        raise _refused(str(exc)) from exc
    except Image.DecompressionBombError as exc:
        raise _refused(_TOO_LARGE) from exc
    except UNREADABLE as exc:
        raise _refused(f"The body cannot be read as {content_type}.") from exc
    return encode_jpeg(_upright(drawn, bare.orientation), quality=POSTER_QUALITY)


def _on_black(opened: "Image.Image") -> "Image.Image":
    """
    Return the pixels alone, shrunk; what is transparent becomes black.

    That is the player's ground. Shrunk first: the rest is done to fewer.
    """
    from PIL import Image  # noqa: PLC0415 - see redraw

    is_solid = not opened.has_transparency_data
    found = opened.convert("RGB" if is_solid else "RGBA")
    found.thumbnail((MAX_THUMBNAIL_PX, MAX_THUMBNAIL_PX))
    solid = Image.new("RGB", found.size, "black")
    solid.paste(found, None if is_solid else found)
    return solid


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
    EOFError,
    OverflowError,
    struct.error,
)


def _check_size(width_px: int, height_px: int) -> None:
    if width_px * height_px > MAX_SOURCE_PIXELS:
        raise _refused(_TOO_LARGE)
    if min(width_px, height_px) < MIN_THUMBNAIL_PX:
        raise _refused(
            f"Each side of the picture must have at least {MIN_THUMBNAIL_PX} pixels."
        )


def _refused(message: str) -> InvalidParametersError:
    problem = FieldError(message=message, location="body")
    return InvalidParametersError(message, errors=[problem])
