"""
When the pictures of a source are shown, read from its packets.

Headers lie or say nothing: a browser's recording has no duration, and 14 KB
with two pictures ten hours apart would make a million copies of the first.
Reading the packets without decoding them costs some 2 s for an hour of video. Those
of other tracks are counted on the way.
"""

from fractions import Fraction
from math import inf
from typing import Final

import attrs

from hv_transcoder_ffmpeg.packet_budget import PacketBudget
from hv_transcoder_ffmpeg.reasons import WITHOUT_PICTURES
from hv_transcoder_ffmpeg.source import VideoStream
from hvcore.plugin_api import (
    MAX_SOURCE_DURATION_S,
    MAX_SOURCE_FRAME_RATE,
    MAX_TIMESTAMP_GAP_S,
    UnusableSourceError,
)

FIELDS: Final = ("stream_index", "pts_time", "dts_time", "duration_time", "flags")
ENTRIES: Final = f"packet={','.join(FIELDS)}"

_SECONDS_IN_HOUR: Final = 3600
_NEAR: Final = Fraction(1, 100)
_SAME: Final = Fraction(1, 200)
_MIN_RATE: Final = Fraction(1)
"""Slower, and a segment could not begin every six seconds."""
_STANDARD_RATES: Final = tuple(
    Fraction(*rate)
    for rate in (
        *((rate, 1) for rate in (1, 2, 5, 10, 12, 15, 20)),
        *((24000, 1001), (24, 1), (25, 1), (30000, 1001), (30, 1)),
        *((48, 1), (50, 1), (60000, 1001), (60, 1), (72, 1), (90, 1)),
        *((100, 1), (120000, 1001), (120, 1), (144, 1), (240, 1)),
    )
)
_MAX_DENOMINATOR: Final = 1001

_MAX_REORDERING_S: Final = 2.0
"""Sixteen pictures, the most that H.264 holds back, at 8 a second."""

_MAX_CLOCK: Final = Fraction(60)
"""A higher one is often no rate but a unit, such as milliseconds."""
_MAX_SPARSE: Final = Fraction(3)
"""A recorded screen with 5 of 60 pictures is not worth encoding 60."""
_PAUSE_S: Final = 1.0
"""What is slower than this does not move."""
_MUCH: Final = Fraction(1, 4)
"""If so much of a video moves, its pauses say nothing about its rate."""


@attrs.frozen(kw_only=True)
class Timeline:
    """
    The pictures' times.

    Attributes:
        count: Packets with a picture to show.
        first_s: Time of the first one.
        last_s: Time of the last one.
        end_s: When the last one is over.
        longest_gap_s: Between two pictures that follow each other.
        pauses: How many gaps between pictures are no motion.
        pauses_s: How long they are together.
        longest_run_s: From one key frame to the next, and from the last one
            to the end.
        is_orderly: Decode times never go back, and pictures are shown at most
            a moment after others that come later.
    """

    count: int
    first_s: float
    last_s: float
    end_s: float
    longest_gap_s: float
    pauses: int
    pauses_s: float
    longest_run_s: float
    is_orderly: bool


class TimelineReader:
    """
    Follow ffprobe's list of packets while it is printed.

    Args:
        start_s: The time with which the file begins.
        stream_index: Of the pictures.
    """

    def __init__(self, start_s: float, stream_index: int) -> None:
        self._rest = b""
        self._pictures = str(stream_index).encode()
        self._budgets: dict[bytes, PacketBudget] = {}
        self._start_s = start_s
        self._count = 0
        self._first_s = float("inf")
        # Nothing shown from the file's start on is a gap, too.
        self._last_s = start_s
        self._end_s = start_s
        self._gap_s = 0.0
        self._pauses = 0
        self._pauses_s = 0.0
        self._key_s = start_s
        self._run_s = 0.0
        self._decoded_s = -inf
        self._is_orderly = True

    @property
    def is_empty(self) -> bool:
        """
        True as long as no picture came.
        """
        return self._count == 0

    def feed(self, data: bytes) -> None:
        """
        Take the next piece of the list.

        Raises:
            UnusableSourceError: A limit is broken already.
        """
        lines = (self._rest + data).split(b"\n")
        self._rest = lines.pop()[-1024:]
        for line in lines:
            self._take(line)
        if self._gap_s > MAX_TIMESTAMP_GAP_S:
            raise UnusableSourceError(
                f"The video shows no new picture for {self._gap_s:.0f} seconds; at "
                f"most {MAX_TIMESTAMP_GAP_S} are supported."
            )
        if self._end_s - self._start_s > MAX_SOURCE_DURATION_S + 1:
            raise UnusableSourceError(
                "The video is longer than "
                f"{MAX_SOURCE_DURATION_S // _SECONDS_IN_HOUR} hours."
            )

    def timeline(self) -> Timeline:
        """
        Return what was read.

        Raises:
            UnusableSourceError: There was no picture.
        """
        if self.is_empty:
            raise UnusableSourceError(WITHOUT_PICTURES)
        return Timeline(
            count=self._count,
            first_s=self._first_s,
            last_s=self._last_s,
            end_s=self._end_s,
            longest_gap_s=self._gap_s,
            pauses=self._pauses,
            pauses_s=self._pauses_s,
            longest_run_s=max(self._run_s, self._end_s - self._key_s),
            is_orderly=self._is_orderly,
        )

    def _take(self, line: bytes) -> None:
        stream, _, line = line.partition(b",")
        # Side data may have lines of their own.
        if stream.isdigit():
            self._count_packet(stream, line)
        if stream == self._pictures:
            self._take_picture(line)

    def _count_packet(self, stream: bytes, line: bytes) -> None:
        budget = self._budgets.get(stream)
        if budget is None:
            budget = self._budgets[stream] = PacketBudget(self._start_s)
        if budget.take():
            times = map(_seconds, line.split(b",")[:2])
            known = [one for one in times if one is not None]
            budget.look(max([self._last_s, *known]))

    def _take_picture(self, line: bytes) -> None:
        shown, decoded, lasts, flags = (line.split(b",") + [b""] * 3)[:4]
        decoded_s = _seconds(decoded)
        self._note_order(decoded_s)
        # D: cut away by the file's edit list.
        if b"D" in flags:
            return
        # AVI knows the order of decoding only.
        time_s = _seconds(shown)
        if time_s is None:
            self._is_orderly = False
            time_s = decoded_s
        if time_s is None:
            return
        if time_s < self._last_s - _MAX_REORDERING_S:
            self._is_orderly = False
        if b"K" in flags:
            self._run_s = max(self._run_s, time_s - self._key_s)
            self._key_s = time_s
        if self._count and time_s - self._last_s > _PAUSE_S:
            self._pauses += 1
            self._pauses_s += time_s - self._last_s
        self._count += 1
        self._first_s = min(self._first_s, time_s)
        self._gap_s = max(self._gap_s, time_s - self._last_s)
        self._last_s = max(self._last_s, time_s)
        self._end_s = max(self._end_s, time_s + (_seconds(lasts) or 0.0))

    def _note_order(self, decoded_s: float | None) -> None:
        # The first packets of a file with B-frames may have no such time.
        if decoded_s is not None:
            if decoded_s < self._decoded_s:
                self._is_orderly = False
            self._decoded_s = decoded_s


def frame_rate(video: VideoStream, timeline: Timeline) -> Fraction:
    """
    Return the constant rate that shows every picture.

    A source of variable rate gets the rate of its clock where that is a
    usual one, else the next higher usual rate above its average, so that no
    motion is lost.

    Raises:
        UnusableSourceError: More pictures a second than any camera makes.
    """
    measured = _measured_rate(timeline)
    if video.is_interlaced and video.average_rate:
        # Each field may be a packet of its own: what counts is the frame.
        measured = video.average_rate
    if measured > MAX_SOURCE_FRAME_RATE * (1 + _NEAR):
        raise UnusableSourceError(
            f"The video has {float(measured):.0f} pictures a second; at most "
            f"{MAX_SOURCE_FRAME_RATE} are supported."
        )
    nominal = video.average_rate if video.is_interlaced else video.nominal_rate
    is_constant = measured == 0 or abs(nominal - measured) <= measured * _NEAR
    is_clock = measured <= nominal <= min(_MAX_CLOCK, measured * _MAX_SPARSE)
    if is_constant or is_clock:
        return _usual(max(nominal or measured, _MIN_RATE))
    usual = (rate for rate in _STANDARD_RATES if rate >= measured * (1 - _NEAR))
    return next(usual, _STANDARD_RATES[-1])


def _measured_rate(timeline: Timeline) -> Fraction:
    steps, span_s = timeline.count - 1, timeline.last_s - timeline.first_s
    moving_s = span_s - timeline.pauses_s
    if moving_s >= span_s * _MUCH:
        steps, span_s = steps - timeline.pauses, moving_s
    # One picture has no rate.
    if steps < 1 or span_s <= 0:
        return Fraction(0)
    return Fraction(steps / span_s).limit_denominator(_MAX_DENOMINATOR)


def _usual(rate: Fraction) -> Fraction:
    nearest = min(_STANDARD_RATES, key=lambda usual: abs(usual - rate))
    if abs(nearest - rate) <= nearest * _SAME:
        return nearest
    limited = rate.limit_denominator(_MAX_DENOMINATOR)
    return min(limited, Fraction(MAX_SOURCE_FRAME_RATE))


def _seconds(field: bytes) -> float | None:
    try:
        value = float(field)
    except ValueError:
        return None
    # Beyond ten years (and for nan) it is not a time.
    return value if abs(value) < 10 * 365 * 24 * _SECONDS_IN_HOUR else None
