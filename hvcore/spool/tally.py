"""Add up the lines of spool files."""

import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import repeat
from typing import Final, TypeAlias

import attrs

from hvcore.domain.analytics.breakdown import OriginCount
from hvcore.domain.analytics.ignored import IgnoredCount
from hvcore.domain.analytics.live import SessionSeen, UnfollowedSessions
from hvcore.domain.analytics.playback_quality import PlaybackQualityCount
from hvcore.domain.analytics.segments import MinuteCount, SegmentPlace, ServedCount
from hvcore.domain.ids import EnvId, OrgId, VideoId
from hvcore.spool.details import origin_counts, quality_counts
from hvcore.spool.notes import (
    ignored_counts,
    sessions_seen,
    taken_back,
    unfollowed_sessions,
)

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MINUTE_MS: Final = 60_000
_MINUTES_OF_A_DAY: Final = 1_440
_LAST_MINUTE: Final = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // timedelta(
    minutes=1
)
_MOMENT_DIGITS: Final = 13
"""Of milliseconds, from 2001 to 2286."""
_MOST_DIGITS: Final = 15
_CHECKSUM_BYTES: Final = 9
"""Eight digits, and the space before them."""
_SAMPLE: Final = 200
"""Lines that are looked at to tell whether many are alike: a quarter is worth it."""


@attrs.define
class PlaceTally:
    """
    The number of served segments of a video's rung in a minute, with the times of the first and the last one.

    Attributes:
        first: The time of the first segment, as the digits in its line (milliseconds since 1970).
        last: The time of the last segment, as the digits in its line.
    """

    first: bytes
    last: bytes
    segments: int


_Minutes: TypeAlias = dict[int, dict[bytes, PlaceTally]]


@attrs.frozen(kw_only=True)
class Noted:
    """
    The sums of some spool lines.

    Attributes:
        counts: Served segments by place (video and height) and UTC day; below zero if more were
            taken back.
        minutes: The counts of the same segments by place and minute.
        ignored: Ignored requests by place, reason and UTC day.
        seen: The latest line of each video and viewer's session.
        unfollowed: The latest line of each organization with sessions that are not
            followed.
        quality: The sums of players' reports, by video and UTC day.
        origins: The number of requests by their origin, by video and UTC day.
        damaged: The number of damaged lines.
    """

    counts: tuple[ServedCount, ...]
    minutes: tuple[MinuteCount, ...]
    ignored: tuple[IgnoredCount, ...]
    seen: tuple[SessionSeen, ...]
    unfollowed: tuple[UnfollowedSessions, ...]
    quality: tuple[PlaybackQualityCount, ...]
    origins: tuple[OriginCount, ...]
    damaged: int


class Tally:
    """
    Add up spool lines by place (video and height), minute and UTC day, and count damaged lines.

    Places and times are parsed once for each sum, and equal lines are read once, which is quicker
    than to decode each line.
    """

    def __init__(self) -> None:
        self._minutes: _Minutes = {}
        self._others: list[bytes] = []
        self._damaged = 0

    def add(self, lines: Sequence[bytes]) -> None:
        """Add up further lines, given without their line ends."""
        minutes = self._minutes
        current: dict[bytes, PlaceTally] = {}
        begins = ends = b""
        damaged = 0
        checksum_of = zlib.crc32
        for line, times in _with_times(lines):
            text = line[:-_CHECKSUM_BYTES]
            try:
                is_whole = int(line[-8:], 16) == checksum_of(text)
            except ValueError:
                is_whole = False
            at, _, place = text.partition(b" ")
            # Of another kind, unless it only begins like a segment.
            if not is_whole or not at.isdigit():
                if is_whole and not at[:1].isdigit():
                    self._others.extend([text] * times)
                else:
                    damaged += times
                continue
            # Moments of one length are in the order of their digits: no line is
            # made a number of that is in the minute of the one before.
            if len(at) != _MOMENT_DIGITS or not begins <= at < ends:
                if len(at) > _MOST_DIGITS:
                    damaged += times
                    continue
                minute = int(at) // _MINUTE_MS
                begins, ends = (
                    _bounds(minute) if len(at) == _MOMENT_DIGITS else (b"", b"")
                )
                current = minutes.setdefault(minute, {})
            have = current.get(place)
            if have is None:
                current[place] = PlaceTally(at, at, times)
                continue
            have.segments += times
            if at > have.last:
                have.last = at
            elif at < have.first:
                have.first = at
        self._damaged += damaged

    def noted(self) -> Noted:
        """Return the sums of all added lines; call this once."""
        _take_back(self._minutes, self._others)
        counts, minutes, misread = _meant(self._minutes)
        return Noted(
            counts=counts,
            minutes=minutes,
            ignored=ignored_counts(self._others),
            seen=sessions_seen(self._others),
            unfollowed=unfollowed_sessions(self._others),
            quality=quality_counts(self._others),
            origins=origin_counts(self._others),
            damaged=self._damaged + misread,
        )


def read_lines(lines: Sequence[bytes]) -> Noted:
    """Add up spool lines, given without their line ends, and return the sums."""
    tally = Tally()
    tally.add(lines)
    return tally.noted()


def _with_times(lines: Sequence[bytes]) -> Iterable[tuple[bytes, int]]:
    """Return lines, each with how often it stands there."""
    sample = lines[:_SAMPLE]
    if len(set(sample)) * 4 > len(sample) * 3:
        # To look for others that are alike would cost more than to read them.
        return zip(lines, repeat(1))
    return Counter(lines).items()


def _take_back(minutes: _Minutes, texts: Iterable[bytes]) -> None:
    """Count segments back: perhaps further than they were counted by these lines."""
    for at, text in taken_back(texts):
        minute = int(at) // _MINUTE_MS
        if minute > _LAST_MINUTE or _place(text) is None:
            continue
        of_minute = minutes.setdefault(minute, {})
        have = of_minute.setdefault(text, PlaceTally(at, at, segments=0))
        have.segments -= 1


def _meant(
    minutes: _Minutes,
) -> tuple[tuple[ServedCount, ...], tuple[MinuteCount, ...], int]:
    """Return the counts by day and by minute, and the number of damaged lines."""
    places: dict[bytes, SegmentPlace | None] = {}
    days: dict[tuple[int, bytes], list[int]] = {}
    by_minute: list[MinuteCount] = []
    damaged = 0
    for minute, of_minute in minutes.items():
        day = minute // _MINUTES_OF_A_DAY
        for text, have in of_minute.items():
            if text not in places:
                places[text] = _place(text)
            place = places[text]
            if place is None or minute > _LAST_MINUTE:
                damaged += have.segments
                continue
            if have.segments:
                by_minute.append(
                    MinuteCount(place=place, minute=minute, segments=have.segments)
                )
            first_ms, last_ms = int(have.first), int(have.last)
            total = days.get((day, text))
            if total is None:
                days[day, text] = [have.segments, first_ms, last_ms]
                continue
            total[0] += have.segments
            total[1] = min(total[1], first_ms)
            total[2] = max(total[2], last_ms)
    counts = []
    for (_, text), (segments, first_ms, last_ms) in days.items():
        place = places[text]
        if place is not None and segments:
            counts.append(_count(place, segments, first_ms, last_ms))
    return tuple(counts), tuple(by_minute), damaged


def _bounds(minute: int) -> tuple[bytes, bytes]:
    begins_ms = minute * _MINUTE_MS
    return b"%d" % begins_ms, b"%d" % (begins_ms + _MINUTE_MS)


def _place(text: bytes) -> SegmentPlace | None:
    try:
        org_id, env_id, video_id, height_px = text.decode().split(" ")
        return SegmentPlace(
            org_id=OrgId(org_id),
            env_id=EnvId(env_id),
            video_id=VideoId(video_id),
            height_px=int(height_px),
        )
    except ValueError:
        return None


def _count(
    place: SegmentPlace, segments: int, first_ms: int, last_ms: int
) -> ServedCount:
    first_at = _EPOCH + timedelta(milliseconds=first_ms)
    return ServedCount(
        place=place,
        day=first_at.date(),
        segments=segments,
        first_at=first_at,
        last_at=_EPOCH + timedelta(milliseconds=last_ms),
    )
