"""
Events: what has happened to a video, for webhooks and the list of events.

Source: interface, "Events". An event is recorded by the video itself, where it
changes, and written in the same transaction as that change.
"""

from datetime import datetime, timedelta
from enum import Enum
from typing import Final

import attrs

from hvcore.domain.ids import (
    EnvId,
    EventId,
    OrgId,
    VideoId,
    new_event_id,
    new_video_id,
)
from hvcore.domain.labels import NO_LABELS, Labels

EVENT_RETENTION: Final = timedelta(days=30)
"""Ten times as long as a webhook is tried; a program that reads less often must list the videos."""


class EventKind(Enum):
    """The kinds of events."""

    COMPLETED = "video.processing.completed"
    FAILED = "video.processing.failed"
    STARTED = "video.processing.started"
    UPDATED = "video.updated"
    DELETED = "video.deleted"
    TEST = "webhook.test"
    """Sent to one endpoint by who tries it; no video has changed."""


VIDEO_KINDS: Final = tuple(kind for kind in EventKind if kind is not EventKind.TEST)
"""What happens to videos: what endpoints may name, and what the list of events has."""

DOCUMENTED_KINDS: Final = frozenset({EventKind.COMPLETED, EventKind.FAILED})
"""The interface's own two: what a webhook endpoint gets that names no kinds."""
TEST_STATUS: Final = "test"


@attrs.frozen(kw_only=True)
class VideoEvent:
    """
    An event of a video.

    Attributes:
        sequence: Counts the video's events: 1, 2, 3.
        status: The video's state right after it.
        error: Why the video has failed, while it is failed.
        is_public: Whether it played without a token; None if that is not known, and of
            what is no video.
        labels: Of the video, likewise.
    """

    id: EventId = attrs.field(factory=new_event_id)
    kind: EventKind
    org_id: OrgId
    env_id: EnvId
    video_id: VideoId
    sequence: int
    status: str
    error: str | None
    is_public: bool | None = None
    labels: Labels = NO_LABELS


def new_test_event(org_id: OrgId, env_id: EnvId) -> VideoEvent:
    """
    Make an event for trying an endpoint.

    It has the form of the others. Its video does not exist, and its status is that
    of no video, so that no receiver takes it for news.
    """
    return VideoEvent(
        kind=EventKind.TEST,
        org_id=org_id,
        env_id=env_id,
        video_id=new_video_id(),
        sequence=1,
        status=TEST_STATUS,
        error=None,
    )


@attrs.frozen(kw_only=True)
class StoredEvent:
    """
    An event as it stands in the database.

    Attributes:
        number: Counts the events of the environment, in the order in which
            they can be seen.
        env_name: What callers call the environment.
    """

    event: VideoEvent
    number: int
    env_name: str
    created_at: datetime


@attrs.frozen(kw_only=True)
class EventQuery:
    """
    The filters of an environment's events.

    Attributes:
        after: The number of the last one that is known; 0 for none.
        kinds: Empty for all.
    """

    after: int
    limit: int
    kinds: frozenset[EventKind] = frozenset()


@attrs.frozen(kw_only=True)
class EventPage:
    """
    Some events, the oldest first.

    Attributes:
        last: What to go on after.
        has_more: Whether there were further ones at that moment.
    """

    events: tuple[StoredEvent, ...]
    last: int
    has_more: bool
