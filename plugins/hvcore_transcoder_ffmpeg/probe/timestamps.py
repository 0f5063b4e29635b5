"""
Read the presentation times of a source's pictures from its packets.

Headers may be wrong or missing: a browser's recording has no duration, and a file of 14 KB
with two pictures ten hours apart would make a million copies of the first picture. Reading
the packets without decoding them takes about 2 s for an hour of video. The packets of other
tracks are counted at the same time.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import inf
from typing import Final

import attrs

from hvcore.plugin_api import (
    MAX_SOURCE_DURATION_S,
    MAX_SOURCE_FRAME_RATE,
    UnusableSourceError,
)
from hvcore_transcoder_ffmpeg.probe.joins import Joins, Packet
from hvcore_transcoder_ffmpeg.probe.packet_budget import PacketBudget
from hvcore_transcoder_ffmpeg.probe.source import VideoStream
from hvcore_transcoder_ffmpeg.reasons import WITHOUT_PICTURES

FIELDS: Final = ("stream_index", "pts_time", "dts_time", "duration_time", "flags")
ENTRIES: Final = f"packet={','.join(FIELDS)}"

_SECONDS_IN_HOUR: Final = 3600
_NEAR: Final = Fraction(1, 100)
_SAME: Final = Fraction(1, 200)
_MIN_RATE: Final = Fraction(1)
"""The lowest frame rate: with a lower one, a segment could not begin every six seconds."""
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
"""The seconds by which pictures may be out of order: 16 pictures, the most that H.264 holds
back, at 8 a second."""

_MAX_CLOCK: Final = Fraction(60)
"""The highest nominal rate that is believed: a higher one is often no frame rate but a unit
of time, such as milliseconds."""
_MAX_SPARSE: Final = Fraction(3)
"""By how much the nominal rate may exceed the measured one: for a screen recording with 5
pictures a second at a nominal rate of 60, encoding 60 would be wasted."""
_PAUSE_S: Final = 1.0
"""The seconds between two pictures from which a gap counts as a pause."""
_MUCH: Final = Fraction(1, 4)
"""The share of a video in motion from which its pauses do not count for its frame rate."""
_MAX_HELD: Final = 36_000
"""How often the first and the last picture may be repeated to fill the time before and
after them: ten minutes at the highest usual rate. If they would be repeated more often,
the frame rate is lowered."""


@attrs.frozen(kw_only=True)
class Timeline:
    """
    Sum up the presentation times of a source's pictures.

    Attributes:
        count: The number of packets with a picture to show.
        first_s: The time of the first picture.
        last_s: The time of the last picture.
        end_s: The end of the last picture.
        longest_gap_s: The longest time between two consecutive pictures.
        holds: The number of longer times, at the file's start and end, for which the first
            or the last picture stands still: 0 to 2.
        holds_s: The length of these times together.
        pauses: The number of gaps between pictures that are too long for motion.
        pauses_s: The length of these gaps together.
        longest_run_s: The longest time from a key frame to the next one, or to the end.
        is_orderly: Whether decode times never go back, and pictures are out of order by
            two seconds at the most.
        recordings: The number of recordings that follow one another in the file.
        steps_s: By the index of a track, how many seconds its times are put forward at
            each join of two recordings.
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
    holds: int = 0
    holds_s: float = 0.0
    recordings: int = 1
    steps_s: dict[int, tuple[float, ...]] = attrs.field(factory=dict)


class TimelineReader:
    """
    Read ffprobe's list of packets while it is printed, and compute the pictures' timeline.

    Args:
        start_s: The time with which the file begins.
        stream_index: The index of the video track.
        sound: The indexes of the audio tracks.
        fields: The number of packets of a picture (2 for fields), if pictures may come in
            another order than they are shown; 0 if they come in order.
    """

    def __init__(
        self,
        start_s: float,
        stream_index: int,
        *,
        sound: Sequence[int] = (),
        fields: int = 1,
    ) -> None:
        self._rest = b""
        self._pictures = str(stream_index).encode()
        self._followed = {str(index).encode() for index in (stream_index, *sound)}
        self._joins = Joins({stream_index: fields} if fields else {})
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
        """True as long as no packet with a picture was read."""
        return self._count == 0

    def feed(self, data: bytes) -> None:
        """
        Read the next piece of ffprobe's list of packets.

        Raises:
            UnusableSourceError: The video is too long, or a track has too many packets.
        """
        lines = (self._rest + data).split(b"\n")
        self._rest = lines.pop()[-1024:]
        for line in lines:
            self._take(line)
        if self._end_s - self._start_s > MAX_SOURCE_DURATION_S + 1:
            raise UnusableSourceError(
                "The video is longer than "
                f"{MAX_SOURCE_DURATION_S // _SECONDS_IN_HOUR} hours."
            )

    def timeline(self) -> Timeline:
        """
        Return the timeline of all packets that were read.

        Raises:
            UnusableSourceError: No packet with a picture was read.
        """
        if self.is_empty:
            raise UnusableSourceError(WITHOUT_PICTURES)
        ends_s = (self._first_s - self._start_s, self._end_s - self._last_s)
        holds_s = [hold_s for hold_s in ends_s if hold_s > _PAUSE_S]
        return Timeline(
            count=self._count,
            first_s=self._first_s,
            last_s=self._last_s,
            end_s=self._end_s,
            longest_gap_s=self._gap_s,
            pauses=self._pauses,
            pauses_s=self._pauses_s,
            longest_run_s=max(self._run_s, self._end_s - self._key_s),
            is_orderly=self._is_orderly and self._joins.recordings == 1,
            holds=len(holds_s),
            holds_s=sum(holds_s),
            recordings=self._joins.recordings,
            steps_s=self._joins.steps_s(),
        )

    def _take(self, line: bytes) -> None:
        stream, _, line = line.partition(b",")
        fields = (line.split(b",") + [b""] * 4)[:4]
        # Side data may have lines of their own.
        if not stream.isdigit():
            return
        shown_s, decoded_s, lasts_s = map(_seconds, fields[:3])
        # AVI knows the order of decoding only.
        time_s = decoded_s if shown_s is None else shown_s
        # D: cut away by the file's edit list.
        is_cut = time_s is None or b"D" in fields[3]
        shift_s = 0.0
        if time_s is not None and not is_cut and stream in self._followed:
            packet = Packet(
                time_s=time_s,
                decoded_s=decoded_s,
                lasts_s=lasts_s or 0.0,
                is_key=b"K" in fields[3],
            )
            shift_s = self._joins.shift_s(stream, packet)
        self._count_packet(stream, shown_s, decoded_s, shift_s)
        if stream == self._pictures:
            self._note_order(decoded_s)
            if shown_s is None:
                self._is_orderly = False
            if time_s is not None and not is_cut:
                self._take_picture(time_s + shift_s, lasts_s or 0.0, fields[3])

    def _count_packet(
        self,
        stream: bytes,
        shown_s: float | None,
        decoded_s: float | None,
        shift_s: float,
    ) -> None:
        budget = self._budgets.get(stream)
        if budget is None:
            budget = self._budgets[stream] = PacketBudget(self._start_s)
        if budget.take():
            known = [one + shift_s for one in (shown_s, decoded_s) if one is not None]
            budget.look(max([self._last_s, *known]))

    def _take_picture(self, time_s: float, lasts_s: float, flags: bytes) -> None:
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
        self._end_s = max(self._end_s, time_s + lasts_s)

    def _note_order(self, decoded_s: float | None) -> None:
        # The first packets of a file with B-frames may have no such time.
        if decoded_s is not None:
            if decoded_s < self._decoded_s:
                self._is_orderly = False
            self._decoded_s = decoded_s


def frame_rate(video: VideoStream, timeline: Timeline) -> Fraction:
    """
    Return the constant frame rate at which every picture of a source is shown.

    A source of variable frame rate gets its nominal rate if that is plausible, else the
    next higher usual rate above its average, so that no motion is lost.

    Raises:
        UnusableSourceError: The source has more pictures a second than are supported.
    """
    measured = _measured_rate(timeline)
    if video.is_interlaced and 0 < video.average_rate <= measured * _MAX_SPARSE:
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
        rate = _usual(max(nominal or measured, _MIN_RATE))
    else:
        rate = _next_usual(measured)
    if rate * timeline.holds_s > _MAX_HELD:
        pictures = timeline.count + timeline.holds - 1
        shown_s = timeline.last_s - timeline.first_s + timeline.holds_s
        return min(rate, _next_usual(Fraction(pictures / shown_s)))
    return rate


def _next_usual(measured: Fraction) -> Fraction:
    usual = (rate for rate in _STANDARD_RATES if rate >= measured * (1 - _NEAR))
    return next(usual, _STANDARD_RATES[-1])


def _measured_rate(timeline: Timeline) -> Fraction:
    steps, span_s = timeline.count - 1, timeline.last_s - timeline.first_s
    moving_s = span_s - timeline.pauses_s
    # A second of motion within hours that stand still is not repeated at its own rate
    # for hours: what is encoded is bounded by how many pictures are there.
    if moving_s >= span_s * _MUCH:
        steps, span_s = steps - timeline.pauses, moving_s
    # One picture has no rate.
    if steps < 1 or span_s <= 0:
        return Fraction(0)
    found = Fraction(steps / span_s).limit_denominator(_MAX_DENOMINATOR)
    return max(found, Fraction(1, _MAX_DENOMINATOR))


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
