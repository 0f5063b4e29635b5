"""Keep in memory the last decisions that a video may be served."""

from collections.abc import Hashable
from datetime import datetime
from typing import Final, TypeAlias

import attrs

from hvcore.ports.repositories.playback import PlaybackEntry
from hvcore.services.playback.playable import Playable

MAX_AUTHORIZATIONS: Final = 10_000
"""About 15 MB with tokens of the usual length."""
MAX_KEY_CHARS: Final = 2048
"""Of a cache key; requests with longer ones are decided each time."""

AuthorizationKey: TypeAlias = tuple[Hashable, ...]


@attrs.frozen(kw_only=True, eq=False)
class Authorization:
    """
    A decision that a video may be served.

    It holds as long as the directory finds this very entry, until it ends.

    Attributes:
        video: The id by which the directory was asked.
        ends_at: When the token ends, where one was needed.
    """

    video: str
    entry: PlaybackEntry | None
    playable: Playable
    ends_at: datetime | None = None


class AuthorizationCache:
    """The last decisions, by all that they were asked with; thread-safe."""

    def __init__(self, max_authorizations: int = MAX_AUTHORIZATIONS) -> None:
        self._max_authorizations = max_authorizations
        self._authorizations: dict[AuthorizationKey, Authorization] = {}

    def get(self, key: AuthorizationKey) -> Authorization | None:
        """Return a decision; it may not hold any more."""
        return self._authorizations.get(key)

    def put(self, key: AuthorizationKey, authorization: Authorization) -> None:
        """Keep a decision; all are forgotten now and then, so that there is room."""
        if sum(map(_chars, key)) > MAX_KEY_CHARS:
            return
        if len(self._authorizations) >= self._max_authorizations:
            self._authorizations = {}
        self._authorizations[key] = authorization


def _chars(part: Hashable) -> int:
    if isinstance(part, tuple):
        return sum(map(_chars, part))
    return len(part) if isinstance(part, str) else 0
