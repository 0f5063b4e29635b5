"""
Answers that are not counted as served, and why.

Source: interface, "What the service does", 5: only segments that a player got
    count, which is more than half of one in one answer. They are stored to
    show how a count came about.
"""

from collections.abc import Iterable
from datetime import UTC, date, datetime
from enum import Enum

import attrs

from hvcore.domain.ids import EnvId, OrgId, VideoId


class IgnoredReason(Enum):
    """
    The reason not to count an answer; the first that applies, in this order.

    INIT, AUDIO, PLAYLIST and OTHER_FILE say that the file never counts,
    whatever the answer. Then, of a media segment of a video rung: HEAD,
    NOT_MODIFIED (304), and TOO_FEW_BYTES (at most half of it was passed on: a
    part that is no longer, or an answer that broke off before).

    LATER_RANGE and BROKEN_OFF are reasons of earlier versions, which asked for
    the first byte and the last one. Older counts of these are still reported.
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
    The place that ignored requests are counted for.

    Attributes:
        height_px: The rung's short edge; 0 of what is no media segment of one.
    """

    org_id: OrgId
    env_id: EnvId
    video_id: VideoId
    height_px: int
    reason: IgnoredReason


@attrs.frozen(kw_only=True)
class IgnoredRequest:
    """An answer that is not counted."""

    place: IgnoredPlace
    at: datetime


@attrs.frozen(kw_only=True)
class IgnoredCount:
    """The number of ignored requests at a place on a UTC day."""

    place: IgnoredPlace
    day: date
    requests: int


@attrs.frozen(kw_only=True)
class IgnoredTotal:
    """The number of requests ignored for a reason at a height, in days and a scope."""

    reason: IgnoredReason
    height_px: int
    requests: int


def roll_up_ignored(ignored: Iterable[IgnoredRequest]) -> tuple[IgnoredCount, ...]:
    """Count ignored requests by place and UTC day."""
    found: dict[tuple[IgnoredPlace, date], int] = {}
    for one in ignored:
        key = (one.place, one.at.astimezone(UTC).date())
        found[key] = found.get(key, 0) + 1
    return tuple(
        IgnoredCount(place=place, day=day, requests=requests)
        for (place, day), requests in found.items()
    )
