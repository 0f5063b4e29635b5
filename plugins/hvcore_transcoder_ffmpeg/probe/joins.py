"""
Put recordings in order that stand one behind the other in one file.

A page that pauses a recording, and puts together what it got, makes such a file: behind
the first recording the clock begins again. Everything is shown in the order in which it
stands. Where a recording begins is found in the order of packets; the filters that
shift
its pictures and its sound find it again by the same sign: time goes back, and not only
to
where it was before a single time that is wrong.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from math import inf
from typing import Final

import attrs

_BACK_S: Final = 0.1
"""Times of honest recorders waver by some milliseconds."""
_REORDERED: Final = 16
"""So many pictures may be decoded before one that is shown before them (H.264, HEVC).
Of as many and one more, at least one is shown earlier, unless time went back."""
MAX_RECORDINGS: Final = 100
"""More are a broken clock; each costs the filters a term."""

_NEVER_S: Final = 1_000_000_000
"""Later than any time of a file."""

_APART_S: Final = 1.0
"""Within a recording, packets of its tracks that are shown together stand together."""

INCOMPLETE: Final = (
    "The file consists of several recordings, one behind the other, and not all of them "
    "can be shown. Join them with a video editor to see all."
)


@attrs.frozen(kw_only=True)
class Packet:
    """
    A packet of pictures or sound.

    Attributes:
        time_s: When it is shown, or decoded where the container does not say more.
        decoded_s: None where the container does not say.
    """

    time_s: float
    decoded_s: float | None
    lasts_s: float
    is_key: bool


@attrs.define
class _Track:
    """
    The times that the packets of a track have reached.

    Attributes:
        recent_s: The times of its last packets.
        latest_s: The latest time within the recording.
        second_s: The latest but one; infinite as long as there is none.
        end_s: When the packet of the latest time is over, with its shift.
        decoded_s: The latest time of decoding.
        recording: Its number.
        steps_s: How much later each further recording is shown than the one before.
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
        """Note the times of a packet of the same recording."""
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
        """Take the second-latest time for the latest one, which was wrong."""
        self.latest_s = self.second_s
        # All times of the one packet may be wrong.
        self.decoded_s = -inf


class Joins:
    """
    Follows the packets of a file, finds where recordings begin, and shifts their times.

    Args:
        reordered: By index, how many fields a picture of a track has whose packets come
            in another order than they are shown. Of others, packets come in order.
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
        """True if the file has more recordings than are followed."""
        return self.recordings > MAX_RECORDINGS

    def steps_s(self) -> dict[int, tuple[float, ...]]:
        """Return for each track that has them by how much its time is put forward at each join."""
        return {
            int(index): tuple(track.steps_s)
            for index, track in self._tracks.items()
            if track.steps_s
        }

    def shift_s(self, index: bytes, packet: Packet) -> float:
        """Take a packet; return how much later than by its own time it is shown."""
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
    """Return whether a packet that is shown before others is no picture between them."""
    recent_s = track.recent_s
    is_full = len(recent_s) == recent_s.maxlen
    if is_full and packet.time_s < min(recent_s) - _BACK_S:
        return True
    decoded_s = packet.decoded_s
    is_decoded_later = decoded_s is not None and decoded_s >= track.decoded_s - _BACK_S
    # What is decoded before a key frame is shown before it.
    return packet.is_key and not is_decoded_later


def shifting(steps_s: Sequence[float]) -> str:
    """Return the expression of ``setpts`` and ``asetpts`` that puts recordings in order."""
    # Variable 0 counts them, 1 and 2 are the two latest times: the same as of a track.
    begin = f"st(1,T);st(2,{_NEVER_S})"
    back = f"if(gt(T,ld(2)),st(1,T),st(0,ld(0)+1);{begin})"
    on = "if(gt(T,ld(1)),st(2,ld(1));st(1,T),if(gt(T,ld(2)),st(2,T)))"
    count = f"if(eq(N,0),{begin},if(lt(T,PREV_INT-{_BACK_S}),{back},{on}))"
    terms = [
        f"gte(ld(0),{number})*{step_s:.6f}" for number, step_s in enumerate(steps_s, 1)
    ]
    return f"'PTS+({count};{'+'.join(terms)})/TB'"
