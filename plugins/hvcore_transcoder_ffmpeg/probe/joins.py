"""
Shift the times of several recordings that follow one another in one file.

A web page that pauses a recording and joins the pieces makes such a file: behind the first
recording the clock begins again. The recordings are shown in their order in the file. The
beginning of a recording is recognised by packets whose time goes back, and not only because
a single time before them was wrong. The filters that shift pictures and sound recognise the
beginning by the same sign.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from math import inf
from typing import Final

import attrs

_BACK_S: Final = 0.1
"""The seconds by which a time may go back within a recording: times of honest recorders
waver by some milliseconds."""
_REORDERED: Final = 16
"""The most pictures that may be decoded before a picture that is shown before them (H.264,
HEVC). Of one picture more, at least one is shown earlier, unless time went back."""
MAX_RECORDINGS: Final = 100
"""The most recordings of a file; more would be a broken clock. Each recording adds a term
to the filters' expressions."""

_NEVER_S: Final = 1_000_000_000
"""A time in seconds that is later than any time in a file."""

_APART_S: Final = 1.0
"""The seconds by which the times of different tracks may differ at one place in a file."""

INCOMPLETE: Final = (
    "The file consists of several recordings, one behind the other, and not all of them "
    "can be shown. Join them with a video editor to see all."
)


@attrs.frozen(kw_only=True)
class Packet:
    """
    Describe the times of a packet of pictures or sound.

    Attributes:
        time_s: When the packet is shown; the decode time if the container tells no other.
        decoded_s: When the packet is decoded; None if the container does not tell it.
        lasts_s: The duration of the packet; 0 if it is unknown.
    """

    time_s: float
    decoded_s: float | None
    lasts_s: float
    is_key: bool


@attrs.define
class _Track:
    """
    Follow the times of a track's packets within the present recording.

    Attributes:
        recent_s: The times of the last packets.
        latest_s: The latest time within the recording.
        second_s: The second-latest time within the recording; infinite if there is none.
        end_s: The end of the packet with the latest time, after the shift.
        decoded_s: The latest decode time within the recording.
        recording: The number of the recording, from 0.
        shift_s: By how much the recording is shown later than by its own times.
        steps_s: By how much the shift grew at each join.
    """

    recent_s: deque[float]
    latest_s: float = -inf
    second_s: float = inf
    end_s: float = -inf
    decoded_s: float = -inf
    recording: int = 0
    shift_s: float = 0.0
    steps_s: list[float] = attrs.field(factory=list)

    def take(self, packet: Packet) -> None:
        """Note the times of a packet that belongs to the present recording."""
        time_s = packet.time_s
        self.recent_s.append(time_s)
        if time_s > self.latest_s:
            self.second_s = self.latest_s if self.latest_s > -inf else inf
            self.latest_s = time_s
            self.end_s = time_s + packet.lasts_s + self.shift_s
        elif inf > time_s > self.second_s:
            self.second_s = time_s
        decoded_s = time_s if packet.decoded_s is None else packet.decoded_s
        self.decoded_s = max(self.decoded_s, decoded_s)

    def forget_latest(self) -> None:
        """Replace the latest time, which was wrong, by the second-latest time."""
        self.latest_s = self.second_s
        # All times of the one packet may be wrong.
        self.decoded_s = -inf


class Joins:
    """
    Follow the packets of a file, find where recordings begin, and shift their times.

    Args:
        reordered: The number of packets of a picture (2 for fields), by the index of each
            track whose packets come in another order than they are shown.
    """

    def __init__(self, reordered: Mapping[int, int]) -> None:
        self._windows = {
            str(index).encode(): _REORDERED * fields + 1
            for index, fields in reordered.items()
        }
        self._tracks: dict[bytes, _Track] = {}
        self._shifts_s = [0.0]

    @property
    def recordings(self) -> int:
        """The number of recordings begun so far in the file."""
        return len(self._shifts_s)

    @property
    def are_too_many(self) -> bool:
        """True if the file has more recordings than MAX_RECORDINGS."""
        return self.recordings > MAX_RECORDINGS

    def steps_s(self) -> dict[int, tuple[float, ...]]:
        """Return the seconds by which times are put forward at each join, by track index."""
        return {
            int(index): tuple(track.steps_s)
            for index, track in self._tracks.items()
            if track.steps_s
        }

    def shift_s(self, index: bytes, packet: Packet) -> float:
        """
        Note a packet, and return by how many seconds it is shown later than its own time says.

        Args:
            index: ffmpeg's index of the packet's track, as digits.
        """
        track = self._tracks.get(index)
        if track is None:
            recent_s = deque[float](maxlen=self._windows.get(index, 1))
            track = self._tracks[index] = _Track(recent_s)
        if packet.time_s < track.latest_s - _BACK_S and _goes_back(track, packet):
            if packet.time_s > track.second_s:
                track.forget_latest()
            else:
                self._begin(track, packet.time_s)
        track.take(packet)
        return track.shift_s

    def _begin(self, track: _Track, time_s: float) -> None:
        track.recent_s.clear()
        track.latest_s = track.decoded_s = -inf
        track.second_s = inf
        newest = self.recordings - 1
        tracks = self._tracks.values()
        latest_s = max(
            (one.latest_s for one in tracks if one.recording == newest), default=-inf
        )
        # The newest recording has gone on without this track, and has ended.
        if track.recording == newest or time_s < latest_s - _APART_S:
            if self.are_too_many:
                return
            self._shifts_s.append(max(one.end_s for one in tracks) - time_s)
        track.recording = self.recordings - 1
        shift_s = self._shifts_s[track.recording]
        track.steps_s.append(round(shift_s - track.shift_s, 6))
        track.shift_s = shift_s


def _goes_back(track: _Track, packet: Packet) -> bool:
    """Return whether a packet with an earlier time shows that the clock began again."""
    recent_s = track.recent_s
    is_full = len(recent_s) == recent_s.maxlen
    if is_full and packet.time_s < min(recent_s) - _BACK_S:
        return True
    decoded_s = packet.decoded_s
    is_decoded_later = decoded_s is not None and decoded_s >= track.decoded_s - _BACK_S
    # What is decoded before a key frame is shown before it.
    return packet.is_key and not is_decoded_later


def shifting(steps_s: Sequence[float]) -> str:
    """
    Return the expression for ffmpeg's ``setpts`` and ``asetpts`` that shifts recordings.

    Args:
        steps_s: The seconds by which times are put forward at each join of two
            recordings.
    """
    # Variable 0 counts them, 1 and 2 are the two latest times: the same as of a track.
    begin = f"st(1,T);st(2,{_NEVER_S})"
    back = f"if(gt(T,ld(2)),st(1,T),st(0,ld(0)+1);{begin})"
    on = "if(gt(T,ld(1)),st(2,ld(1));st(1,T),if(gt(T,ld(2)),st(2,T)))"
    count = f"if(eq(N,0),{begin},if(lt(T,PREV_INT-{_BACK_S}),{back},{on}))"
    terms = [
        f"gte(ld(0),{number})*{step_s:.6f}" for number, step_s in enumerate(steps_s, 1)
    ]
    return f"'PTS+({count};{'+'.join(terms)})/TB'"
