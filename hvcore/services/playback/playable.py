"""A video that may be served now, and the decisions that said so."""

from collections.abc import Callable, Hashable
from datetime import datetime
from typing import Final, TypeAlias

import attrs

from hvcore.domain.playback.rules import PlaybackRule
from hvcore.domain.processing.media_index import MediaIndex
from hvcore.errors import VideoNotFoundError
from hvcore.playback_tokens import PlaybackClaims
from hvcore.ports.repositories.playback import PlaybackEntry

MAX_AUTHORIZATIONS: Final = 10_000
"""About 15 MB with tokens of the usual length."""
MAX_KEY_CHARS: Final = 2048
"""Of a cache key; requests with longer ones are decided each time."""

AuthorizationKey: TypeAlias = tuple[Hashable, ...]


@attrs.frozen(kw_only=True)
class Playable:
    """
    A video that may be served now.

    Attributes:
        chosen_poster: Storage path of the picture that the owner has chosen.
        claims: What the token says, where one was needed.
        may_begin: See PlaybackEntry.
        has_chapters: Likewise.
        allows_download: Likewise.
        source_path: Likewise.
    """

    id: str
    public_id: str
    org_id: str
    env_id: str
    name: str
    is_public: bool
    media_root: str
    chosen_poster: str | None
    load_media: Callable[[], MediaIndex | None] = attrs.field(eq=False, repr=False)
    claims: PlaybackClaims | None = None
    may_begin: bool = True
    has_chapters: bool = False
    allows_download: bool = False
    source_path: str = ""

    @property
    def media(self) -> MediaIndex:
        """
        The published media of the video; the index may be large.

        Raises:
            VideoNotFoundError: It no longer exists: just deleted, or replaced.
        """
        media = self.load_media()
        if media is None:
            raise VideoNotFoundError(rule=PlaybackRule.FILES_MISSING)
        return media

    @property
    def size_px(self) -> tuple[int, int]:
        """
        Width and height of its largest rung.

        Raises:
            VideoNotFoundError: As media.
        """
        rungs = [one.track.rung for one in self.media.tracks if one.track.rung]
        best = max(rungs, key=lambda rung: rung.short_edge_px)
        return best.width_px, best.height_px

    @property
    def poster_path(self) -> str | None:
        """
        Storage path of its picture, if it has one.

        Raises:
            VideoNotFoundError: As media.
        """
        made = None if self.chosen_poster else self.media.poster
        return self.chosen_poster or (f"{self.media_root}/{made}" if made else None)


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
