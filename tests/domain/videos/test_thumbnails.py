"""
Sizes of pictures that the service itself links to.
"""

import pytest

from hvcore.domain.videos.thumbnails import whole_thumbnail_px


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
