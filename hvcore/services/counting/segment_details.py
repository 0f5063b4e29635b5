"""
Say what else is to be noted of a segment that is handed to a player.
"""

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
"""A scheme, the longest host and a port; the rest of an address is not read."""
_MAX_REMEMBERED: Final = 1_024

Detail: TypeAlias = PlayerReported | SegmentOrigin


@attrs.frozen(kw_only=True)
class SegmentDetails:
    """
    Makes notes that go into the same write as the segment; thread-safe.

    Attributes:
        country_header: Who is in front says the viewer's country with it, in
            lower case; nobody is believed if empty.
        keeps_referrers: The host of the page is noted.
    """

    country_header: str = ""
    keeps_referrers: bool = False
    tell_origins: bool = attrs.field(init=False)
    """Whether there is more to be said than what players tell."""

    @tell_origins.default
    def _ask_origins(self) -> bool:
        return bool(self.country_header) or self.keeps_referrers

    def due(
        self, place: SegmentPlace, viewer: Viewer, at: datetime
    ) -> tuple[Detail, ...]:
        """
        Return the notes; none of a viewer of whom nothing is told.
        """
        notes: tuple[Detail, ...] = ()
        if viewer.report is not None:
            told = PlayerReported(
                org_id=place.org_id,
                env_id=place.env_id,
                video_id=place.video_id,
                report=viewer.report,
                at=at,
            )
            notes = (told,)
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
        if not self.keeps_referrers:
            return None
        # A page in a sandbox has the origin "null", and perhaps a referrer.
        return _host(viewer.origin) or _host(viewer.referer)


def _host(address: str | None) -> str | None:
    return _host_of(address[:MAX_ADDRESS_CHARS]) if address else None


@lru_cache(maxsize=_MAX_REMEMBERED)
def _host_of(address: str) -> str | None:
    host = host_of(address)
    return host if host is not None and is_referrer(host) else None
