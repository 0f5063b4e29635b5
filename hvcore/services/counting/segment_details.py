"""Find the player's report and the viewer's country and referrer, recorded with a served segment."""

from datetime import datetime
from functools import lru_cache
from typing import Final, TypeAlias

import attrs

from hvcore.domain.analytics.breakdown import SegmentOrigin, is_country, is_referrer
from hvcore.domain.analytics.playback_quality import PlayerReported
from hvcore.domain.analytics.segments import SegmentPlace
from hvcore.domain.playback.page_domains import host_of
from hvcore.domain.playback.viewer import Viewer

MAX_ADDRESS_CHARS: Final = 300
"""Room for a scheme, the longest host and a port; the rest of an address is not read."""
_MAX_REMEMBERED: Final = 1_024

Detail: TypeAlias = PlayerReported | SegmentOrigin


@attrs.frozen(kw_only=True)
class SegmentDetails:
    """
    Find the player's report, country and referrer to record with a served segment; thread-safe.

    Attributes:
        country_header: The header in which the proxy in front sends the viewer's
            country, in lower case; empty if no proxy is trusted.
        counts_referrers: Whether segments are counted by the host of the page, too.
    """

    country_header: str = ""
    counts_referrers: bool = False
    tell_origins: bool = attrs.field(init=False)
    """Whether there is more to record than players' reports."""

    @tell_origins.default
    def _ask_origins(self) -> bool:
        return bool(self.country_header) or self.counts_referrers

    def due(
        self, place: SegmentPlace, viewer: Viewer, at: datetime
    ) -> tuple[Detail, ...]:
        """
        Return the report, country and referrer to record for a viewer's segment.

        Empty if unknown.
        """
        notes: tuple[Detail, ...] = ()
        if viewer.report is not None:
            reported = PlayerReported(
                org_id=place.org_id,
                env_id=place.env_id,
                video_id=place.video_id,
                report=viewer.report,
                at=at,
            )
            notes = (reported,)
        if self.tell_origins:
            country = self._country(viewer)
            referrer = self._referrer(viewer)
            # What is not known is the rest of the counts.
            if country is not None or referrer is not None:
                origin = SegmentOrigin(
                    org_id=place.org_id,
                    env_id=place.env_id,
                    video_id=place.video_id,
                    country=country,
                    referrer=referrer,
                    at=at,
                )
                notes = (*notes, origin)
        return notes

    def _country(self, viewer: Viewer) -> str | None:
        for name, value in viewer.countries:
            if name == self.country_header:
                return value if is_country(value) else None
        return None

    def _referrer(self, viewer: Viewer) -> str | None:
        if not self.counts_referrers:
            return None
        # A page in a sandbox has the origin "null", and perhaps a referrer.
        return _host(viewer.origin) or _host(viewer.referer)


def _host(address: str | None) -> str | None:
    return _host_of(address[:MAX_ADDRESS_CHARS]) if address else None


@lru_cache(maxsize=_MAX_REMEMBERED)
def _host_of(address: str) -> str | None:
    host = host_of(address)
    return host if host is not None and is_referrer(host) else None
