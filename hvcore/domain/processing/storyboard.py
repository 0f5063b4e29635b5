"""Storyboards: the interval and the number of their pictures."""

from math import ceil
from typing import Final

MAX_STILLS: Final = 100
"""Of one video: two sheets of some 150 kB."""

_ROUNDING_S: Final = 0.001
"""Durations are sums of rounded numbers."""

_INTERVALS_S: Final = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600)


def still_interval_s(duration_s: float) -> int:
    """
    Return the seconds from one still of a storyboard to the next.

    The smallest round interval that gives at most MAX_STILLS stills.
    """
    longest = _INTERVALS_S[-1]
    for interval_s in _INTERVALS_S:
        if still_count(duration_s, interval_s) <= MAX_STILLS:
            return interval_s
    return ceil(duration_s / (longest * MAX_STILLS)) * longest


def still_count(duration_s: float, interval_s: int) -> int:
    """Return the number of stills of a video with an interval between them; at least 1."""
    return max(1, ceil((duration_s - _ROUNDING_S) / interval_s))
