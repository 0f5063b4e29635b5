"""
Put the small stills of a video on sheets, for previews while seeking.
"""

import hashlib
import io
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import attrs

from hvcore.domain.processing.media_index import MediaIndex, Sprite, Storyboard
from hvcore.domain.processing.storyboard import MAX_STILLS, still_count
from hvcore.domain.processing.transcoding import MediaFile, PartDone
from hvcore.pictures.jpeg import encode_jpeg
from hvcore.pictures.redraw import UNREADABLE
from hvcore.ports.storage import ObjectNotFoundError, Storage

if TYPE_CHECKING:
    from PIL import Image

_log = logging.getLogger(__name__)

COLUMNS: Final = 10
ROWS: Final = 5
"""Two sheets at most, so that the first previews need not wait for all."""
NO_STORYBOARD: Final = "There are no previews for seeking: a still cannot be read."

_MAX_STILL_PX: Final = 320
_MAX_STILL_BYTES: Final = 1024**2
_QUALITY: Final = 75
"""Shown as large as a thumb, and for a moment."""

Done = Sequence[tuple[str, PartDone]]


@attrs.frozen(kw_only=True)
class Storyboards:
    """
    Make storyboards of what transcoders have left.
    """

    storage: Storage

    def add(
        self, root: str, media: MediaIndex, done: Done, *, interval_s: int, folder: str
    ) -> MediaIndex:
        """
        Return the index with a storyboard, if the parts have made stills.

        A video is worth more than its previews: without one that can be
        read, it gets a warning instead.

        Args:
            interval_s: Between the stills.
            folder: Under the media root, of this attempt alone: what was
                published must never be written again.

        Raises:
            UnavailableError: The storage cannot be reached.
        """
        paths = _paths(root, media.duration_s, done, interval_s)
        if not paths:
            return media
        try:
            tiles = self._read(paths)
        except (ObjectNotFoundError, *UNREADABLE) as exc:
            _log.warning("still not readable", extra={"hv_error": repr(exc)})
            return attrs.evolve(media, warnings=(*media.warnings, NO_STORYBOARD))
        width_px, height_px = tiles[0].size
        sprites: list[Sprite] = []
        for first in range(0, len(tiles), COLUMNS * ROWS):
            sheet = tiles[first : first + COLUMNS * ROWS]
            path = f"{folder}/{len(sprites)}.jpg"
            picture = _drawn(sheet)
            self.storage.write(
                f"{root}/{path}", io.BytesIO(picture), content_type="image/jpeg"
            )
            file = MediaFile(
                size_bytes=len(picture), sha256=hashlib.sha256(picture).hexdigest()
            )
            sprites.append(Sprite(path=path, count=len(sheet), file=file))
        board = Storyboard(
            interval_s=interval_s,
            tile_width_px=width_px,
            tile_height_px=height_px,
            columns=COLUMNS,
            sprites=tuple(sprites),
        )
        return attrs.evolve(media, storyboard=board)

    def _read(self, paths: Sequence[str]) -> "list[Image.Image]":
        read = {path: self._still(path) for path in dict.fromkeys(paths)}
        if len({still.size for still in read.values()}) > 1:
            raise ValueError("the stills differ in size")
        return [read[path] for path in paths]

    def _still(self, path: str) -> "Image.Image":
        # Costs 60 ms to import, and most processes make no pictures.
        from PIL import Image  # noqa: PLC0415

        with self.storage.open(path, end=_MAX_STILL_BYTES) as file:
            content = file.read()
        try:
            with Image.open(io.BytesIO(content), formats=("JPEG",)) as opened:
                if max(opened.size) > _MAX_STILL_PX:
                    raise ValueError(f"{path} is {opened.width}x{opened.height}")
                return opened.convert("RGB")
        except Image.DecompressionBombError as exc:
            raise ValueError(f"{path} is too large") from exc


def _paths(root: str, duration_s: float, done: Done, interval_s: int) -> list[str]:
    """
    Return the still of each moment.

    Where there is none, the one before it is shown: some sources have less
    than a picture in an interval.
    """
    at = {
        still.at_s: f"{root}/{folder}/{still.name}"
        for folder, part in reversed(done)
        for still in part.stills
    }
    if not at or not interval_s:
        return []
    last = at[min(at)]
    paths = []
    for number in range(min(MAX_STILLS, still_count(duration_s, interval_s))):
        last = at.get(number * interval_s, last)
        paths.append(last)
    return paths


def _drawn(tiles: "Sequence[Image.Image]") -> bytes:
    from PIL import Image  # noqa: PLC0415 - see Storyboards._still

    width_px, height_px = tiles[0].size
    columns, rows = min(COLUMNS, len(tiles)), -(-len(tiles) // COLUMNS)
    sheet = Image.new("RGB", (columns * width_px, rows * height_px), "black")
    for number, tile in enumerate(tiles):
        row, column = divmod(number, COLUMNS)
        sheet.paste(tile, (column * width_px, row * height_px))
    return encode_jpeg(sheet, quality=_QUALITY, is_progressive=True)
