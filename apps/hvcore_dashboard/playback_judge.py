"""
The port for asking delivery's apps how they would answer a playback request.

The dashboard may not import the apps, so the program that puts the service together
provides the judge.
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
    """Decides about a playback request as delivery would, without counting or logging it."""

    def path_of(self, url: str) -> str | None:
        """Return the path of a playback address; None if the address is not one of playback."""
        ...

    def judge(self, url: str, *, origin: str | None) -> JudgedPlayback | None:
        """Return delivery's answer to an address; None if the address is not one of playback."""
        ...
