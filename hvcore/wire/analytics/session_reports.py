"""The requests in which a player begins a playback session and reports about it."""

import attrs

from hvcore.domain.analytics.playback_sessions import (
    MAX_COUNT,
    MAX_SESSION_S,
    MAX_STARTUP_MS,
    SessionFigures,
    most_reports,
)
from hvcore.wire.converter import optional, required
from hvcore.wire.kinds import Integer, Text

MAX_REPORT_BYTES = 1_024
_MAX_MS = MAX_SESSION_S * 1_000


@attrs.frozen(kw_only=True)
class SessionBeginning:
    """Declare the body of the beginning of a session, which may be left out."""

    name: str | None = optional("name", Text(max_chars=MAX_REPORT_BYTES), None)


@attrs.frozen(kw_only=True)
class SessionReport:
    """Declare the body of a report: the figures of a session from its beginning to now."""

    session: str = required("session", Text(max_chars=512))
    number: int = required(
        "number", Integer(minimum=1, maximum=most_reports(MAX_SESSION_S))
    )
    startup_ms: int | None = optional(
        "startupMs", Integer(minimum=0, maximum=MAX_STARTUP_MS), None
    )
    played_ms: int = optional("playedMs", Integer(minimum=0, maximum=_MAX_MS), 0)
    rebuffering_ms: int = optional(
        "rebufferingMs", Integer(minimum=0, maximum=_MAX_MS), 0
    )
    rebufferings: int = optional(
        "rebufferings", Integer(minimum=0, maximum=MAX_COUNT), 0
    )
    errors: int = optional("errors", Integer(minimum=0, maximum=MAX_COUNT), 0)

    def figures(self) -> SessionFigures:
        """Return the figures of the session."""
        return SessionFigures(
            startup_ms=self.startup_ms,
            played_ms=self.played_ms,
            rebuffering_ms=self.rebuffering_ms,
            rebufferings=self.rebufferings,
            errors=self.errors,
        )
