"""
Serve still frames at a moment of a video, and animations.

Source: the interface document, "Delivery", thumbnail. A picture is made of the
published segments on the first request, and kept as long as other pictures of the video
are not requested more.
"""

import hashlib
import io
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, TypeAlias

import attrs

from hvcore.domain.ids import VideoId
from hvcore.domain.limits import MAX_MOMENT_BYTES, MAX_MOMENT_PICTURES
from hvcore.domain.media_paths import moments_prefix
from hvcore.domain.playback.decision import passed
from hvcore.domain.playback.rules import PlaybackRule
from hvcore.domain.videos.moments import (
    ANIMATION_NAME,
    Animation,
    AnimationQuery,
    Moment,
    Parameters,
    PictureFormat,
    PictureParameterError,
    moment_file_name,
    read_animation,
    read_time,
)
from hvcore.domain.videos.states import VideoState
from hvcore.errors import (
    FieldError,
    InvalidParametersError,
    UnavailableError,
    VideoNotFoundError,
)
from hvcore.pictures.drawing_process import DrawingProcess, UnreadablePictureError
from hvcore.ports.repositories.playback import PlaybackDirectory
from hvcore.ports.storage import ObjectNotFoundError, Storage, StorageRefusedError
from hvcore.services.playback.moments.making import (
    FRAME_MS,
    RETRY_AFTER_S,
    FrameMaker,
)
from hvcore.services.playback.moments.renders import MomentRenders, MomentWanted
from hvcore.services.playback.playable import Playable
from hvcore.services.playback.responses import Lifetime, PlaybackResponse
from hvcore.services.playback.thumbnails.sizes import ThumbnailSize
from hvcore.services.playback.thumbnails.uses import ThumbnailUses

FULL_FOR_S: Final = 60.0
"""For how long nothing is written into a full folder whose pictures the store does not let go."""
_MOST_FULL: Final = 1_000
WEBP_TYPE: Final = PictureFormat.WEBP.content_type
MomentRequest: TypeAlias = "tuple[ThumbnailSize, Moment] | AnimationQuery"


def read_request(name: str, query: Parameters) -> "ThumbnailSize | MomentRequest":
    """
    Return the picture that a request names: a size of the poster, a frame, or an animation.

    Args:
        name: The last part of the path.

    Raises:
        InvalidParametersError: A side is not from 16 to 3840 pixels; or a parameter is no
            number, out of range, or there twice.
        NotFoundError: The name is none of a thumbnail.
    """
    with _problems():
        if name == ANIMATION_NAME:
            return read_animation(query)
        size, moment = ThumbnailSize.read(name), read_time(query)
        return size if moment is None else (size, moment)


def stored_path(video: Playable, wanted: MomentRequest) -> str:
    """
    Return the storage path under which a requested picture of a video is kept.

    Raises:
        InvalidParametersError: The moment, or a part of the animation, is outside the video.
        VideoNotFoundError: The files of the video are gone.
    """
    duration_s = video.media.duration_s
    with _problems():
        if isinstance(wanted, AnimationQuery):
            name = wanted.within(duration_s).file_name
        else:
            size, moment = wanted
            moment.require_within(duration_s)
            name = moment_file_name(size.name, moment)
    passed(PlaybackRule.PICTURE_MOMENT)
    return f"{moments_prefix(VideoId(video.id), video.media_root)}/{name}"


def type_of(wanted: MomentRequest) -> str:
    """Return the content type of a requested picture."""
    if isinstance(wanted, AnimationQuery):
        return WEBP_TYPE
    return wanted[0].format.content_type


@attrs.frozen(kw_only=True)
class MomentPictures:
    """Serve still frames and animations of videos, and make the pictures that are not stored."""

    storage: Storage
    directory: PlaybackDirectory
    frames: FrameMaker
    renders: MomentRenders
    uses: ThumbnailUses
    # When no room could be made, by folder.
    _full: dict[str, float] = attrs.field(factory=dict, init=False, repr=False)

    def open(
        self, video: Playable, wanted: MomentRequest, client: str
    ) -> PlaybackResponse:
        """
        Return the response with a picture of a video that the viewer may have.

        Args:
            client: The client's network address, by which each client gets its share of
                the work.

        Raises:
            InvalidParametersError: The moment is outside the video.
            UnsupportedFormatError: 501: this host makes no such pictures.
            NotFoundError: The video has no picture at this moment.
            VideoNotFoundError: The video was deleted or replaced meanwhile.
            UnavailableError: Too many pictures are being made, or this one takes long.
        """
        path = stored_path(video, wanted)
        content_type = type_of(wanted)
        picture = self._read(path)
        if picture is None:
            draw = self._drawing(video, wanted)

            def make(child: DrawingProcess) -> bytes:
                # Another process may have made it while this one had to wait.
                return self._read(path) or self._keep(
                    video, path, _drawn(draw, child), content_type
                )

            picture = self.renders.make(
                MomentWanted(
                    path=path, organization=video.org_id, address=client, make=make
                )
            )
        self.uses.note(path, client)
        return PlaybackResponse(
            body=picture,
            content_type=content_type,
            etag=hashlib.sha256(picture).hexdigest()[:32],
            lifetime=Lifetime.PICTURE,
            is_public=video.claims is None,
        )

    def _drawing(
        self, video: Playable, wanted: MomentRequest
    ) -> Callable[[DrawingProcess], bytes]:
        if isinstance(wanted, AnimationQuery):
            animation = wanted.within(video.media.duration_s)
            return lambda child: self._animation(child, video, animation)
        size, moment = wanted
        return lambda child: self._still(child, video, size, moment)

    def _still(
        self,
        child: DrawingProcess,
        video: Playable,
        size: ThumbnailSize,
        moment: Moment,
    ) -> bytes:
        (frame,) = self.frames.still(video, moment, size.size_px)
        return size.crop(child, frame)

    def _animation(
        self, child: DrawingProcess, video: Playable, animation: Animation
    ) -> bytes:
        frames = self.frames.frames(video, animation)
        return child.draw_animation(frames, frame_ms=FRAME_MS)

    def _keep(
        self, video: Playable, path: str, picture: bytes, content_type: str
    ) -> bytes:
        folder = path.rpartition("/")[0]
        if time.monotonic() - self._full.get(folder, -math.inf) < FULL_FOR_S:
            self._take_back_after_a_change(video, path)
            return picture
        self.storage.write(path, io.BytesIO(picture), content_type=content_type)
        try:
            self._make_room(path, len(picture))
        finally:
            # Also where no room could be made.
            self._take_back_after_a_change(video, path)
        return picture

    def _take_back_after_a_change(self, video: Playable, path: str) -> None:
        # A delete may have been answered meanwhile, and its files removed, or those of
        # another job published: nothing may come after it.
        entry = self.directory.find(video.id)
        if (
            entry is None
            or entry.state is not VideoState.READY
            or entry.media_root != video.media_root
        ):
            self.storage.delete_tree(path)
            raise VideoNotFoundError(rule=PlaybackRule.VIDEO_DELETED)

    def _make_room(self, path: str, new_bytes: int) -> None:
        """
        Remove the least used pictures of a video, until as many as may be kept are left.

        The new one counts and stays, whatever its size, unless too few others may be
        removed. Each process that stores one does so afterwards, so of several the last
        one sees all.
        """
        folder = path.rpartition("/")[0]
        stored = [info for info in self.storage.walk(folder) if info.path != path]
        sizes = {info.path: info.size_bytes for info in stored}
        kept, kept_bytes = len(sizes) + 1, sum(sizes.values()) + new_bytes
        refused = False
        for one in self.uses.least_used(stored, len(stored)):
            if kept <= MAX_MOMENT_PICTURES and kept_bytes <= MAX_MOMENT_BYTES:
                return
            try:
                self.storage.delete_tree(one)
            except StorageRefusedError:
                # The next one may go.
                refused = True
                continue
            kept, kept_bytes = kept - 1, kept_bytes - sizes[one]
        if refused and (kept > MAX_MOMENT_PICTURES or kept_bytes > MAX_MOMENT_BYTES):
            if len(self._full) >= _MOST_FULL:
                self._full.clear()
            self._full[folder] = time.monotonic()
            self.storage.delete_tree(path)

    def _read(self, path: str) -> bytes | None:
        try:
            with self.storage.open(path) as file:
                return file.read()
        except ObjectNotFoundError:
            return None


def _drawn(draw: Callable[[DrawingProcess], bytes], child: DrawingProcess) -> bytes:
    try:
        return draw(child)
    except UnreadablePictureError as exc:
        raise UnavailableError(
            "The picture could not be made; try again later.",
            retry_after_s=RETRY_AFTER_S,
        ) from exc


@contextmanager
def _problems() -> Iterator[None]:
    """Within the block, turn the error of a query parameter into the one for callers."""
    try:
        yield
    except PictureParameterError as exc:
        message = f"{exc}"
        problem = FieldError(
            message=message, location=f"query.{exc.name}", value=exc.value
        )
        raise InvalidParametersError(
            message, errors=[problem], rule=PlaybackRule.PICTURE_MOMENT
        ) from exc
