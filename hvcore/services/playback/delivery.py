"""
Serve playlists, manifests and segments: the whole decision for a request in one place.

Source: interface, "Delivery".
"""

from datetime import datetime
from functools import partial
from typing import Final

import attrs

from hvcore.clock import Clock
from hvcore.domain.analytics.ignored import IgnoredReason
from hvcore.domain.analytics.segments import SegmentPlace
from hvcore.domain.ids import EnvId, OrgId, VideoId
from hvcore.domain.playback.decision import passed
from hvcore.domain.playback.page_domains import origin_of
from hvcore.domain.playback.rules import PlaybackRule
from hvcore.domain.playback.viewer import Viewer
from hvcore.domain.videos.thumbnails import BEST_THUMBNAIL_PX, thumbnail_name
from hvcore.errors import NotFoundError
from hvcore.manifests.hls import MASTER
from hvcore.playback_tokens import KeyRing, TokenUse
from hvcore.ports.counting import CountedSegment, SegmentCounter
from hvcore.ports.repositories.playback import PlaybackDirectory
from hvcore.ports.storage import Storage, SupportsLocalPath
from hvcore.services.access.quotas import delivery_exceeded
from hvcore.services.playback.authorization import PlaybackAuthorization
from hvcore.services.playback.downloads.joined_files import NAMED
from hvcore.services.playback.downloads.names import saved_name
from hvcore.services.playback.downloads.serving import Downloads
from hvcore.services.playback.downloads.sources import open_source, source_type
from hvcore.services.playback.path_cache import CachedFile, PathCache
from hvcore.services.playback.playable import Playable
from hvcore.services.playback.published_files import (
    PublishedMedia,
    find_published,
    never_counted,
    stored_file,
)
from hvcore.services.playback.redirects import Redirects
from hvcore.services.playback.responses import Lifetime, PlaybackResponse, StoredFile
from hvcore.services.playback.signing.organization_keys import OrganizationKeys
from hvcore.services.playback.texts import NO_SUCH_FILE, DeliveredTexts

_POSTER: Final = thumbnail_name(BEST_THUMBNAIL_PX)
_PLAYBACK: Final = frozenset({TokenUse.PLAYBACK})
_SOURCE: Final = frozenset({TokenUse.SOURCE})
SOMEBODY: Final = Viewer()
"""Of whom nothing is known."""


@attrs.define(kw_only=True)
class PlaybackRequest:
    """
    A request for a file of a video; not frozen, as PlaybackResponse.

    Attributes:
        environment: Organization and environment of a public path; None on a
            private one.
        video: ``vid_`` or ``pubvid_`` id as the path has it.
        file: The rest of the path, decoded.
    """

    environment: tuple[str, str] | None
    video: str
    file: str
    viewer: Viewer = SOMEBODY


@attrs.frozen(kw_only=True)
class PlayerVideo:
    """
    The facts about a video that its player page needs.

    Attributes:
        master: Path of the master playlist under ``{worker_url}``, without a
            token.
        poster: Path of the poster, likewise; None if there is none.
        has_storyboard: It is beside the playlist.
        domains: The pages that may embed it; empty means every page.
        size_px: Width and height, by which a page makes room.
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
class Delivery:
    """
    Serve the files of videos.

    Attributes:
        counter: Records every media segment, and what does not count.
        player_url: Where the embed page is; ``""`` if there is none.
        redirects: Send players to the object store; None has files read here.
        access: Decides who may watch what, also for thumbnails.
    """

    directory: PlaybackDirectory
    storage: Storage
    key_ring: KeyRing
    organization_keys: OrganizationKeys
    clock: Clock
    counter: SegmentCounter
    player_url: str = ""
    redirects: Redirects | None = None
    access: PlaybackAuthorization = attrs.field(init=False)
    _texts: DeliveredTexts = attrs.field(init=False)
    downloads: Downloads = attrs.field(init=False)
    _files: PathCache = attrs.field(factory=PathCache, init=False)

    @downloads.default
    def _make_downloads(self) -> Downloads:
        return Downloads(self.storage)

    @_texts.default
    def _make_texts(self) -> DeliveredTexts:
        return DeliveredTexts(directory=self.directory, storage=self.storage)

    @access.default
    def _make_access(self) -> PlaybackAuthorization:
        return PlaybackAuthorization(
            directory=self.directory,
            key_ring=self.key_ring,
            organization_keys=self.organization_keys,
            clock=self.clock,
            player_origin=origin_of(self.player_url),
        )

    @property
    def decides_at_once(self) -> bool:
        """Return whether neither a decision nor a file waits for another server."""
        is_local = isinstance(self.storage, SupportsLocalPath)
        return is_local and self.directory.answers_at_once

    def open(self, request: PlaybackRequest) -> PlaybackResponse:
        """
        Return the response to a playback request.

        Raises:
            UnauthorizedError: A private path without a valid token.
            ForbiddenError: A private video on a public path, or a token that
                does not reach this far.
            VideoNotFoundError: No such video, or none that is ready.
            NotFoundError: The video has no such file.
        """
        token = None
        if request.environment is None and (kind := source_type(request.file)):
            return self._source(request, kind)
        if request.environment is not None:
            org, env = request.environment
            video = self.access.public(org, env, request.video)
        else:
            video = self.access.private(request.video, request.viewer, _PLAYBACK)
            token = request.viewer.tokens[0]
        return self.serve(
            video,
            request.file,
            token=token,
            is_public=token is None,
            viewer=request.viewer,
            ends_at=video.claims.expires_at if video.claims else None,
        )

    def serve(  # noqa: PLR0913 - what differs between those who may see it
        self,
        video: Playable,
        file: str,
        *,
        token: str | None,
        is_public: bool,
        viewer: Viewer = SOMEBODY,
        ends_at: datetime | None = None,
    ) -> PlaybackResponse:
        """
        Return a file of a video to a viewer who was authorized.

        Args:
            token: Carried to every address of a playlist or manifest.
            is_public: Shared caches may keep it.
            viewer: The viewer, for the count of viewers.
            ends_at: When that permission ends, if it does.

        Raises:
            VideoNotFoundError: Its files no longer exist.
            NotFoundError: The video has no such file.
            QuotaExceededError: A playlist, and its owner may deliver no more.
        """
        known = self._files.get(video.media_root, file)
        if known is not None:
            passed(PlaybackRule.NO_SUCH_FILE)
            return self._media(
                known, token, viewer, is_public=is_public, ends_at=ends_at
            )
        folder, _, name = file.partition("/")
        if folder == NAMED:
            return self._download(video, name, token, viewer, is_public=is_public)
        found = find_published(video.media, file)
        if found is None:
            raise NotFoundError(NO_SUCH_FILE, rule=PlaybackRule.NO_SUCH_FILE)
        passed(PlaybackRule.NO_SUCH_FILE)
        if isinstance(found, PublishedMedia):
            known = self._know(video, found)
            self._files.put(video.media_root, file, known)
            return self._media(
                known, token, viewer, is_public=is_public, ends_at=ends_at
            )
        ignored = never_counted(found)
        if ignored is IgnoredReason.PLAYLIST:
            self._require_quota(video)
        text = self._texts.find(video, found, token)
        return PlaybackResponse(
            body=text.body,
            content_type=text.content_type,
            etag=text.etag,
            lifetime=Lifetime.PLAYLIST,
            is_public=is_public,
            is_text=True,
            never_counted=ignored,
            on_ignored=partial(self.counter.ignore, _place(video, 0)),
        )

    def describe(self, video_id: str, viewer: Viewer) -> PlayerVideo:
        """
        Return the content of a video's player page.

        Raises:
            UnauthorizedError: A private video without a valid token.
            ForbiddenError: A token that does not reach this far.
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

    def _source(self, request: PlaybackRequest, content_type: str) -> PlaybackResponse:
        video = self.access.private(request.video, request.viewer, _SOURCE)
        response = open_source(self.storage, video, request.file, content_type)
        if self.redirects is None or not isinstance(response.body, StoredFile):
            return response
        ends_at = video.claims.expires_at if video.claims else None
        elsewhere = partial(self.redirects.address, response.body, ends_at)
        return attrs.evolve(response, elsewhere=elsewhere)

    def _download(
        self,
        video: Playable,
        name: str,
        token: str | None,
        viewer: Viewer,
        *,
        is_public: bool,
    ) -> PlaybackResponse:
        if not video.allows_download:
            raise NotFoundError(NO_SUCH_FILE, rule=PlaybackRule.NO_SUCH_FILE)

        def counted(height_px: int) -> CountedSegment:
            place = _place(video, height_px)
            return CountedSegment(self.counter, place, token, viewer)

        found = self.downloads.open(
            video.media_root, lambda: video.media, name, counted
        )
        passed(PlaybackRule.NO_SUCH_FILE)
        self._require_quota(video)
        return PlaybackResponse(
            body=found.body,
            content_type=found.content_type,
            etag=found.etag,
            # Asked for again soon: by then it may be private, or called otherwise.
            lifetime=Lifetime.PLAYLIST,
            is_public=is_public,
            # Its segments are counted one by one.
            never_counted=IgnoredReason.OTHER_FILE,
            save_as=saved_name(video.name, name, found.label),
        )

    def _require_quota(self, video: Playable) -> None:
        # Not at segments: who has begun is not cut off in the middle.
        if not video.may_begin:
            raise delivery_exceeded(self.clock.now())
        passed(PlaybackRule.DELIVERY_QUOTA)

    def _know(self, video: Playable, found: PublishedMedia) -> CachedFile:
        return CachedFile(
            stored=stored_file(self.storage, video.media_root, found),
            content_type=found.content_type,
            etag=_etag(found),
            place=_place(video, found.counted_px or 0),
            never_counted=never_counted(found),
        )

    def _media(
        self,
        known: CachedFile,
        token: str | None,
        viewer: Viewer,
        *,
        is_public: bool,
        ends_at: datetime | None,
    ) -> PlaybackResponse:
        segment = None
        if known.never_counted is None:
            segment = CountedSegment(self.counter, known.place, token, viewer)
        elsewhere = None
        if self.redirects is not None:
            elsewhere = partial(self.redirects.address, known.stored, ends_at)
        return PlaybackResponse(
            body=known.stored,
            content_type=known.content_type,
            etag=known.etag,
            lifetime=Lifetime.IMMUTABLE,
            is_public=is_public,
            segment=segment,
            never_counted=known.never_counted,
            on_ignored=partial(self.counter.ignore, known.place),
            elsewhere=elsewhere,
        )


def _place(video: Playable, height_px: int) -> SegmentPlace:
    return SegmentPlace(
        org_id=OrgId(video.org_id),
        env_id=EnvId(video.env_id),
        video_id=VideoId(video.id),
        height_px=height_px,
    )


def _etag(found: PublishedMedia) -> str:
    tag = found.file.sha256[:32]
    # The beginning of a file is not what the whole is.
    return tag if found.first_bytes is None else f"{tag}-{found.first_bytes}"
