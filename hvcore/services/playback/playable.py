"""Playable videos: the facts about a video that may be served to a viewer now."""

from collections.abc import Callable
from datetime import datetime

import attrs

from hvcore.domain.analytics.segments import SegmentPlace
from hvcore.domain.ids import EnvId, OrgId, VideoId
from hvcore.domain.playback.rules import PlaybackRule
from hvcore.domain.processing.media_index import MediaIndex
from hvcore.errors import VideoNotFoundError
from hvcore.playback_tokens import PlaybackClaims


@attrs.frozen(kw_only=True)
class Playable:
    """
    A video that may be served to a viewer now, with the facts that delivery needs.

    Attributes:
        chosen_poster: Storage path of the poster that the owner has chosen.
        claims: The claims of the viewer's token, if one was needed.
        may_begin: Whether new viewers may begin; False once the owner's delivery quota
            is used up.
        has_chapters: Whether the video has chapters.
        allows_download: Whether viewers may also download the video.
        source_path: The storage path of the uploaded file.
        place: The video, and a height of 0, under which requests for files that are no
            media segments are recorded.
        ends_at: When the token ends, if one was needed.
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
    place: SegmentPlace = attrs.field(init=False, eq=False, repr=False)
    ends_at: datetime | None = attrs.field(init=False, eq=False, repr=False)

    @place.default
    def _make_place(self) -> SegmentPlace:
        return SegmentPlace(
            org_id=OrgId(self.org_id),
            env_id=EnvId(self.env_id),
            video_id=VideoId(self.id),
            height_px=0,
        )

    @ends_at.default
    def _find_end(self) -> datetime | None:
        return self.claims.expires_at if self.claims else None

    @property
    def media(self) -> MediaIndex:
        """
        The index of the video's published media; it may be large.

        Raises:
            VideoNotFoundError: The media no longer exist: just deleted, or replaced.
        """
        media = self.load_media()
        if media is None:
            raise VideoNotFoundError(rule=PlaybackRule.FILES_MISSING)
        return media

    @property
    def size_px(self) -> tuple[int, int]:
        """
        Width and height of the video's largest rung, in pixels.

        Raises:
            VideoNotFoundError: The video has no published files.
        """
        rungs = [one.track.rung for one in self.media.tracks if one.track.rung]
        best = max(rungs, key=lambda rung: rung.short_edge_px)
        return best.width_px, best.height_px

    @property
    def poster_path(self) -> str | None:
        """
        Storage path of the video's poster, or None if it has none.

        Raises:
            VideoNotFoundError: The video has no published files.
        """
        made = None if self.chosen_poster else self.media.poster
        return self.chosen_poster or (f"{self.media_root}/{made}" if made else None)
