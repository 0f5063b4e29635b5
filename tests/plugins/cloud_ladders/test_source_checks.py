"""
Limits of the sources that clouds encode.
"""

from fractions import Fraction

import pytest

from hvcore.plugin_api import (
    MAX_SOURCE_DURATION_S,
    MAX_SOURCE_EDGE_PX,
    MAX_SOURCE_FRAME_RATE,
    MAX_SOURCE_PIXELS,
    MAX_SOURCE_STREAMS,
    UnusableSourceError,
)
from hvcore_cloud_ladders.source_checks import (
    NO_LENGTH,
    TOO_LARGE,
    TOO_LONG,
    TOO_MANY_TRACKS,
    check_duration,
    check_size,
    check_tracks,
    usable_frame_rate,
)

SHORT_PX = MAX_SOURCE_PIXELS // MAX_SOURCE_EDGE_PX


def test_sources_may_be_as_large_as_the_limits() -> None:
    check_tracks(MAX_SOURCE_STREAMS)
    check_duration(0.001)
    check_duration(MAX_SOURCE_DURATION_S + 1)
    check_size(MAX_SOURCE_EDGE_PX, SHORT_PX)
    check_size(SHORT_PX, MAX_SOURCE_EDGE_PX)
    check_size(6000, MAX_SOURCE_PIXELS // 6000)

    assert usable_frame_rate(Fraction(MAX_SOURCE_FRAME_RATE)) == MAX_SOURCE_FRAME_RATE


def test_larger_sources_and_none_are_refused_with_the_reason() -> None:
    refusals = {
        lambda: check_tracks(MAX_SOURCE_STREAMS + 1): TOO_MANY_TRACKS,
        lambda: check_duration(0): NO_LENGTH,
        lambda: check_duration(MAX_SOURCE_DURATION_S + 1.1): TOO_LONG,
        lambda: check_size(MAX_SOURCE_EDGE_PX + 1, 2): TOO_LARGE,
        lambda: check_size(2, MAX_SOURCE_EDGE_PX + 1): TOO_LARGE,
        lambda: check_size(6000, MAX_SOURCE_PIXELS // 6000 + 1): TOO_LARGE,
        lambda: usable_frame_rate(Fraction(241)): "has 241 pictures a second",
    }
    for check, why in refusals.items():
        with pytest.raises(UnusableSourceError) as refused:
            check()
        assert why in str(refused.value)


def test_a_frame_rate_loses_the_errors_of_rounded_lengths() -> None:
    rounded = Fraction(30000, 1001) + Fraction(1, 10**11)

    assert usable_frame_rate(rounded) == Fraction(30000, 1001)
    assert usable_frame_rate(Fraction(1, 2)) == 1
