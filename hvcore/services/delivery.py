"""
Serve playlists, manifests and segments: the whole decision for a request in one place.

Source: interface, "Delivery".
"""

import hashlib
import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

import attrs

from hvcore.clock import Clock
from hvcore.domain.analytics import SegmentPlace
from hvcore.domain.captions import WEBVTT_TYPE, CaptionTrack
from hvcore.domain.ids import EnvId, OrgId, VideoId
from hvcore.domain.judgement import kept
from hvcore.domain.playback_rules import PlaybackRule
from hvcore.errors import NotFoundError, VideoNotFoundError
from hvcore.manifests import dash
from hvcore.manifests.captions import (
    captions_playlist,
    offer_captions,
    offer_captions_in_manifest,
)
from hvcore.manifests.hls import MASTER
from hvcore.manifests.rewrite import (
    carry_token,
    carry_token_in_manifest,
    carry_token_in_storyboard,
)
from hvcore.manifests.storyboard import storyboard_index
from hvcore.playback_tokens import KeyRing, TokenUse
from hvcore.ports.playback import PlaybackDirectory
from hvcore.ports.storage import ObjectNotFoundError, Storage
from hvcore.services.page_domains import origin_of
from hvcore.services.playback_access import Playable, PlaybackAccess, Viewer
from hvcore.services.published_files import (
    PublishedCaptions,
    PublishedManifest,
    PublishedMedia,
    PublishedPlaylist,
    PublishedStoryboard,
    find_published,
    stored_file,
)
from hvcore.services.segment_counting import SegmentCounter
from hvcore.services.served import Lifetime, Served
from hvcore.services.text_cache import TextCache

_log = logging.getLogger(__name__)

PLAYLIST_TYPE: Final = "application/vnd.apple.mpegurl"
MANIFEST_TYPE: Final = "application/dash+xml"
NO_SUCH_FILE: Final = "The video has no such file."


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
    _texts: TextCache = attrs.field(factory=TextCache, init=False)

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
            token: Carried to every address of a playlist or manifest.
            is_public: Shared caches may keep it.

        Raises:
            VideoNotFoundError: Its files are gone.
            NotFoundError: The video has no such file.
        """
        found = find_published(video.media, file)
        if found is None:
            raise NotFoundError(NO_SUCH_FILE, rule=PlaybackRule.NO_SUCH_FILE)
        kept(PlaybackRule.NO_SUCH_FILE)
        if isinstance(found, PublishedPlaylist):
            text = self._playlist(video, found)
            body = carry_token(text, token) if token else text
            return _served_text(body, PLAYLIST_TYPE, is_public=is_public)
        if isinstance(found, PublishedManifest):
            text = self._manifest(video)
            body = carry_token_in_manifest(text, token) if token else text
            return _served_text(body, MANIFEST_TYPE, is_public=is_public)
        if isinstance(found, PublishedStoryboard):
            text = storyboard_index(found.storyboard, duration_s=video.media.duration_s)
            body = carry_token_in_storyboard(text, token) if token else text
            return _served_text(body, WEBVTT_TYPE, is_public=is_public)
        if isinstance(found, PublishedCaptions):
            return self._captions(video, found, token, is_public=is_public)
        return self._media(video, found, is_public=is_public)

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

    def _playlist(self, video: Playable, found: PublishedPlaylist) -> str:
        path = f"{video.media_root}/{found.name}"
        text = self._stored_text(path)
        if text is None:
            # Deleted between the look-up and now, or a damaged storage.
            _log.warning("published playlist missing", extra={"hv_path": path})
            raise VideoNotFoundError(rule=PlaybackRule.FILES_MISSING)
        if found.name == MASTER:
            return offer_captions(text, self._tracks(video))
        return text

    def _captions(
        self,
        video: Playable,
        found: PublishedCaptions,
        token: str | None,
        *,
        is_public: bool,
    ) -> Served:
        # Twice: between the look-up and the reading they may be replaced.
        for _ in range(2):
            track = self._track(video, found.language)
            if track is None:
                break
            if found.is_playlist:
                text = captions_playlist(
                    track.language, duration_s=video.media.duration_s
                )
                body = carry_token(text, token) if token else text
                return _served_text(body, PLAYLIST_TYPE, is_public=is_public)
            # Each upload has a path of its own, so that none is kept too long.
            stored = self._stored_text(track.path)
            if stored is not None:
                return _served_text(stored, WEBVTT_TYPE, is_public=is_public)
        raise NotFoundError(NO_SUCH_FILE, rule=PlaybackRule.NO_SUCH_FILE)

    def _track(self, video: Playable, language: str) -> CaptionTrack | None:
        tracks = (t for t in self._tracks(video) if t.language == language)
        return next(tracks, None)

    def _tracks(self, video: Playable) -> Sequence[CaptionTrack]:
        return self.directory.captions(VideoId(video.id))

    def _manifest(self, video: Playable) -> str:
        path = f"{video.media_root}/{dash.MANIFEST}"
        text = self._stored_text(path)
        if text is None:
            # Of a video that was published before manifests were written.
            text = dash.manifest(video.media)
            self._texts.put(path, text)
        return offer_captions_in_manifest(text, self._tracks(video))

    def _media(
        self, video: Playable, found: PublishedMedia, *, is_public: bool
    ) -> Served:
        return Served(
            body=stored_file(self.storage, video.media_root, found),
            content_type=found.content_type,
            etag=_etag(found),
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

    def _stored_text(self, path: str) -> str | None:
        text = self._texts.get(path)
        if text is None:
            try:
                with self.storage.open(path) as file:
                    text = file.read().decode()
            except ObjectNotFoundError:
                return None
            self._texts.put(path, text)
        return text


def _etag(found: PublishedMedia) -> str:
    tag = found.file.sha256[:32]
    # The beginning of a file is not what the whole is.
    return tag if found.first_bytes is None else f"{tag}-{found.first_bytes}"


def _served_text(text: str, content_type: str, *, is_public: bool) -> Served:
    body = text.encode()
    return Served(
        body=body,
        content_type=content_type,
        etag=hashlib.sha256(body).hexdigest()[:32],
        lifetime=Lifetime.PLAYLIST,
        is_public=is_public,
        is_text=True,
    )
