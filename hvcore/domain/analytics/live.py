"""
Current viewers: sessions that were served something a moment ago.

A session is a short name that does not identify the viewer: see
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
    """Return whether a text may be a session's name."""
    return _SESSION.fullmatch(text) is not None


@attrs.frozen(kw_only=True)
class SessionSeen:
    """
    A session was served a segment of a video.

    Attributes:
        session: As ``is_session`` takes it.
        at: Of several, the latest.
    """

    org_id: OrgId
    env_id: EnvId
    video_id: VideoId
    session: str
    at: datetime


@attrs.frozen(kw_only=True)
class UnfollowedSessions:
    """
    An organization has more sessions than are followed of one.

    Attributes:
        at: When one of those was served a segment; of several, the latest.
    """

    org_id: OrgId
    at: datetime


def latest_seen(seen: Iterable[SessionSeen]) -> tuple[SessionSeen, ...]:
    """Keep the latest of each video and session."""
    found: dict[tuple[VideoId, str], SessionSeen] = {}
    for one in seen:
        key = (one.video_id, one.session)
        if key not in found or one.at > found[key].at:
            found[key] = one
    return tuple(found.values())


@attrs.frozen(kw_only=True)
class MinuteTotal:
    """
    The number of segments served in a minute, in some scope.

    Attributes:
        minute: Whole minutes since 1970.
    """

    minute: int
    segments: int


@attrs.frozen(kw_only=True)
class LiveView:
    """
    The viewers of now, and the segments served in the last hour.

    Attributes:
        viewers: Different sessions of the last minute; None if nobody keeps
            them.
        has_more: Whether there are further ones, which are not followed.
        minutes: One for each of the last 60 whole minutes, oldest first;
            None if nobody keeps them.
    """

    as_of: datetime
    viewers: int | None
    has_more: bool = False
    minutes: tuple[MinuteTotal, ...] | None
