"""Call the host program's function ``on_event`` with events of videos, without a plugin."""

from collections.abc import Callable
from typing import Final, TypeAlias

import attrs

from hvcore.ports.event_subscribers import EventSubscriber, SubscribedEvent

OnEvent: TypeAlias = Callable[[SubscribedEvent], object]
"""
Is told of each event, in a thread of ``run_worker``: at least once, and those of one
video in their order. Whatever it raises, it is told again, after pauses that grow from
seconds to 10 minutes, for 30 days.
"""

NAME: Final = "host.on_event"
"""Of the subscriber in tasks; no plugin's can have it."""


@attrs.frozen
class HostSubscriber(EventSubscriber):
    """Event subscriber that calls the host program's function ``on_event``."""

    _on_event: OnEvent

    def hear(self, event: SubscribedEvent) -> None:
        """Call the host program's function ``on_event`` with an event of a video."""
        self._on_event(event)
