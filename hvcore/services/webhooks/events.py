"""
Read what has happened.
"""

from typing import Final

import attrs

from hvcore.clock import Clock
from hvcore.domain.access.tenants import Environment
from hvcore.domain.webhooks.events import EVENTS_KEPT_FOR, EventPage, EventQuery
from hvcore.ports.unit_of_work import UnitOfWork

FORGOTTEN_AT_ONCE: Final = 1_000
"""Short enough a transaction; with a round every 30 s, 33 events a second."""


@attrs.frozen(kw_only=True)
class Events:
    """
    Read the events, and forget the old ones.
    """

    uow: UnitOfWork
    clock: Clock

    def page(self, env: Environment, query: EventQuery) -> EventPage:
        """
        Return an environment's events after a number, the oldest first.
        """
        with self.uow.read() as work:
            return work.events.page(env, query)

    def forget_old(self) -> int:
        """
        Remove old events, and what is known of their deliveries.
        """
        with self.uow.write() as work:
            count = work.events.forget(
                self.clock.now() - EVENTS_KEPT_FOR, FORGOTTEN_AT_ONCE
            )
            work.commit()
        return count
