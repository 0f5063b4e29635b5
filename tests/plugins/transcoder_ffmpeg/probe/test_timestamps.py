"""
Timelines and rates of pictures, which bound the pictures that are made.
"""

from fractions import Fraction

import attrs
import pytest

from hvcore.plugin_api import MAX_SOURCE_DURATION_S, UnusableSourceError
from hvcore_transcoder_ffmpeg.probe.container_pictures import ContainerPicture
from hvcore_transcoder_ffmpeg.probe.source import VideoStream
from hvcore_transcoder_ffmpeg.probe.timestamps import (
    Timeline,
    TimelineReader,
    frame_rate,
)
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


PACKETS = """
0,1.0,0.8,0.5,K_
1,9.0,9.0,9.0,K_
side data of a packet
0,2.0,1.0,0.5,__
0,1.5,1.2,0.5,__
0,7.0,1.4,0.5,_D
0,4.5,1.4,N/A,K_
0,6.5,1.6,0.5,__
"""


def read(packets: str, *, start_s: float = 0.0) -> Timeline:
    reader = TimelineReader(start_s, 0)
    assert reader.is_empty
    for byte in packets.encode():
        reader.feed(bytes([byte]))
    return reader.timeline()


def test_a_timeline_sums_up_the_pictures_that_are_shown() -> None:
    whole = TimelineReader(0.0, 0)
    whole.feed(PACKETS.encode())

    found = read(PACKETS)

    assert found == whole.timeline()
    assert (found.count, found.first_s, found.last_s, found.end_s) == (5, 1.0, 6.5, 7.0)
    assert found.longest_gap_s == 2.5
    assert (found.pauses, found.pauses_s) == (2, 4.5)
    assert found.longest_run_s == 3.5
    assert (found.is_orderly, found.recordings) == (True, 1)
    assert (found.holds, found.holds_s) == (0, 0.0)


def test_the_time_before_and_behind_the_pictures_is_held() -> None:
    begins_late = read(PACKETS, start_s=-0.5)
    ends_late = read(PACKETS + "0,7.0,7.0,3.0,K_\n", start_s=-0.5)

    assert (begins_late.holds, begins_late.holds_s) == (1, 1.5)
    assert (ends_late.holds, ends_late.holds_s) == (2, 4.5)
    assert begins_late.longest_run_s == 3.5
    assert read("0,1.0,1.0,5.0,K_\n").longest_run_s == 5.0


@pytest.mark.parametrize(
    ("packets", "is_orderly"),
    [
        ("0,2.0,0.0,1.0,K_\n0,0.0,0.0,1.0,__\n", True),
        ("0,2.1,0.0,1.0,K_\n0,0.0,0.0,1.0,__\n", False),
        ("0,0.0,1.0,1.0,K_\n0,1.0,0.9,1.0,__\n", False),
        ("0,0.0,N/A,1.0,K_\n0,1.0,0.9,1.0,__\n", True),
        ("0,N/A,0.0,1.0,K_\n", False),
        ("0,0.0,0.0,1.0,K_\n0,N/A,N/A,1.0,__\n", False),
        ("0,0.0,0.0,1.0,K_\n0,nan,0.5,1.0,__\n", False),
        ("0,0.0,0.0,1.0,K_\n0,315360000.0,0.5,1.0,__\n", False),
    ],
)
def test_pictures_are_orderly_that_can_be_found_by_their_time(
    packets: str, *, is_orderly: bool
) -> None:
    assert read(packets).is_orderly is is_orderly
    assert read(packets).last_s <= 2.1


def test_packets_that_show_nothing_are_no_video() -> None:
    for packets in ("1,0.0,0.0,1.0,K_\n", "0,N/A,N/A,1.0,K_\n", "0,0.0,0.0,1.0,KD\n"):
        with pytest.raises(UnusableSourceError):
            read(packets)


def test_a_video_may_be_as_long_as_the_limit_from_where_it_starts() -> None:
    longest = f"0,5.0,5.0,{MAX_SOURCE_DURATION_S + 1}.0,K_\n"

    assert read(longest, start_s=5.0).end_s == MAX_SOURCE_DURATION_S + 6
    with pytest.raises(UnusableSourceError, match="longer than 12 hours"):
        read(longest, start_s=4.9)


def even(rate: Fraction, *, count: int = 241, **changes: float) -> Timeline:
    """
    Return the timeline of pictures that follow one another at a rate.
    """
    last_s = float((count - 1) / rate) if rate else 0.0
    plain = Timeline(
        count=count,
        first_s=0.0,
        last_s=last_s,
        end_s=last_s,
        longest_gap_s=0.0,
        pauses=0,
        pauses_s=0.0,
        longest_run_s=0.0,
        is_orderly=True,
    )
    return attrs.evolve(plain, **changes)


@pytest.mark.parametrize(
    ("measured", "nominal", "expected"),
    [
        ("25", "25/1", "25"),
        ("25.2", "25/1", "25"),
        ("24.8", "25/1", "25"),
        ("26", "25/1", "30000/1001"),
        ("20", "60/1", "60"),
        ("19", "60/1", "20"),
        ("60", "90/1", "60000/1001"),
        ("29.9", "1000/1", "30000/1001"),
        ("30.29", "1000/1", "30"),
        ("37", "37/1", "37"),
        ("238", "1000/1", "240"),
        ("0", "50/1", "50"),
        ("0", "0/0", "1"),
        ("25", "2503/100", "25"),
        ("2500/99", "1000/1", "25"),
        ("0.5", "1/2", "1"),
        ("242", "242/1", "240"),
    ],
)
def test_a_video_is_shown_at_its_own_rate_or_the_next_usual_one(
    measured: str, nominal: str, expected: str
) -> None:
    rate = Fraction(measured)
    timeline = even(rate) if rate else even(rate, count=2)

    assert frame_rate(video(r_frame_rate=nominal), timeline) == Fraction(expected)


def test_more_pictures_a_second_than_are_supported_are_refused() -> None:
    with pytest.raises(UnusableSourceError, match="has 243 pictures a second"):
        frame_rate(video(), even(Fraction(243)))


def test_of_fields_the_average_rate_counts_unless_it_is_sparse() -> None:
    fields = video(field_order="tt", avg_frame_rate="25/1", r_frame_rate="50/1")

    assert frame_rate(fields, even(Fraction(50))) == 25
    assert frame_rate(fields, even(Fraction(9))) == 25
    assert frame_rate(fields, even(Fraction(8))) == 10


def test_pauses_do_not_count_where_much_is_in_motion() -> None:
    moving_s, steps = 60.0, 1500
    still = {"last_s": moving_s * 4, "pauses": 1, "pauses_s": moving_s * 3}
    more = {"last_s": moving_s * 5, "pauses": 1, "pauses_s": moving_s * 4}
    variable = video(r_frame_rate="1000/1")

    rates = [
        frame_rate(variable, even(Fraction(25), count=steps + 2, **changes))
        for changes in (still, more)
    ]

    assert rates == [25, 5]
