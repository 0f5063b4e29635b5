"""Source figures: size in bytes, width, height and frame rate of a source, for API clients."""

from fractions import Fraction
from math import gcd

import attrs


@attrs.frozen(kw_only=True)
class SourceFigures:
    """
    Hold the size in bytes, the width, the height and the frame rate of a source, for clients.

    Attributes:
        width_px: The display width, after rotation and with square pixels.
        height_px: The display height, after rotation and with square pixels.
        frame_rate: The average number of frames per second, rounded to thousandths.
        size_bytes: The size of the file; 0 if the transcoder does not know it.
    """

    width_px: int
    height_px: int
    frame_rate: float
    size_bytes: int

    @property
    def aspect_ratio(self) -> tuple[int, int]:
        """The width and the height in lowest terms, such as 16 and 9."""
        common = gcd(self.width_px, self.height_px) or 1
        return self.width_px // common, self.height_px // common


def rounded_rate(frame_rate: Fraction) -> float:
    """Return a frame rate in frames per second, rounded to thousandths."""
    return round(float(frame_rate), 3)
