"""Keep the last positive playback decisions in memory."""

from collections.abc import Hashable
from datetime import datetime
from typing import Final, TypeAlias

import attrs

from hvcore.ports.repositories.playback import PlaybackEntry
from hvcore.services.playback.playable import Playable

MAX_AUTHORIZATIONS: Final = 10_000
"""Decisions kept in memory, about 15 MB with tokens of the usual length."""
MAX_KEY_CHARS: Final = 2048
"""The greatest length of a cache key; requests with longer ones are decided each time."""

AuthorizationKey: TypeAlias = tuple[Hashable, ...]


@attrs.frozen(kw_only=True, eq=False)
class Authorization:
    """
    A decision that a video may be served to a viewer.

    It holds until ``ends_at``, while the directory still finds this very entry.

    Attributes:
        video: The video's id with which the PlaybackDirectory was asked.
        entry: The PlaybackDirectory's entry of the video at the time of the decision.
        ends_at: When the token ends, if one was needed.
    """

    video: str
    entry: PlaybackEntry | None
    playable: Playable
    ends_at: datetime | None = None


class AuthorizationCache:
    """Keep the last playback decisions, by the facts of the request; thread-safe."""

    def __init__(self, max_authorizations: int = MAX_AUTHORIZATIONS) -> None:
        self._max_authorizations = max_authorizations
        self._authorizations: dict[AuthorizationKey, Authorization] = {}

    def get(self, key: AuthorizationKey) -> Authorization | None:
        """
        Return the cached decision for a request; None if none is cached.

        The caller must check that the decision still holds.
        """
        return self._authorizations.get(key)

    def put(self, key: AuthorizationKey, authorization: Authorization) -> None:
        """Cache a decision; a full cache is emptied first."""
        if sum(map(_chars, key)) > MAX_KEY_CHARS:
            return
        if len(self._authorizations) >= self._max_authorizations:
            self._authorizations = {}
        self._authorizations[key] = authorization


def _chars(part: Hashable) -> int:
    if isinstance(part, tuple):
        return sum(map(_chars, part))
    return len(part) if isinstance(part, str) else 0
