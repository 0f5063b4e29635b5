"""Estimate the price of a job: Google bills an output by its length and picture size."""

from typing import Final

from hvcore.plugin_api import Rung, TranscodeOrder

_HD: Final = (1280, 720)
_UHD_ABOVE: Final = (1920, 1080)
_HD_WEIGHT: Final = 2.0
_UHD_WEIGHT: Final = 4.0
_AUDIO_WEIGHT: Final = 1 / 3
_MINUTE_S: Final = 60


def sd_minutes(order: TranscodeOrder) -> float:
    """
    Return the number of minutes of SD video that cost as much as a job.

    A minute of HD (from 1280x720) costs as much as two minutes of SD, a minute above
    1920x1080 as four, and a minute of sound as a third. One side of a picture suffices
    to put the picture into a dearer class.
    """
    weights = [*map(_weight, order.ladder.rungs)]
    weights += [_AUDIO_WEIGHT for _ in order.ladder.audio]
    return order.source.duration_s / _MINUTE_S * sum(weights)


def _weight(rung: Rung) -> float:
    long_px, short_px = sorted((rung.width_px, rung.height_px), reverse=True)
    if long_px > _UHD_ABOVE[0] or short_px > _UHD_ABOVE[1]:
        return _UHD_WEIGHT
    return _HD_WEIGHT if long_px >= _HD[0] or short_px >= _HD[1] else 1.0
