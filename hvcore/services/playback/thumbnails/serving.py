"""
Serve the thumbnails of a video in any size.

Source: the interface document, "Delivery", thumbnail. A size is rendered from the
poster on the first request, and stored: for good if the service's own addresses name
the size, otherwise as long as other sizes are not requested more.
"""

import hashlib
import io
from typing import Final

import attrs

from hvcore.domain.ids import VideoId
from hvcore.domain.limits import MAX_THUMBNAIL_SIZES
from hvcore.domain.media_paths import thumbnails_prefix
from hvcore.domain.playback.decision import passed
from hvcore.domain.playback.rules import PlaybackRule
from hvcore.domain.playback.viewer import SOMEBODY, Viewer
from hvcore.domain.videos.moments import Parameters
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.thumbnails import USUAL_THUMBNAILS, is_usual_thumbnail
from hvcore.errors import NotFoundError, VideoNotFoundError
from hvcore.playback_tokens import TokenUse
from hvcore.ports.repositories.playback import PlaybackDirectory
from hvcore.ports.storage import ObjectNotFoundError, Storage
from hvcore.services.playback.authorization import PlaybackAuthorization
from hvcore.services.playback.moments.serving import MomentPictures, read_request
from hvcore.services.playback.playable import Playable
from hvcore.services.playback.responses import Lifetime, PlaybackResponse
from hvcore.services.playback.thumbnails.renders import RenderWanted, ThumbnailRenders
from hvcore.services.playback.thumbnails.sizes import ThumbnailSize
from hvcore.services.playback.thumbnails.uses import ThumbnailUses
from hvcore.throttling.shares import client_of_address

THUMBNAIL_USES: Final = frozenset({TokenUse.PLAYBACK, TokenUse.THUMBNAIL})


@attrs.frozen(kw_only=True)
class ThumbnailRequest:
    """
    A viewer's request for a thumbnail of a video.

    Attributes:
        name: ``<width>x<height>.jpg`` or ``animated.webp`` as the path has it.
        query: The query's parameters of PICTURE_PARAMETERS, decoded.
    """

    video: str
    name: str
    query: Parameters = ()
    viewer: Viewer = SOMEBODY


@attrs.frozen(kw_only=True)
class Thumbnails:
    """Serve the thumbnails of videos, and render sizes that are not stored."""

    storage: Storage
    directory: PlaybackDirectory
    access: PlaybackAuthorization
    renders: ThumbnailRenders
    uses: ThumbnailUses
    moments: MomentPictures

    def open(self, request: ThumbnailRequest) -> PlaybackResponse:
        """
        Return the response with a picture of a video, cropped to fill the requested size.

        It is the poster, or what the query asks for: a frame or an animation.

        Raises:
            NotFoundError: The name is not that of a thumbnail, or the video has no
                poster.
            InvalidParametersError: A side is not from 16 to 3840 pixels, or the query asks for
                what the video does not have.
            UnsupportedFormatError: 501: this host makes no pictures at moments.
            UnauthorizedError: A private video without a valid token.
            ForbiddenError: The token is for another video, use or page.
            VideoNotFoundError: No such video, or none that is ready.
            UnavailableError: Too many pictures are being made.
        """
        wanted = read_request(request.name, request.query)
        video = self.access.either(request.video, request.viewer, THUMBNAIL_USES)
        client = client_of_address(request.viewer.address)
        if isinstance(wanted, ThumbnailSize):
            return self._poster(video, wanted, client)
        return self.moments.open(video, wanted, client)

    def _poster(
        self, video: Playable, size: ThumbnailSize, client: str
    ) -> PlaybackResponse:
        if video.poster_path is None:
            raise NotFoundError(
                "The video has no picture yet.", rule=PlaybackRule.NO_PICTURE
            )
        passed(PlaybackRule.NO_PICTURE)
        folder = thumbnails_prefix(VideoId(video.id), video.poster_path)
        path = f"{folder}/{size.name}"
        found = self._read(path)
        picture = found or self._render(video, path, size, client)
        if size.name not in USUAL_THUMBNAILS:
            self.uses.note(path, client)
        if found is None:
            self._keep(video, path, picture, size)
        return PlaybackResponse(
            body=picture,
            content_type=size.format.content_type,
            etag=hashlib.sha256(picture).hexdigest()[:32],
            lifetime=Lifetime.PICTURE,
            is_public=video.claims is None,
        )

    def _render(
        self, video: Playable, path: str, size: ThumbnailSize, client: str
    ) -> bytes:
        def poster() -> bytes:
            found = self._read(video.poster_path) if video.poster_path else None
            if found is None:
                raise VideoNotFoundError(rule=PlaybackRule.FILES_MISSING)
            return found

        def keep(picture: bytes) -> None:
            self._keep(video, path, picture, size)

        return self.renders.make(
            RenderWanted(
                size=size,
                is_usual=is_usual_thumbnail(size.name, lambda: video.size_px),
                organization=video.org_id,
                address=client,
                read=poster,
                keep=keep,
            )
        )

    def _keep(
        self, video: Playable, path: str, picture: bytes, size: ThumbnailSize
    ) -> None:
        content_type = size.format.content_type
        self.storage.write(path, io.BytesIO(picture), content_type=content_type)
        if size.name not in USUAL_THUMBNAILS:
            self._make_room(path.rpartition("/")[0])
        # A delete may have been answered meanwhile, and its files removed:
        # nothing may come after it.
        entry = self.directory.find(video.id)
        if entry is None or entry.state is not VideoState.READY:
            self.storage.delete_tree(path)
            raise VideoNotFoundError(rule=PlaybackRule.VIDEO_DELETED)

    def _make_room(self, folder: str) -> None:
        stored = [
            info
            for info in self.storage.walk(folder)
            if info.path.rpartition("/")[2] not in USUAL_THUMBNAILS
        ]
        # Those who come at the same time may both make room.
        over = max(0, len(stored) - MAX_THUMBNAIL_SIZES)
        for path in self.uses.least_used(stored, over):
            self.storage.delete_tree(path)

    def _read(self, path: str) -> bytes | None:
        try:
            with self.storage.open(path) as file:
                return file.read()
        except ObjectNotFoundError:
            return None
