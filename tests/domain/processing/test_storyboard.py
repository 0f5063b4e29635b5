"""
The rules of storyboards.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hvcore.domain.processing.storyboard import (
    MAX_STILLS,
    still_count,
    still_interval_s,
)


@pytest.mark.parametrize(
    ("duration_s", "interval_s"),
    [
        (0.04, 1),
        (100.0, 1),
        (100.0004, 1),
        (100.01, 2),
        (200.5, 5),
        (3600.0, 60),
        (12 * 3600.0, 600),
        (20 * 3600.0, 1200),
    ],
)
def test_the_interval_is_the_smallest_that_gives_a_hundred(
    duration_s: float, interval_s: int
) -> None:
    assert still_interval_s(duration_s) == interval_s


@given(st.floats(min_value=0.001, max_value=1e6))
def test_no_video_has_more_than_a_hundred_stills(duration_s: float) -> None:
    count = still_count(duration_s, still_interval_s(duration_s))

    assert 1 <= count <= MAX_STILLS
