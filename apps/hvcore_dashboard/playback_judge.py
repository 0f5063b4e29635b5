"""
The port for asking delivery's apps how they would answer a request.

The apps are not the dashboard's to import; whoever puts the service together hands in
the judge.
"""

from typing import Protocol

import attrs

from hvcore.domain.playback.decision import PlaybackDecision


@attrs.frozen(kw_only=True)
class JudgedPlayback:
    """
    Delivery's answer to a request, as it would be now.

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
        """Return delivery's answer to an address; None if it is none of playback."""
        ...
