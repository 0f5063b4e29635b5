"""
The sizes and frame rates that levels of codecs allow.
"""

import pytest

from hvcore.conformance.codecs import avc, hevc
from hvcore.conformance.codecs.pictures import Picture


def picture(width_px: int, height_px: int) -> Picture:
    return Picture(
        width_px=width_px,
        height_px=height_px,
        coded_width_px=width_px,
        coded_height_px=height_px,
        transfer=None,
    )


@pytest.mark.parametrize(
    ("level", "size_px", "rate", "is_covered"),
    [
        (31, (1280, 720), 30, True),
        (31, (1280, 720), 30.1, False),
        # All that level 4 has: macroblocks, their number in a row, and in a second.
        (40, (4096, 512), 30, True),
        (40, (512, 4096), 30, True),
        (40, (4112, 496), 1, False),
        (40, (2064, 1024), 1, False),
        (33, (16, 16), 1, False),
    ],
)
def test_a_level_of_h264_allows_what_the_standard_says_and_no_more(
    level: int, size_px: tuple[int, int], rate: float, *, is_covered: bool
) -> None:
    assert avc.level_covers(level, picture(*size_px), rate) is is_covered


@pytest.mark.parametrize(
    ("level", "size_px", "rate", "is_covered"),
    [
        (30, (192, 192), 15, True),
        (30, (192, 192), 15.1, False),
        (30, (200, 192), 1, False),
        (30, (536, 8), 1, True),
        (30, (8, 544), 1, False),
        (31, (8, 8), 1, False),
    ],
)
def test_a_level_of_h265_allows_what_the_standard_says_and_no_more(
    level: int, size_px: tuple[int, int], rate: float, *, is_covered: bool
) -> None:
    assert hevc.level_covers(level, picture(*size_px), rate) is is_covered
