"""
Serve playlists, manifests, segments and other files of videos to viewers.

Each request has three steps: decide whether the viewer may watch the video, find the file
that the path names, send the file.

Source: the interface document, "Delivery".
"""

from datetime import datetime
from functools import partial
from typing import Final

import attrs

from hvcore.clock import Clock
from hvcore.domain.analytics.ignored import IgnoredReason
from hvcore.domain.playback.decision import passed
from hvcore.domain.playback.rules import PlaybackRule
from hvcore.domain.playback.viewer import SOMEBODY, Viewer
from hvcore.errors import NotFoundError
from hvcore.playback_tokens import TokenUse
from hvcore.ports.counting import CountedSegment, SegmentCounter
from hvcore.ports.storage import Storage
from hvcore.services.access.quotas import delivery_exceeded
from hvcore.services.playback.authorization import PlaybackAuthorization
from hvcore.services.playback.downloads.joined_files import NAMED
from hvcore.services.playback.downloads.names import saved_name
from hvcore.services.playback.downloads.serving import Downloads
from hvcore.services.playback.downloads.sources import open_source, source_type
from hvcore.services.playback.media_files import CachedFile, MediaFiles
from hvcore.services.playback.playable import Playable
from hvcore.services.playback.published_files import PublishedText, never_counted
from hvcore.services.playback.redirects import Redirects
from hvcore.services.playback.responses import Lifetime, PlaybackResponse, StoredFile
from hvcore.services.playback.texts import NO_SUCH_FILE, DeliveredTexts

_PLAYBACK: Final = frozenset({TokenUse.PLAYBACK})
_SOURCE: Final = frozenset({TokenUse.SOURCE})


@attrs.define(kw_only=True)
class PlaybackRequest:
    """
    A viewer's request for a file of a video.

    Not frozen, because making a frozen object takes twice as long.

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


@attrs.define(kw_only=True)
class PlaybackPermission:
    """
    The permission of a viewer to get the files of a video.

    Not frozen, because making a frozen object takes twice as long.

    Attributes:
        viewer: The viewer, for the count of viewers.
        token: Added to every address in a playlist or manifest.
        is_public: Whether shared caches may keep the files.
        ends_at: When the permission ends; None if it does not.
    """

    viewer: Viewer = SOMEBODY
    token: str | None = None
    is_public: bool = False
    ends_at: datetime | None = None


@attrs.frozen(kw_only=True)
class Delivery:
    """
    Serve the files of videos to viewers: decide, find, send.

    Attributes:
        access: Decides who may watch which video.
        media_files: Finds segments and pictures by their paths, and names texts.
        texts: Finds playlists, manifests, captions and chapters.
        downloads: Finds downloads: renditions joined into one file.
        storage: Holds the source files.
        counter: Counts the media segments that are served, and answers that do not count.
        redirects: Sends players to the object store; None if this process sends files itself.
    """

    access: PlaybackAuthorization
    media_files: MediaFiles
    texts: DeliveredTexts
    downloads: Downloads
    storage: Storage
    counter: SegmentCounter
    clock: Clock
    redirects: Redirects | None = None

    def open(self, request: PlaybackRequest) -> PlaybackResponse:
        """
        Decide about a viewer's request for a file of a video, and return the response.

        Raises:
            UnauthorizedError: A private path without a valid token.
            ForbiddenError: A private video on a public path, or a token for another video,
                use or page.
            VideoNotFoundError: No such video, or none that is ready.
            NotFoundError: The video has no such file.
        """
        if request.environment is None and (kind := source_type(request.file)):
            return self._source(request, kind)
        video, permission = self._decide(request)
        return self.serve(video, request.file, permission)

    def _decide(self, request: PlaybackRequest) -> tuple[Playable, PlaybackPermission]:
        viewer = request.viewer
        if request.environment is not None:
            org, env = request.environment
            video = self.access.public(org, env, request.video)
            return video, PlaybackPermission(viewer=viewer, is_public=True)
        video = self.access.private(request.video, viewer, _PLAYBACK)
        return video, PlaybackPermission(
            viewer=viewer, token=viewer.tokens[0], ends_at=video.ends_at
        )

    def serve(
        self, video: Playable, file: str, permission: PlaybackPermission
    ) -> PlaybackResponse:
        """
        Return the response with a file of a video to a viewer who was authorized.

        Raises:
            VideoNotFoundError: The video's files no longer exist.
            NotFoundError: The video has no such file.
            QuotaExceededError: The file is a playlist or a download, and the video's owner has
                used up the delivery quota.
        """
        folder, _, name = file.partition("/")
        if folder == NAMED:
            return self._download(video, name, permission)
        found = self.media_files.find(video, file)
        if found is None:
            raise NotFoundError(NO_SUCH_FILE, rule=PlaybackRule.NO_SUCH_FILE)
        passed(PlaybackRule.NO_SUCH_FILE)
        if isinstance(found, CachedFile):
            return self._send_media(found, permission)
        return self._send_text(video, found, permission)

    def _send_media(
        self, found: CachedFile, permission: PlaybackPermission
    ) -> PlaybackResponse:
        segment = None
        if found.never_counted is None:
            segment = CountedSegment(
                self.counter, found.place, permission.token, permission.viewer
            )
        elsewhere = None
        if self.redirects is not None:
            elsewhere = partial(
                self.redirects.address, found.stored, permission.ends_at
            )
        return PlaybackResponse(
            body=found.stored,
            content_type=found.content_type,
            etag=found.etag,
            lifetime=Lifetime.IMMUTABLE,
            is_public=permission.is_public,
            segment=segment,
            never_counted=found.never_counted,
            on_ignored=partial(self.counter.ignore, found.place),
            elsewhere=elsewhere,
        )

    def _send_text(
        self, video: Playable, found: PublishedText, permission: PlaybackPermission
    ) -> PlaybackResponse:
        ignored = never_counted(found)
        if ignored is IgnoredReason.PLAYLIST:
            self._require_quota(video)
        text = self.texts.find(video, found, permission.token)
        return PlaybackResponse(
            body=text.body,
            content_type=text.content_type,
            etag=text.etag,
            lifetime=Lifetime.PLAYLIST,
            is_public=permission.is_public,
            is_text=True,
            never_counted=ignored,
            on_ignored=partial(self.counter.ignore, video.place),
        )

    def _download(
        self, video: Playable, name: str, permission: PlaybackPermission
    ) -> PlaybackResponse:
        if not video.allows_download:
            raise NotFoundError(NO_SUCH_FILE, rule=PlaybackRule.NO_SUCH_FILE)

        def counted(height_px: int) -> CountedSegment:
            place = attrs.evolve(video.place, height_px=height_px)
            return CountedSegment(
                self.counter, place, permission.token, permission.viewer
            )

        found = self.downloads.open(video, name, counted)
        passed(PlaybackRule.NO_SUCH_FILE)
        self._require_quota(video)
        return PlaybackResponse(
            body=found.body,
            content_type=found.content_type,
            etag=found.etag,
            # Asked for again soon: by then it may be private, or called otherwise.
            lifetime=Lifetime.PLAYLIST,
            is_public=permission.is_public,
            # Its segments are counted one by one.
            never_counted=IgnoredReason.OTHER_FILE,
            save_as=saved_name(video.name, name, found.label),
        )

    def _source(self, request: PlaybackRequest, content_type: str) -> PlaybackResponse:
        video = self.access.private(request.video, request.viewer, _SOURCE)
        response = open_source(self.storage, video, request.file, content_type)
        if self.redirects is None or not isinstance(response.body, StoredFile):
            return response
        elsewhere = partial(self.redirects.address, response.body, video.ends_at)
        return attrs.evolve(response, elsewhere=elsewhere)

    def _require_quota(self, video: Playable) -> None:
        # Not at segments: who has begun is not cut off in the middle.
        if not video.may_begin:
            raise delivery_exceeded(self.clock.now())
        passed(PlaybackRule.DELIVERY_QUOTA)
