"""Describe videos for the player pages that edge keys (lasting addresses) and share links open."""

from collections.abc import Sequence
from typing import Final

import attrs

from hvcore.clock import Clock
from hvcore.domain.ids import PublicId, VideoId
from hvcore.domain.limits import POSTER_TOKEN_VALID_S
from hvcore.domain.videos.thumbnails import BEST_THUMBNAIL_PX, thumbnail_name
from hvcore.playback_tokens import KeyRing, TokenUse
from hvcore.services.playback.playable import Playable
from hvcore.settings import PublicSettings

_POSTER: Final = thumbnail_name(BEST_THUMBNAIL_PX)


@attrs.frozen(kw_only=True)
class LinkedVideo:
    """
    The facts about a video that the player page of an edge key or share link shows.

    Attributes:
        master: Complete address of the master playlist; may hold a token.
        poster: Complete address of the poster; may hold a token; None without a poster.
        has_storyboard: Whether there is a storyboard beside the playlist.
        domains: The pages that may embed the video; empty means every page.
        size_px: Width and height of the video, for which the page keeps room.
    """

    name: str
    master: str = attrs.field(repr=False)
    poster: str | None = attrs.field(repr=False)
    duration_s: float
    has_storyboard: bool
    domains: tuple[str, ...]
    size_px: tuple[int, int]


@attrs.frozen(kw_only=True)
class LinkPages:
    """Make the facts that the player page of an edge key or share link shows."""

    key_ring: KeyRing
    clock: Clock
    public: PublicSettings

    def show(
        self, video: Playable, *, master: str, domains: Sequence[str] = ()
    ) -> LinkedVideo:
        """
        Return the facts about a video for the page of a viewer who was let in.

        Args:
            master: The complete address of the master playlist; may hold a token.
            domains: The pages that may embed the video; empty means every page.
        """
        return LinkedVideo(
            name=video.name,
            master=master,
            poster=self._poster(video, domains),
            duration_s=video.media.duration_s,
            has_storyboard=video.media.storyboard is not None,
            domains=tuple(domains),
            size_px=video.size_px,
        )

    def _poster(self, video: Playable, domains: Sequence[str]) -> str | None:
        if video.poster_path is None:
            return None
        address = f"{self.public.worker_url}/t/{video.id}/{_POSTER}"
        if video.is_public:
            return address
        token = self.key_ring.issue(
            video_id=VideoId(video.id),
            public_id=PublicId(video.public_id),
            valid_s=POSTER_TOKEN_VALID_S,
            use=TokenUse.THUMBNAIL,
            domains=domains,
            now=self.clock.now(),
        )
        return f"{address}?token={token}"
