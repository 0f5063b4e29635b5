"""
What is noted of served segments, and how it reaches the sinks.
"""

from functools import cached_property

from hvcore.assembly.backends import Backends
from hvcore.services.counting.drain import Drain
from hvcore.services.counting.segment_details import SegmentDetails
from hvcore.services.counting.sessions import SessionNames


class CountingWiring(Backends):
    """
    A part of Services, which says when they are made.
    """

    @cached_property
    def session_names(self) -> SessionNames:
        """
        Names viewers' sessions, and tells nobody who it was.
        """
        return SessionNames(self.settings.playback.signing_key)

    @cached_property
    def served_details(self) -> SegmentDetails:
        """
        Says what else is noted of a segment.
        """
        analytics = self.settings.analytics
        return SegmentDetails(
            country_header=analytics.country_header.lower(),
            keeps_referrers=analytics.referrers,
        )

    @cached_property
    def drain(self) -> Drain:
        """
        Brings what was served to the sinks.
        """
        return Drain(folder=self.spool_dir, sinks=self._sinks)
