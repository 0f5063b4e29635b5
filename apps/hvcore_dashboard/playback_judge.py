"""
A port that says how the delivery app would answer a playback request.

The dashboard may not import that app, so the program that puts the service together
provides the implementation.
"""

from typing import Protocol

import attrs

from hvcore.domain.playback.decision import PlaybackDecision


@attrs.frozen(kw_only=True)
class JudgedPlayback:
    """
    The answer that delivery would give to a playback request now.

    Attributes:
        path: The path as delivery understood it, below the public address.
    """

    path: str
    status: int
    decision: PlaybackDecision


class PlaybackJudge(Protocol):
    """Finds the answer that delivery would give to a playback request; counts and logs nothing."""

    def path_of(self, url: str) -> str | None:
        """Return the path of a playback address; None if the address is not one of playback."""
        ...

    def judge(self, url: str, *, origin: str | None) -> JudgedPlayback | None:
        """
        Return the answer that delivery would give to an address; None if it is no playback address.

        Args:
            origin: The ``Origin`` header of the request; None for none.
        """
        ...
