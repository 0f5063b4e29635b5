"""
Measure the peak and average bit rates of a rendition from its segments.

Source: RFC 8216, section 4.3.4.2 (BANDWIDTH) and section 4.1 (peak segment
bit rate).
"""

import math
from collections.abc import Sequence
from fractions import Fraction

from hvcore.domain.processing.transcoding import Segment, Track


def peak_bps(track: Track, *, target_s: int) -> int:
    """
    Return the peak segment bit rate of a rendition in bits per second, rounded up.

    It is the largest bit rate of any run of successive segments that lasts
    from half to one and a half target durations. A rendition shorter than
    that is measured as a whole. The peak is never below :func:`average_bps`.
    """
    segments = track.segments
    rates = [
        _bps(segments[first : last + 1])
        for first in range(len(segments))
        for last in _runs(segments, first, target_s)
    ]
    return max([*rates, average_bps(track)])


def average_bps(track: Track) -> int:
    """Return the average bit rate of a whole rendition in bits per second, rounded up."""
    return _bps(track.segments)


def _runs(segments: Sequence[Segment], first: int, target_s: int) -> list[int]:
    found = []
    duration_s = 0.0
    for last in range(first, len(segments)):
        duration_s += segments[last].duration_s
        if duration_s > 1.5 * target_s:
            break
        if duration_s >= 0.5 * target_s:
            found.append(last)
    return found


def _bps(segments: Sequence[Segment]) -> int:
    # Fractions: a float that rounds down would declare less than was measured.
    duration_s = sum((Fraction(s.duration_s) for s in segments), Fraction(0))
    bits = 8 * sum(s.file.size_bytes for s in segments)
    return math.ceil(bits / duration_s) if duration_s > 0 else 0
