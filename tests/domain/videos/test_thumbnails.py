"""
Sizes of pictures that the service itself links to.
"""

import pytest

from hvcore.domain.videos.thumbnails import (
    ROW_THUMBNAILS_PX,
    is_usual_thumbnail,
    whole_thumbnail_px,
)


@pytest.mark.parametrize(
    ("size_px", "whole_px"),
    [
        ((1920, 1080), (640, 360)),
        # Sides of rungs are even numbers: this is 16:9, too.
        ((426, 240), (640, 360)),
        ((854, 480), (640, 360)),
        ((1080, 1920), (202, 360)),
        ((720, 720), (360, 360)),
        ((640, 480), (480, 360)),
        ((1920, 800), (640, 267)),
        ((3840, 2), (640, 16)),
        ((2, 3840), (16, 360)),
    ],
)
def test_a_whole_thumbnail_has_the_shape_of_its_video(
    size_px: tuple[int, int], whole_px: tuple[int, int]
) -> None:
    assert whole_thumbnail_px(size_px) == whole_px


@pytest.mark.parametrize(
    ("size_px", "row_px", "fine_px"),
    [
        ((1920, 1080), (80, 45), (160, 90)),
        ((1080, 1920), (25, 45), (51, 90)),
        ((1920, 800), (80, 33), (160, 67)),
        ((2, 3840), (16, 45), (16, 90)),
    ],
)
def test_a_row_has_a_usual_thumbnail_for_each_kind_of_screen(
    size_px: tuple[int, int], row_px: tuple[int, int], fine_px: tuple[int, int]
) -> None:
    found = [whole_thumbnail_px(size_px, most_px) for most_px in ROW_THUMBNAILS_PX]

    assert found == [row_px, fine_px]
    for width_px, height_px in found:
        assert is_usual_thumbnail(f"{width_px}x{height_px}.webp", lambda: size_px)
        assert not is_usual_thumbnail(f"{width_px}x{height_px}.jpg", lambda: size_px)
