"""
Ignored requests: answers of delivery that are not counted as served segments.

Source: the interface document, "What the service does", 5: a segment counts only if
more than half of it was sent in one answer. Ignored requests are stored to explain a
count.
"""

from collections.abc import Iterable
from datetime import UTC, date, datetime
from enum import Enum

import attrs

from hvcore.domain.ids import EnvId, OrgId, VideoId


class IgnoredReason(Enum):
    """
    Name the reasons not to count an answer; the first reason that applies is recorded.

    INIT, AUDIO, PLAYLIST and OTHER_FILE: the requested file never counts. The other
    reasons are about media segments of a video rung: HEAD, NOT_MODIFIED (304), and
    TOO_FEW_BYTES (at most half of the segment was sent: a short range was asked for, or
    the answer broke off).

    LATER_RANGE and BROKEN_OFF are reasons of earlier versions of the service, which
    looked at the first and the last byte. Older counts with these reasons are still
    reported.
    """

    INIT = "init"
    AUDIO = "audio"
    PLAYLIST = "playlist"
    OTHER_FILE = "other-file"
    HEAD = "head"
    NOT_MODIFIED = "not-modified"
    TOO_FEW_BYTES = "too-few-bytes"
    LATER_RANGE = "later-range"
    BROKEN_OFF = "broken-off"


@attrs.frozen(kw_only=True)
class IgnoredPlace:
    """
    Identify the video, the height and the reason that ignored requests are counted for.

    Attributes:
        height_px: The rung's short edge; 0 if the file is no media segment of a video
            rung.
    """

    org_id: OrgId
    env_id: EnvId
    video_id: VideoId
    height_px: int
    reason: IgnoredReason


@attrs.frozen(kw_only=True)
class IgnoredRequest:
    """Record one answer that is not counted as a served segment."""

    place: IgnoredPlace
    at: datetime


@attrs.frozen(kw_only=True)
class IgnoredCount:
    """Count the requests of one place and UTC day that are not counted as served, and why."""

    place: IgnoredPlace
    day: date
    requests: int


@attrs.frozen(kw_only=True)
class IgnoredTotal:
    """Count the requests of one reason and height that were not counted as served in a range of days."""

    reason: IgnoredReason
    height_px: int
    requests: int


def roll_up_ignored(ignored: Iterable[IgnoredRequest]) -> tuple[IgnoredCount, ...]:
    """Count requests that are not counted as served, by place and UTC day."""
    found: dict[tuple[IgnoredPlace, date], int] = {}
    for one in ignored:
        key = (one.place, one.at.astimezone(UTC).date())
        found[key] = found.get(key, 0) + 1
    return tuple(
        IgnoredCount(place=place, day=day, requests=requests)
        for (place, day), requests in found.items()
    )
