"""
Encode the lines of spool files.

A line: milliseconds since 1970, organization, environment, video, height, and
a checksum of all that, separated by spaces. A line that begins with anything
but a digit is of another kind (see :mod:`hvcore.spool.notes` and
:mod:`hvcore.spool.details`), perhaps of a newer version, and then is skipped.
"""

import zlib
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final, TypeAlias

from hvcore.domain.analytics.breakdown import SegmentOrigin
from hvcore.domain.analytics.ignored import IgnoredRequest
from hvcore.domain.analytics.live import SessionSeen, UnfollowedSessions
from hvcore.domain.analytics.playback_quality import PlayerReported
from hvcore.domain.analytics.segments import SegmentPlace, SegmentServed
from hvcore.spool.details import origin_text, reported_text
from hvcore.spool.notes import ignored_text, seen_text, unfollowed_text

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_DAY_MS: Final = 86_400_000
_TICK_MS: Final = 100
"""Divides a minute, so that no line is of another minute than its segment."""

Note: TypeAlias = (
    SegmentServed
    | IgnoredRequest
    | SessionSeen
    | UnfollowedSessions
    | PlayerReported
    | SegmentOrigin
)
"""The content of a line."""


class SegmentLines:
    """
    Makes the spool lines of served segments; segments of a rung within a tenth of a second share one line.

    A rung is a rendition of a video, told by its height. All of its segments that are served
    within a
    tenth of a second get the line of the first one, with its time: it is made once, and readers
    count it without parsing it again. Thread-safe.
    """

    def __init__(self) -> None:
        # One object, so that no thread takes lines for those of another tick.
        self._of_tick: tuple[int, dict[bytes, bytes]] = (0, {})

    def line(self, place: SegmentPlace, at_ms: int) -> bytes:
        """
        Return the spool line of a served segment, with the line end.

        Args:
            place: The segment's organization, environment, video and height.
            at_ms: The time of the request, in milliseconds since 1970.
        """
        tick, lines = self._of_tick
        if tick != at_ms // _TICK_MS:
            lines = {}
            self._of_tick = (at_ms // _TICK_MS, lines)
        text = place.text
        line = lines.get(text)
        if line is None:
            line = lines[text] = encode_segment(place, at_ms)
        return line


def encode_segment(place: SegmentPlace, at_ms: int) -> bytes:
    """
    Return the spool line of a served segment, with the line end.

    Args:
        at_ms: The time of the request, in milliseconds since 1970.
    """
    data = b"%d %s" % (at_ms, place.text)
    return b"%s %08x\n" % (data, zlib.crc32(data))


def encode_taken_back(segment: bytes) -> bytes:
    """
    Return the spool line that takes back the line of a segment, which was counted and never sent.

    Args:
        segment: The line of the segment, with the line end.
    """
    data = b"t " + segment.rpartition(b" ")[0]
    return b"%s %08x\n" % (data, zlib.crc32(data))


def encode(note: Note) -> bytes:
    """Return the spool line of a note (a served segment or another event), with the line end."""
    if isinstance(note, SegmentServed):
        return encode_segment(note.place, _ms(note.at))
    at_ms = _ms(note.at)
    if isinstance(note, SessionSeen):
        data = seen_text(note, at_ms).encode()
    elif isinstance(note, UnfollowedSessions):
        data = unfollowed_text(note, at_ms).encode()
    elif isinstance(note, PlayerReported):
        data = reported_text(note, at_ms).encode()
    elif isinstance(note, SegmentOrigin):
        data = origin_text(note, at_ms).encode()
    else:
        data = ignored_text(note, at_ms).encode()
    return b"%s %08x\n" % (data, zlib.crc32(data))


def encode_all(notes: Sequence[Note]) -> bytes:
    """Return the spool lines of notes (served segments and other events), one after the other."""
    return b"".join([encode(note) for note in notes])


def _ms(at: datetime) -> int:
    since = at - _EPOCH
    # In whole numbers, and without the division of two durations, which costs
    # more than the rest of a line.
    return since.days * _DAY_MS + since.seconds * 1000 + since.microseconds // 1000
