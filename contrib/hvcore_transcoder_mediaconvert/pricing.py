"""The price of a job, about: MediaConvert bills an output by length and size."""

from typing import Final

from hvcore.plugin_api import Rung, TranscodeOrder

LEAST_BILLED_S: Final = 10
"""MediaConvert bills each output for at least so long."""
_HD_PX: Final = 720
_UHD_PX: Final = 1080
_USUAL_RATE: Final = 30
_TWO_PASS: Final = 2.5
_MINUTE_S: Final = 60


def normalized_minutes(order: TranscodeOrder) -> float:
    """
    Return the minutes that MediaConvert bills for a job, about.

    A minute of SD counts once, of HD (from 720 on the short edge) twice, above 1080
    four times; more than 30 pictures a second double it, two passes take 2.5 times
    as much. Audio beside video is free.
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
