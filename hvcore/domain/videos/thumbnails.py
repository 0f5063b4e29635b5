"""Thumbnails: the sizes of a video's picture that the service itself links to."""

from collections.abc import Callable
from typing import Final

from hvcore.domain.limits import MIN_THUMBNAIL_PX

LIST_THUMBNAIL_PX: Final = (640, 360)
BEST_THUMBNAIL_PX: Final = (1280, 720)
"""Of a video's details, and what players show before they play."""

_UNSEEN: Final = 0.01
"""The share that may be cropped: sides of rungs are even numbers, such as 426 and 240."""


def thumbnail_name(size_px: tuple[int, int]) -> str:
    """Return the file name of a thumbnail of a size, for addresses and storage paths."""
    width_px, height_px = size_px
    return f"{width_px}x{height_px}.jpg"


USUAL_THUMBNAILS: Final = frozenset(
    map(thumbnail_name, (LIST_THUMBNAIL_PX, BEST_THUMBNAIL_PX))
)
"""Their names; these are always cached."""


def whole_thumbnail_px(size_px: tuple[int, int]) -> tuple[int, int]:
    """
    Return the size of a thumbnail for lists from which nothing is cropped.

    It has the shape of the video, and fits into LIST_THUMBNAIL_PX.

    Args:
        size_px: Width and height of the video.
    """
    width_px, height_px = size_px
    most_px = LIST_THUMBNAIL_PX
    if abs(width_px * most_px[1] / (height_px * most_px[0]) - 1) <= _UNSEEN:
        return most_px
    scale = min(most_px[0] / width_px, most_px[1] / height_px)
    whole_px = (round(width_px * scale), round(height_px * scale))
    return max(MIN_THUMBNAIL_PX, whole_px[0]), max(MIN_THUMBNAIL_PX, whole_px[1])


def is_usual_thumbnail(name: str, size_px: Callable[[], tuple[int, int]]) -> bool:
    """
    Return whether the service itself hands out addresses of a thumbnail.

    Args:
        size_px: Returns width and height of the video; asked for if the name alone does not
            tell.
    """
    if name in USUAL_THUMBNAILS:
        return True
    return name == thumbnail_name(whole_thumbnail_px(size_px()))
