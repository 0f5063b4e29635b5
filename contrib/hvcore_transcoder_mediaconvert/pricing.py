"""Estimate the price of a job: MediaConvert bills an output by length and picture size."""

from typing import Final

from hvcore.plugin_api import Rung, TranscodeOrder

LEAST_BILLED_S: Final = 10
"""The least length of an output that MediaConvert bills."""
_HD_PX: Final = 720
_UHD_PX: Final = 1080
_USUAL_RATE: Final = 30
_TWO_PASS: Final = 2.5
_MINUTE_S: Final = 60


def normalized_minutes(order: TranscodeOrder) -> float:
    """
    Return an estimate of the normalized minutes that MediaConvert bills for a job.

    A minute of SD counts once, a minute of HD (a short edge from 720 pixels) twice, and a
    minute above 1080 pixels four times. More than 30 frames per second double the number,
    two passes take 2.5 times as much. Audio beside video is free.
    """
    length_s = max(order.source.duration_s, LEAST_BILLED_S)
    return length_s / _MINUTE_S * sum(map(_weight, order.ladder.rungs))


def _weight(rung: Rung) -> float:
    weight = 1.0
    if rung.short_edge_px >= _HD_PX:
        weight = 4.0 if rung.short_edge_px > _UHD_PX else 2.0
    if rung.frame_rate > _USUAL_RATE:
        weight *= 2
    return weight * _TWO_PASS if rung.two_pass else weight
