"""Draw small pictures of one size onto a sheet, as storyboards need it."""

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import attrs

from hvcore.pictures.jpeg import encode_jpeg

if TYPE_CHECKING:
    from PIL import Image

MAX_TILE_PX: Final = 320
_QUALITY: Final = 75
"""Shown as large as a thumb, and for a moment."""


@attrs.frozen(kw_only=True)
class Sheet:
    """
    A JPEG of small pictures (tiles), row after row.

    Attributes:
        width_px: The width of a tile, in pixels.
        height_px: The height of a tile, in pixels.
    """

    picture: bytes = attrs.field(repr=False)
    width_px: int
    height_px: int


def draw_sheet(stills: Sequence[bytes], *, columns: int) -> Sheet:
    """
    Draw small JPEG pictures onto a sheet, in their order, and return the sheet.

    Args:
        columns: The number of tiles in a row; a sheet with fewer tiles is narrower.

    Raises:
        ValueError: A picture is too large, or of another size than the others; or it cannot
            be read, for which any error of redraw.UNREADABLE is raised.
    """
    from PIL import Image  # noqa: PLC0415 - see redraw

    tiles = [_tile(still) for still in stills]
    if len({tile.size for tile in tiles}) > 1:
        raise ValueError("the stills differ in size")
    width_px, height_px = tiles[0].size
    rows, columns = -(-len(tiles) // columns), min(columns, len(tiles))
    sheet = Image.new("RGB", (columns * width_px, rows * height_px), "black")
    for number, tile in enumerate(tiles):
        row, column = divmod(number, columns)
        sheet.paste(tile, (column * width_px, row * height_px))
    picture = encode_jpeg(sheet, quality=_QUALITY, is_progressive=True)
    return Sheet(picture=picture, width_px=width_px, height_px=height_px)


def _tile(still: bytes) -> "Image.Image":
    from PIL import Image  # noqa: PLC0415 - see redraw

    try:
        with Image.open(io.BytesIO(still), formats=("JPEG",)) as opened:
            if max(opened.size) > MAX_TILE_PX:
                raise ValueError(f"a still is {opened.width}x{opened.height}")
            return opened.convert("RGB")
    except Image.DecompressionBombError as exc:
        raise ValueError("a still is too large") from exc
