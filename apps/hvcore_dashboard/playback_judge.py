"""
Who can say how delivery would answer a request: the apps of delivery themselves.

They are not the dashboard's to import; whoever puts the service together hands them in.
"""

from typing import Protocol

import attrs

from hvcore.domain.playback.decision import PlaybackDecision


@attrs.frozen(kw_only=True)
class JudgedPlayback:
    """
    What would be answered now.

    Attributes:
        path: As it was understood, below the public address.
    """

    path: str
    status: int
    decision: PlaybackDecision


class PlaybackJudge(Protocol):
    """Judges as delivery would, and leaves no trace."""

    def path_of(self, url: str) -> str | None:
        """Return the path of an address of playback; None if it is none."""
        ...

    def judge(self, url: str, *, origin: str | None) -> JudgedPlayback | None:
        """Return what would be answered; None if it is no address of playback."""
        ...
