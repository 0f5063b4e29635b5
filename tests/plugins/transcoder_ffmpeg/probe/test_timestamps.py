"""
How many pictures a source costs is bounded by how many it has.
"""

from fractions import Fraction

import pytest

from hvcore_transcoder_ffmpeg.probe.container_pictures import ContainerPicture
from hvcore_transcoder_ffmpeg.probe.source import VideoStream
from hvcore_transcoder_ffmpeg.probe.timestamps import TimelineReader, frame_rate
from hvcore_transcoder_ffmpeg.probe.video_report import video_stream

_HOURS_S = 11 * 3600


def video(**changes: str) -> VideoStream:
    stream = {"width": 64, "height": 64, "codec_name": "h264", "index": 0}
    rates = {"r_frame_rate": "60/1", "avg_frame_rate": "60/1"}
    return video_stream({**stream, **rates, **changes}, ContainerPicture())


def rate(times_s: list[float], last_s: float, of: VideoStream) -> Fraction:
    """
    Return the rate of pictures, of which the last one lasts so long.
    """
    reader = TimelineReader(0.0, 0)
    lasts_s = [1 / 60] * (len(times_s) - 1) + [last_s]
    lines = [
        f"0,{time_s},{time_s},{long_s},K_\n"
        for time_s, long_s in zip(times_s, lasts_s, strict=True)
    ]
    reader.feed("".join(lines).encode())
    return frame_rate(of, reader.timeline())


def _moving(begin_s: float) -> list[float]:
    return [begin_s + n / 60 for n in range(60)]


@pytest.mark.parametrize(
    ("times_s", "last_s"),
    [
        (_moving(0), _HOURS_S),
        (_moving(_HOURS_S), 1 / 60),
        ([0.0], _HOURS_S),
        ([0.0, _HOURS_S], 1 / 60),
        ([*_moving(0), _HOURS_S], 1 / 60),
    ],
    ids=["last", "first", "only", "two", "between"],
)
@pytest.mark.parametrize("order", ["progressive", "tt"])
def test_a_second_of_motion_is_no_reason_to_repeat_a_still_of_hours_at_its_rate(
    times_s: list[float], last_s: float, order: str
) -> None:
    assert rate(times_s, last_s, video(field_order=order)) == 1


@pytest.mark.parametrize(
    ("times_s", "last_s"), [(_moving(0), 30.0), (_moving(30), 1 / 60)]
)
def test_motion_before_or_behind_half_a_minute_of_a_still_stays_smooth(
    times_s: list[float], last_s: float
) -> None:
    assert rate(times_s, last_s, video()) == 60
