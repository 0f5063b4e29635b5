"""
The shape and the frame rate of sources, as clients are told.
"""

from fractions import Fraction

import pytest

from hvcore.domain.source_figures import SourceFigures, rounded_rate


@pytest.mark.parametrize(
    ("size_px", "ratio"),
    [
        ((1920, 1080), (16, 9)),
        ((1080, 1920), (9, 16)),
        ((640, 480), (4, 3)),
        ((500, 500), (1, 1)),
        ((854, 480), (427, 240)),
        ((1, 7), (1, 7)),
        ((0, 0), (0, 0)),
    ],
)
def test_an_aspect_ratio_is_exact_and_in_lowest_terms(
    size_px: tuple[int, int], ratio: tuple[int, int]
) -> None:
    width_px, height_px = size_px
    figures = SourceFigures(
        width_px=width_px, height_px=height_px, frame_rate=25.0, size_bytes=1
    )

    assert figures.aspect_ratio == ratio


@pytest.mark.parametrize(
    ("rate", "rounded"),
    [
        (Fraction(25), 25),
        (Fraction(30000, 1001), 29.97),
        (Fraction(24000, 1001), 23.976),
        (Fraction(1, 3), 0.333),
        (Fraction(0), 0),
    ],
)
def test_frame_rates_are_rounded_to_thousandths(rate: Fraction, rounded: float) -> None:
    assert rounded_rate(rate) == rounded
