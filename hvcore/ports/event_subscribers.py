"""The event subscriber port: plugins that are told what happens to videos."""

from abc import ABC, abstractmethod
from datetime import datetime

import attrs

from hvcore.domain.ids import EnvId, EventId, OrgId, VideoId
from hvcore.domain.webhooks.events import EventKind


@attrs.frozen(kw_only=True)
class SubscribedEvent:
    """
    Describe an event of a video, as subscribers are told of it.

    Attributes:
        id: The event's id, the same however often the event is told.
        env_name: The environment's name in the API, such as ``live``.
        sequence: The number of the event among the video's events: 1, 2, 3. An event
            whose number is not above the last one heard of this video is a repetition.
        status: The video's status right after the event, as the API shows it.
        error: The reason for the video's failure; None unless it is failed.
        happened_at: When the event happened, in UTC (an aware datetime).
    """

    id: EventId
    kind: EventKind
    org_id: OrgId
    env_id: EnvId
    env_name: str
    video_id: VideoId
    sequence: int
    status: str
    error: str | None
    happened_at: datetime


class EventSubscriber(ABC):
    """
    Receive the events of all videos, each at least once; events of one video come in order.

    Called by threads of light workers, for several videos at a time. An event that was
    told is told again if the worker ends before it has recorded that.
    """

    @abstractmethod
    def hear(self, event: SubscribedEvent) -> None:
        """
        Take an event; the event counts as told when this method returns.

        If the method raises any exception, the event is told again, after pauses that
        grow from seconds to 10 minutes, for 30 days. Meanwhile later events of the same
        video wait; other videos and other subscribers do not. The method must set time
        limits to its own requests, because nothing interrupts it.
        """

    def close(self) -> None:
        """Release the connections of the subscriber; called once, at the end."""
