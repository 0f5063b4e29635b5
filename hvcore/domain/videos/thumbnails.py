"""Thumbnails: the sizes of a video's picture that the service itself links to."""

from collections.abc import Callable
from typing import Final

from hvcore.domain.limits import MIN_THUMBNAIL_PX
from hvcore.domain.videos.moments import PictureFormat

LIST_THUMBNAIL_PX: Final = (640, 360)
BEST_THUMBNAIL_PX: Final = (1280, 720)
"""Of a video's details, and what players show before they play."""

CARD_THUMBNAILS_PX: Final = ((256, 144), (512, 288))
"""Of a card of the dashboard, as WebP: for one pixel of the screen for each CSS pixel, and for two."""
ROW_THUMBNAILS_PX: Final = ((80, 45), (160, 90))
"""Of a row of a table of the dashboard, likewise."""

_UNSEEN: Final = 0.01
"""The share that may be cropped: sides of rungs are even numbers, such as 426 and 240."""


def thumbnail_name(
    size_px: tuple[int, int], picture_format: PictureFormat = PictureFormat.JPEG
) -> str:
    """Return the file name of a thumbnail of a size, for addresses and storage paths."""
    width_px, height_px = size_px
    return f"{width_px}x{height_px}.{picture_format.value}"


_WHOLE: Final = (
    (LIST_THUMBNAIL_PX, PictureFormat.JPEG),
    *((most_px, PictureFormat.WEBP) for most_px in CARD_THUMBNAILS_PX),
    *((most_px, PictureFormat.WEBP) for most_px in ROW_THUMBNAILS_PX),
)
"""Thumbnails from which nothing is cropped: their sizes for a video of 16:9, and their formats."""

USUAL_THUMBNAILS: Final = frozenset(
    {
        thumbnail_name(BEST_THUMBNAIL_PX),
        *(thumbnail_name(size_px, ending) for size_px, ending in _WHOLE),
    }
)
"""Their names; these are always cached."""


def whole_thumbnail_px(
    size_px: tuple[int, int], most_px: tuple[int, int] = LIST_THUMBNAIL_PX
) -> tuple[int, int]:
    """
    Return the size of a thumbnail for lists from which nothing is cropped.

    It has the shape of the video.

    Args:
        size_px: Width and height of the video.
        most_px: The greatest width and height of the thumbnail, with the ratio 16:9.
    """
    width_px, height_px = size_px
    if abs(width_px * most_px[1] / (height_px * most_px[0]) - 1) <= _UNSEEN:
        return most_px
    scale = min(most_px[0] / width_px, most_px[1] / height_px)
    whole_px = (round(width_px * scale), round(height_px * scale))
    return max(MIN_THUMBNAIL_PX, whole_px[0]), max(MIN_THUMBNAIL_PX, whole_px[1])


def is_usual_thumbnail(name: str, size_px: Callable[[], tuple[int, int]]) -> bool:
    """
    Return whether a thumbnail has one of the sizes whose addresses API, pages and players contain.

    Args:
        name: The file name of the thumbnail, such as ``640x360.jpg``.
        size_px: Returns width and height of the video; asked for if the name alone does not
            tell.
    """
    if name in USUAL_THUMBNAILS:
        return True
    video_px = size_px()
    return any(
        name == thumbnail_name(whole_thumbnail_px(video_px, most_px), ending)
        for most_px, ending in _WHOLE
    )
