"""
Events of videos, which webhooks and the API's list of events report.

Source: the interface document, "Events". An event is recorded by the video itself, where it
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
from hvcore.domain.source_figures import SourceFigures

EVENT_RETENTION: Final = timedelta(days=30)
"""Ten times as long as a webhook is tried; a program that reads less often must list the videos."""


class EventKind(Enum):
    """Name the kinds of events."""

    COMPLETED = "video.processing.completed"
    FAILED = "video.processing.failed"
    STARTED = "video.processing.started"
    UPDATED = "video.updated"
    DELETED = "video.deleted"
    RESTORED = "video.restored"
    CAPTIONS_READY = "video.captions.ready"
    CAPTIONS_FAILED = "video.captions.failed"
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
    Describe an event of a video.

    Attributes:
        sequence: The number of the event among the video's events: 1, 2, 3.
        status: The video's state right after the event.
        error: The reason for the video's failure, or for that of captions by machine;
            None otherwise.
        is_public: Whether the video played without a token; None if that is not known,
            and for test events.
        labels: The labels of the video; none for test events.
        source: The source's size in bytes, width, height and frame rate; set in COMPLETED
            events alone, and None if it is not known.
        duration_s: The length of the video in seconds; set in COMPLETED events alone.
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
    source: SourceFigures | None = None
    duration_s: float | None = None


def new_test_event(org_id: OrgId, env_id: EnvId) -> VideoEvent:
    """
    Make an event for testing a webhook endpoint.

    It has the form of a real event. Its video does not exist, and its status is
    ``test``, which no video has, so that no receiver takes it for a real event.
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
    Describe an event as the database stores it.

    Attributes:
        number: The number of the event in its environment, in the order in which events
            become visible.
        env_name: The environment's name in the API.
    """

    event: VideoEvent
    number: int
    env_name: str
    created_at: datetime


@attrs.frozen(kw_only=True)
class EventQuery:
    """
    Hold the filters of a list of an environment's events.

    Attributes:
        after: The number of the last event that the caller knows; 0 for none.
        kinds: The kinds of events to return; empty for all.
    """

    after: int
    limit: int
    kinds: frozenset[EventKind] = frozenset()


@attrs.frozen(kw_only=True)
class EventPage:
    """
    Hold one page of an environment's events, the oldest first.

    Attributes:
        last: The number after which the next page begins.
        has_more: Whether there were further events at that moment.
    """

    events: tuple[StoredEvent, ...]
    last: int
    has_more: bool
