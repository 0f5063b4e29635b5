"""The recording of served segments, and their way to the sinks."""

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
        """Names viewers' sessions, and tells nobody who it was."""
        return SessionNames(self.settings.playback.signing_key)

    @cached_property
    def segment_details(self) -> SegmentDetails:
        """The details to record about segments."""
        analytics = self.settings.analytics
        return SegmentDetails(
            country_header=analytics.country_header.lower(),
            counts_referrers=analytics.referrers,
        )

    @cached_property
    def segment_counter(self) -> SegmentCounter:
        """Records every segment that is served."""
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
        """Brings served segments to the sinks."""
        sinks = {**self._sinks, DELIVERED_BYTES: SqlDeliveredBytes(self.engine)}
        return Flusher(folder=self.spool_dir, sinks=sinks)
