"""Check the aspect ratio of renditions, so that no picture is shown squeezed."""

from collections.abc import Sequence
from typing import Final

from hvcore.conformance.renditions import Rendition
from hvcore.conformance.report import CheckLog

_EVEN_PX: Final = 2
"""The step in pixels to which sizes of pictures are rounded: they are even numbers."""

Size = tuple[int, int]


def check_shapes(
    renditions: Sequence[Rendition], shown_px: Size | None, report: CheckLog
) -> None:
    """
    Check that all renditions have the aspect ratio of the largest one and of the source.

    Args:
        shown_px: Width and height of the source as it is shown; None where it is not
            known.
    """
    sizes = {
        one.playlist.name: (
            one.track.pictures[0].width_px,
            one.track.pictures[0].height_px,
        )
        for one in renditions
        if one.kind == "vide" and one.track and one.track.pictures
    }
    if not sizes:
        return
    largest = max(sizes.values())
    for name, size in sizes.items():
        if not _are_alike(size, largest):
            report.add(
                "same-shape",
                name,
                f"It is {_words(size)}; the largest is {_words(largest)}.",
            )
        elif shown_px is not None and not _are_alike(size, shown_px):
            report.add(
                "source-shape",
                name,
                f"It is {_words(size)}; the source is shown as {_words(shown_px)}.",
            )


def _are_alike(made: Size, meant: Size) -> bool:
    """Return whether two sizes have the same aspect ratio, but for rounding to even numbers."""
    (width, height), (across, down) = made, meant
    least = (width - _EVEN_PX) * down, (width + _EVEN_PX) * down
    most = across * (height + _EVEN_PX), across * (height - _EVEN_PX)
    return least[0] <= most[0] and least[1] >= most[1]


def _words(size: Size) -> str:
    return f"{size[0]}x{size[1]}"
