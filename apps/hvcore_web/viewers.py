"""Read the facts about a viewer from a request: client address, country and player session."""

from collections.abc import Iterable
from typing import Final

import falcon

from hvcore.domain.analytics.cmcd import player_report, player_session
from hvcore.domain.playback.viewer import Viewer
from hvcore_web.proxies import PROXIES

COUNTRY: Final = "country"
"""The word in the name of each header that may tell a viewer's country."""
CMCD_HEADERS: Final = ("CMCD-Request", "CMCD-Object", "CMCD-Status", "CMCD-Session")


def viewer_of(req: falcon.Request) -> Viewer:
    """Return the facts about a request's viewer, with the tokens in the query and the referring page."""
    return Viewer(
        tokens=tuple(req.get_param_as_list("token") or ()),
        origin=req.get_header("Origin"),
        referer=req.get_header("Referer"),
        address=client_address(req.remote_addr, req.get_header("X-Forwarded-For")),
        user_agent=req.user_agent or "",
        # The query, if both are there and good.
        player_session=player_session(req.get_param("CMCD"))
        or player_session(req.get_header("CMCD-Session")),
        report=player_report(req.get_param("CMCD"))
        or player_report(*map(req.get_header, CMCD_HEADERS)),
        countries=countries_in(req.headers.items()),
    )


def countries_in(headers: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Return the request headers whose names contain "country", with names in lower case."""
    return tuple(
        (name.lower(), value) for name, value in headers if COUNTRY in name.lower()
    )


def client_address(neighbour: str, forwarded: str | None) -> str:
    """
    Return the client's address: the neighbour's, or the one that trusted proxies report.

    Args:
        neighbour: The address at the other end of the connection.
        forwarded: The header ``X-Forwarded-For``.
    """
    if not forwarded or not PROXIES.is_proxy(neighbour):
        return neighbour
    # The last one is what the proxy itself saw; those before are claims, unless a
    # further proxy of ours made them.
    *claims, seen = forwarded.split(",")
    while claims and PROXIES.is_named(seen.strip()):
        seen = claims.pop()
    return seen.strip()
