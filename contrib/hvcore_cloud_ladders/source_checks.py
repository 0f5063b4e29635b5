"""Refuse sources that no cloud can make into a video, in words for their owners."""

from fractions import Fraction
from typing import Final

from hvcore.plugin_api import (
    MAX_SOURCE_DURATION_S,
    MAX_SOURCE_EDGE_PX,
    MAX_SOURCE_FRAME_RATE,
    MAX_SOURCE_PIXELS,
    MAX_SOURCE_STREAMS,
    UnusableSourceError,
)

NO_VIDEO: Final = "The file has no video."
ONLY_AUDIO: Final = "The file has no video, only audio."
NO_LENGTH: Final = (
    "The file does not say how long it is. Convert it to MP4 with H.264 video and AAC "
    "sound, and upload it again."
)
TOO_LARGE: Final = (
    f"The picture is too large: at most {MAX_SOURCE_EDGE_PX} pixels on each side and "
    f"{MAX_SOURCE_PIXELS // 1_000_000} million in all are supported."
)
TOO_LONG: Final = f"The video is longer than {MAX_SOURCE_DURATION_S // 3600} hours."
TOO_MANY_TRACKS: Final = f"The file has more than {MAX_SOURCE_STREAMS} tracks."
DOLBY_VISION: Final = (
    "The video is in Dolby Vision without a picture for other screens (profile 5). "
    "Export it as HDR10 or as standard dynamic range, and upload it again."
)
_FINEST: Final = 100_000
"""The largest denominator of a frame rate; larger ones come from rounded lengths."""


def check_tracks(number: int) -> None:
    """Raise UnusableSourceError if a source has too many tracks."""
    if number > MAX_SOURCE_STREAMS:
        raise UnusableSourceError(TOO_MANY_TRACKS)


def check_duration(duration_s: Fraction | float) -> None:
    """Raise UnusableSourceError if a source has no length, or is too long."""
    if duration_s <= 0:
        raise UnusableSourceError(NO_LENGTH)
    if duration_s > MAX_SOURCE_DURATION_S + 1:
        raise UnusableSourceError(TOO_LONG)


def check_size(width_px: int, height_px: int) -> None:
    """Raise UnusableSourceError if the pictures of a source are too large."""
    is_long = max(width_px, height_px) > MAX_SOURCE_EDGE_PX
    if is_long or width_px * height_px > MAX_SOURCE_PIXELS:
        raise UnusableSourceError(TOO_LARGE)


def usable_frame_rate(rate: Fraction) -> Fraction:
    """
    Return the frame rate of a source without the errors of rounded lengths, and at least 1.

    Raises:
        UnusableSourceError: The source has too many pictures a second.
    """
    if rate > MAX_SOURCE_FRAME_RATE:
        raise UnusableSourceError(
            f"The video has {float(rate):.0f} pictures a second; at most "
            f"{MAX_SOURCE_FRAME_RATE} are supported."
        )
    return max(Fraction(1), rate.limit_denominator(_FINEST))
