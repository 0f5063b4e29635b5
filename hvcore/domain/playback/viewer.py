"""Viewers: facts about the viewer that a request for a video shows."""

from typing import Final

import attrs

from hvcore.domain.analytics.playback_metrics import PlayerReport


@attrs.frozen(kw_only=True)
class Viewer:
    """
    Hold the facts about the viewer that a playback request shows.

    Attributes:
        tokens: The values of every ``token`` parameter of the query.
        address: The client's IP address, as our own proxy reports it; never stored or
            logged.
        user_agent: The browser's ``User-Agent``; never stored or logged.
        player_session: The session id that the player sends (CMCD ``sid``).
        report: The player's report about playback (CMCD); untrusted.
        countries: The headers that are named after a country, by name in lower case. A
            setting says which header to believe.
    """

    tokens: tuple[str, ...] = attrs.field(default=(), repr=False)
    origin: str | None = None
    referer: str | None = None
    address: str = attrs.field(default="", repr=False)
    user_agent: str = attrs.field(default="", repr=False)
    player_session: str | None = attrs.field(default=None, repr=False)
    report: PlayerReport | None = None
    countries: tuple[tuple[str, str], ...] = ()


SOMEBODY: Final = Viewer()
"""A viewer of whom nothing is known."""
