"""
Live analytics: the viewers who were served a segment within the last minute.

Viewers are counted by session ids that do not identify a person: see
:mod:`hvcore.services.counting.sessions`.
"""

import re
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final

import attrs

from hvcore.domain.ids import EnvId, OrgId, VideoId

VIEWER_WINDOW: Final = timedelta(seconds=60)
"""A session that was served a segment within this time is a viewer."""
SESSION_RETENTION: Final = 2 * VIEWER_WINDOW
"""Longer than any report looks back; then a session is deleted."""
RECENT_MINUTES: Final = 60
"""How many minutes an answer about now looks back."""

_SESSION: Final = re.compile(r"[0-9A-Za-z_-]{1,64}")


def is_session(text: str) -> bool:
    """Return whether a text has the form of a viewer session's id."""
    return _SESSION.fullmatch(text) is not None


@attrs.frozen(kw_only=True)
class SessionSeen:
    """
    Record that a viewer session was served a segment of a video.

    Attributes:
        session: The viewer session's id; see ``is_session``.
        at: When the segment was served; the latest moment if there were several.
    """

    org_id: OrgId
    env_id: EnvId
    video_id: VideoId
    session: str
    at: datetime


@attrs.frozen(kw_only=True)
class UnfollowedSessions:
    """
    Record that an organization has more viewer sessions than are followed.

    Attributes:
        at: When a session that is not followed was served a segment; the latest moment
            if there were several.
    """

    org_id: OrgId
    at: datetime


def latest_seen(seen: Iterable[SessionSeen]) -> tuple[SessionSeen, ...]:
    """Return only the latest record of each video and viewer session."""
    found: dict[tuple[VideoId, str], SessionSeen] = {}
    for one in seen:
        key = (one.video_id, one.session)
        if key not in found or one.at > found[key].at:
            found[key] = one
    return tuple(found.values())


@attrs.frozen(kw_only=True)
class MinuteTotal:
    """
    Count the segments served in one minute.

    Attributes:
        minute: The minute, in whole minutes since 1970.
    """

    minute: int
    segments: int


@attrs.frozen(kw_only=True)
class LiveView:
    """
    Report the current viewers, and the segments served in the last hour.

    Attributes:
        viewers: The number of different viewer sessions of the last minute; None if no
            analytics sink stores sessions.
        has_more: Whether there were further sessions, which are not followed or
            counted.
        minutes: The segments of each of the last 60 whole minutes, oldest first; None
            if no analytics sink stores counts by minute.
    """

    as_of: datetime
    viewers: int | None
    has_more: bool = False
    minutes: tuple[MinuteTotal, ...] | None
