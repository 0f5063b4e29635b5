"""Make the services that record served video segments and bring the records to the analytics sinks."""

from functools import cached_property
from typing import Final

from hvcore.assembly.backends import Backends
from hvcore.persistence.access.delivered_bytes import SqlDeliveredBytes
from hvcore.ports.counting import SegmentCounter
from hvcore.services.counting.flusher import Flusher
from hvcore.services.counting.segment_details import SegmentDetails
from hvcore.services.counting.sessions import SessionNames, SessionNotes
from hvcore.services.counting.spooled_counter import SpooledCounter

DELIVERED_BYTES: Final = "delivered bytes"
"""The sink of the quotas; no deployment chooses it, and none can be called so."""


class CountingWiring(Backends):
    """The services that count segments, a part of Services; each is made when it is first read."""

    @cached_property
    def session_names(self) -> SessionNames:
        """The service that gives viewers' sessions names from which nobody learns who the viewers are."""
        return SessionNames(self.settings.playback.signing_key)

    @cached_property
    def segment_details(self) -> SegmentDetails:
        """The service that records details about served segments: playback quality and origins."""
        analytics = self.settings.analytics
        return SegmentDetails(
            country_header=analytics.country_header.lower(),
            counts_referrers=analytics.referrers,
        )

    @cached_property
    def segment_counter(self) -> SegmentCounter:
        """The service that records every served segment."""
        return SpooledCounter(
            spool=self.spool,
            sessions=SessionNotes(
                self.session_names,
                most_of_one=self.settings.shares.live_sessions_of_one,
            ),
            clock=self.clock,
            details=self.segment_details,
        )

    @cached_property
    def flusher(self) -> Flusher:
        """The service that brings the recorded segments to the analytics sinks."""
        sinks = {**self._sinks, DELIVERED_BYTES: SqlDeliveredBytes(self.engine)}
        return Flusher(folder=self.spool_dir, sinks=sinks)
