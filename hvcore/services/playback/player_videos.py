"""Describe videos for their player pages."""

from typing import Final

import attrs

from hvcore.domain.playback.viewer import Viewer
from hvcore.domain.videos.thumbnails import BEST_THUMBNAIL_PX, thumbnail_name
from hvcore.manifests.hls import MASTER
from hvcore.playback_tokens import TokenUse
from hvcore.services.playback.authorization import PlaybackAuthorization

_POSTER: Final = thumbnail_name(BEST_THUMBNAIL_PX)
_PLAYBACK: Final = frozenset({TokenUse.PLAYBACK})


@attrs.frozen(kw_only=True)
class PlayerVideo:
    """
    The facts about a video that its player page needs.

    Attributes:
        master: Path of the master playlist under ``{worker_url}``, without a
            token.
        poster: Path of the poster under ``{worker_url}``, without a token; None if there
            is none.
        has_storyboard: Whether there is a storyboard beside the playlist.
        domains: The pages that may embed the video; empty means every page.
        size_px: Width and height of the video, for which the page keeps room.
    """

    id: str
    name: str
    master: str
    poster: str | None
    duration_s: float
    has_storyboard: bool
    is_public: bool
    domains: tuple[str, ...]
    size_px: tuple[int, int]


@attrs.frozen(kw_only=True)
class PlayerVideos:
    """Describe videos for the player pages of viewers who may watch them."""

    access: PlaybackAuthorization

    def describe(self, video_id: str, viewer: Viewer) -> PlayerVideo:
        """
        Return the facts that the player page of a video needs, if the viewer may watch it.

        Raises:
            UnauthorizedError: A private video without a valid token.
            ForbiddenError: The token is for another video, use or page.
            VideoNotFoundError: No such video, or none that is ready.
        """
        video = self.access.either(video_id, viewer, _PLAYBACK)
        path = f"private/{video.id}"
        if video.is_public:
            path = f"public/{video.org_id}/{video.env_id}/{video.id}"
        return PlayerVideo(
            id=video.id,
            name=video.name,
            master=f"/v1/{path}/{MASTER}",
            poster=f"/t/{video.id}/{_POSTER}" if video.poster_path else None,
            duration_s=video.media.duration_s,
            has_storyboard=video.media.storyboard is not None,
            is_public=video.is_public,
            domains=video.claims.domains if video.claims else (),
            size_px=video.size_px,
        )
