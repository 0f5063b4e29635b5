"""
Serve playlists and segments: the whole decision for a request in one place.

Source: interface, "Delivery".
"""

import hashlib
import logging
from collections.abc import Callable
from functools import partial
from typing import Final

import attrs

from hvcore.clock import Clock
from hvcore.domain.analytics import SegmentPlace
from hvcore.domain.ids import EnvId, OrgId, VideoId
from hvcore.errors import NotFoundError, VideoNotFoundError
from hvcore.manifests.hls import MASTER
from hvcore.manifests.rewrite import carry_token
from hvcore.playback_tokens import KeyRing, TokenUse
from hvcore.ports.playback import PlaybackDirectory
from hvcore.ports.storage import ObjectNotFoundError, Storage
from hvcore.services.page_domains import origin_of
from hvcore.services.playback_access import Playable, PlaybackAccess, Viewer
from hvcore.services.published_files import (
    PublishedMedia,
    PublishedPlaylist,
    find_published,
)
from hvcore.services.segment_counting import SegmentCounter
from hvcore.services.served import Lifetime, Served, StoredFile
from hvcore.services.text_cache import TextCache

_log = logging.getLogger(__name__)

PLAYLIST_TYPE: Final = "application/vnd.apple.mpegurl"


@attrs.frozen(kw_only=True)
class PlaybackRequest:
    """
    A request for a file of a video.

    Attributes:
        environment: Organization and environment of a public path; None on a
            private one.
        video: ``vid_`` or ``pubvid_`` id as the path has it.
        file: The rest of the path, decoded.
    """

    environment: tuple[str, str] | None
    video: str
    file: str
    viewer: Viewer = Viewer()


@attrs.frozen(kw_only=True)
class PlayerVideo:
    """
    What the player page needs to know.

    Attributes:
        master: Path of the master playlist under ``{worker_url}``, without a
            token.
        poster: Path of the poster, likewise; None if there is none.
        domains: The pages that may embed it; empty means every page.
    """

    name: str
    master: str
    poster: str | None
    is_public: bool
    domains: tuple[str, ...]


@attrs.frozen(kw_only=True)
class Delivery:
    """
    Serve the files of videos.

    Attributes:
        counter: Takes note of every media segment.
        player_url: Where the embed page lies; ``""`` if there is none.
        access: Who may watch what; thumbnails ask it, too.
    """

    directory: PlaybackDirectory
    storage: Storage
    key_ring: KeyRing
    clock: Clock
    counter: SegmentCounter
    player_url: str = ""
    access: PlaybackAccess = attrs.field(init=False)
    # By storage path, which names the job: what a retry makes lies elsewhere.
    _playlists: TextCache = attrs.field(factory=TextCache, init=False)

    @access.default
    def _make_access(self) -> PlaybackAccess:
        return PlaybackAccess(
            directory=self.directory,
            key_ring=self.key_ring,
            clock=self.clock,
            player_origin=origin_of(self.player_url),
        )

    def open(self, request: PlaybackRequest) -> Served:
        """
        Return what a request asks for.

        Raises:
            UnauthorizedError: A private path without a token in force.
            ForbiddenError: A private video on a public path, or a token that
                does not reach this far.
            VideoNotFoundError: No such video, or none that is ready.
            NotFoundError: The video has no such file.
        """
        token = None
        if request.environment is not None:
            org, env = request.environment
            video = self.access.public(org, env, request.video)
        else:
            video = self.access.private(
                request.video, request.viewer, {TokenUse.PLAYBACK}
            )
            token = request.viewer.tokens[0]
        return self.serve(video, request.file, token=token, is_public=token is None)

    def serve(
        self, video: Playable, file: str, *, token: str | None, is_public: bool
    ) -> Served:
        """
        Return a file of a video to who was found to be allowed it.

        Args:
            token: Carried to every address of a playlist.
            is_public: Shared caches may keep it.

        Raises:
            VideoNotFoundError: Its files are gone.
            NotFoundError: The video has no such file.
        """
        found = find_published(video.media, file)
        if isinstance(found, PublishedPlaylist):
            return self._playlist(video, found, token, is_public=is_public)
        if isinstance(found, PublishedMedia):
            return self._media(video, found, is_public=is_public)
        raise NotFoundError("The video has no such file.")

    def describe(self, video_id: str, viewer: Viewer) -> PlayerVideo:
        """
        Return what the player page of a video shows.

        Raises:
            UnauthorizedError: A private video without a token in force.
            ForbiddenError: A token that does not reach this far.
            VideoNotFoundError: No such video, or none that is ready.
        """
        video = self.access.either(video_id, viewer, {TokenUse.PLAYBACK})
        place = f"private/{video.id}"
        if video.is_public:
            place = f"public/{video.org_id}/{video.env_id}/{video.id}"
        return PlayerVideo(
            name=video.name,
            master=f"/v1/{place}/{MASTER}",
            poster=f"/t/{video.id}/1280x720.jpg" if video.poster_path else None,
            is_public=video.is_public,
            domains=video.claims.domains if video.claims else (),
        )

    def _playlist(
        self,
        video: Playable,
        found: PublishedPlaylist,
        token: str | None,
        *,
        is_public: bool,
    ) -> Served:
        text = self._text(f"{video.media_root}/{found.name}")
        body = (carry_token(text, token) if token else text).encode()
        return Served(
            body=body,
            content_type=PLAYLIST_TYPE,
            etag=hashlib.sha256(body).hexdigest()[:32],
            lifetime=Lifetime.PLAYLIST,
            is_public=is_public,
            is_text=True,
        )

    def _media(
        self, video: Playable, found: PublishedMedia, *, is_public: bool
    ) -> Served:
        return Served(
            body=StoredFile(
                storage=self.storage,
                path=f"{video.media_root}/{found.path}",
                size_bytes=found.file.size_bytes,
            ),
            content_type=found.content_type,
            etag=found.file.sha256[:32],
            lifetime=Lifetime.IMMUTABLE,
            is_public=is_public,
            on_answer=self._counting(video, found),
        )

    def _counting(
        self, video: Playable, found: PublishedMedia
    ) -> Callable[[], None] | None:
        if found.counted_px is None:
            return None
        place = SegmentPlace(
            org_id=OrgId(video.org_id),
            env_id=EnvId(video.env_id),
            video_id=VideoId(video.id),
            height_px=found.counted_px,
        )
        return partial(self.counter.count, place)

    def _text(self, path: str) -> str:
        text = self._playlists.get(path)
        if text is None:
            try:
                with self.storage.open(path) as file:
                    text = file.read().decode()
            except ObjectNotFoundError as exc:
                # Deleted between the look-up and now, or a damaged storage.
                _log.warning("published playlist missing", extra={"hv_path": path})
                raise VideoNotFoundError from exc
            self._playlists.put(path, text)
        return text
