"""The port of code that is told what happens to videos."""

from abc import ABC, abstractmethod
from datetime import datetime

import attrs

from hvcore.domain.ids import EnvId, EventId, OrgId, VideoId
from hvcore.domain.webhooks.events import EventKind


@attrs.frozen(kw_only=True)
class SubscribedEvent:
    """
    An event of a video, as subscribers are told of it.

    Attributes:
        id: The same however often the event is told.
        env_name: What callers call the environment, such as ``live``.
        sequence: Counts the video's events: 1, 2, 3. One that is not above the last
            that was heard of this video is a repetition.
        status: The video's status right after it, as the API has it.
        error: Why the video has failed, while it is failed.
        happened_at: Aware, in UTC.
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
    Hears of events, each at least once, those of one video in their order.

    Called by threads of light workers, for several videos at a time. An event that
    was told is told again if the worker ends before this is written down.
    """

    @abstractmethod
    def hear(self, event: SubscribedEvent) -> None:
        """
        Take an event; it counts as told when this returns.

        Whatever this raises, the event is told again, after pauses that grow from
        seconds to 10 minutes, for 30 days. Meanwhile later events of the same video
        wait; other videos and other subscribers do not. It must set time limits to
        what it waits for, because nothing interrupts it.
        """

    def close(self) -> None:
        """Release the connections of the subscriber; called once, at the end."""
