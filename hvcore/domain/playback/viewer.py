"""The viewer who asks for a video, as far as the request shows."""

from typing import Final

import attrs

from hvcore.domain.analytics.playback_metrics import PlayerReport


@attrs.frozen(kw_only=True)
class Viewer:
    """
    The facts about its viewer that a request shows.

    Attributes:
        tokens: Every ``token`` of the query.
        address: Of the client, as our own proxy reports it; never stored or
            logged.
        user_agent: What the browser calls itself; likewise.
        player_session: What the player calls its session (CMCD ``sid``).
        report: What the player reports about playback (CMCD); untrusted.
        countries: The headers that are named after a country, by name in
            lower case. Which of them to believe is a setting.
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
