"""Put the small stills of a video on sprite sheets, for previews while seeking."""

import hashlib
import io
import logging
from collections.abc import Sequence
from typing import Final

import attrs

from hvcore.domain.processing.media_index import MediaIndex, Sprite, Storyboard
from hvcore.domain.processing.storyboard import MAX_STILLS, still_count
from hvcore.domain.processing.transcoding import MediaFile, PartDone
from hvcore.pictures.drawing_process import (
    DrawingEndedError,
    UnreadablePictureError,
)
from hvcore.pictures.drawing_room import DrawingRoom
from hvcore.pictures.sheets import Sheet
from hvcore.ports.storage import ObjectNotFoundError, Storage

_log = logging.getLogger(__name__)

COLUMNS: Final = 10
ROWS: Final = 5
"""Rows of a sheet: two sheets at most, so the first previews need not wait for all."""
NO_STORYBOARD: Final = "There are no previews for seeking: a still cannot be read."

_ON_SHEET: Final = COLUMNS * ROWS
_MAX_STILL_BYTES: Final = 1024**2
_BEGINS_WITHIN_S: Final = 60.0
"""A task waits for those of others that this process runs, and is tried again later."""
_NOBODY: Final = ""
"""Tasks take their turns among organizations before they begin."""

Done = Sequence[tuple[str, PartDone]]


@attrs.frozen(kw_only=True)
class Storyboards:
    """Make the storyboards of videos from the stills that transcoders have left."""

    storage: Storage
    pictures: DrawingRoom

    def add(
        self, root: str, media: MediaIndex, done: Done, *, interval_s: int, folder: str
    ) -> MediaIndex:
        """
        Return the media index with a storyboard, if the parts have made stills.

        If a still cannot be read, the index gets a warning instead: the video is published
        without previews.

        Args:
            interval_s: The seconds of video between two stills.
            folder: A folder under the media root that only this attempt uses: published
                files must never be written again.

        Raises:
            UnavailableError: The storage cannot be reached.
        """
        paths = _paths(root, media.duration_s, done, interval_s)
        if not paths:
            return media
        of_sheets = [
            paths[first : first + _ON_SHEET]
            for first in range(0, len(paths), _ON_SHEET)
        ]
        try:
            sheets = [self._drawn(of_sheet) for of_sheet in of_sheets]
            _check_sizes(sheets)
        except (
            ObjectNotFoundError,
            UnreadablePictureError,
            DrawingEndedError,
        ) as exc:
            _log.warning("still not readable", extra={"hv_error": repr(exc)})
            return attrs.evolve(media, warnings=(*media.warnings, NO_STORYBOARD))
        sprites: list[Sprite] = []
        for sheet, of_sheet in zip(sheets, of_sheets, strict=True):
            path = f"{folder}/{len(sprites)}.jpg"
            self.storage.write(
                f"{root}/{path}", io.BytesIO(sheet.picture), content_type="image/jpeg"
            )
            file = MediaFile(
                size_bytes=len(sheet.picture),
                sha256=hashlib.sha256(sheet.picture).hexdigest(),
            )
            sprites.append(Sprite(path=path, count=len(of_sheet), file=file))
        board = Storyboard(
            interval_s=interval_s,
            tile_width_px=sheets[0].width_px,
            tile_height_px=sheets[0].height_px,
            columns=COLUMNS,
            sprites=tuple(sprites),
        )
        return attrs.evolve(media, storyboard=board)

    def _drawn(self, paths: Sequence[str]) -> Sheet:
        stills = [self._still(path) for path in paths]
        return self.pictures.draw(
            lambda child: child.draw_sheet(stills, columns=COLUMNS),
            organization=_NOBODY,
            begins_within_s=_BEGINS_WITHIN_S,
        )

    def _still(self, path: str) -> bytes:
        with self.storage.open(path, end=_MAX_STILL_BYTES) as file:
            return file.read()


def _check_sizes(sheets: Sequence[Sheet]) -> None:
    if len({(sheet.width_px, sheet.height_px) for sheet in sheets}) > 1:
        raise UnreadablePictureError("the stills differ in size")


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
