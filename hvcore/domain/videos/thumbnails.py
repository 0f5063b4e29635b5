"""Thumbnails: the sizes of a video's picture that the service itself links to."""

from typing import Final

LIST_THUMBNAIL_PX: Final = (640, 360)
BEST_THUMBNAIL_PX: Final = (1280, 720)
"""Of a video's details, and what players show before they play."""


def thumbnail_name(size_px: tuple[int, int]) -> str:
    """Return the file name of a thumbnail of a size, for addresses and storage paths."""
    width_px, height_px = size_px
    return f"{width_px}x{height_px}.jpg"


USUAL_THUMBNAILS: Final = frozenset(
    map(thumbnail_name, (LIST_THUMBNAIL_PX, BEST_THUMBNAIL_PX))
)
"""Their names; these are always cached."""
