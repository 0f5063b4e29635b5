"""
Serve a video's picture in any size.

Source: interface, "Delivery", thumbnail. A size is made from the poster when
it is first asked for, and kept.
"""

import hashlib
import io
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import attrs

from hvcore.domain.ids import VideoId
from hvcore.domain.limits import (
    MAX_SOURCE_PIXELS,
    MAX_THUMBNAIL_PX,
    MAX_THUMBNAIL_SIZES,
    MIN_THUMBNAIL_PX,
)
from hvcore.domain.playback.decision import kept
from hvcore.domain.playback.rules import PlaybackRule
from hvcore.domain.playback.viewer import Viewer
from hvcore.domain.videos.video import VideoState, thumbnails_prefix
from hvcore.errors import (
    FieldError,
    InvalidParametersError,
    NotFoundError,
    UnavailableError,
    VideoNotFoundError,
)
from hvcore.playback_tokens import TokenUse
from hvcore.ports.storage import ObjectNotFoundError, Storage
from hvcore.services.playback.delivery import Delivery
from hvcore.services.playback.playable import Playable
from hvcore.services.playback.responses import Lifetime, PlaybackResponse

JPEG_TYPE: Final = "image/jpeg"
JPEG_QUALITY: Final = 82
RENDERS_AT_A_TIME: Final = 2
"""A 3840x2160 one takes 0.2 s of a core and 100 MB."""
RENDERS_IN_HAND: Final = 6
"""Those that wait included: each holds a thread that segments need too."""
WAIT_FOR_RENDER_S: Final = 5.0

_TOO_MANY: Final = "Too many pictures are being made; try again soon."
THUMBNAIL_USES: Final = frozenset({TokenUse.PLAYBACK, TokenUse.THUMBNAIL})
_NAME = re.compile(r"([1-9][0-9]{0,5})x([1-9][0-9]{0,5})\.jpg")


@attrs.frozen(kw_only=True)
class ThumbnailRequest:
    """
    A request for a picture.

    Attributes:
        name: ``<width>x<height>.jpg`` as the path has it.
    """

    video: str
    name: str
    viewer: Viewer = Viewer()


@attrs.frozen(kw_only=True)
class Thumbnails:
    """
    Serve pictures of videos.
    """

    storage: Storage
    delivery: Delivery
    _keeping: threading.Lock = attrs.field(factory=threading.Lock, init=False)
    _slots: threading.Semaphore = attrs.field(
        factory=lambda: threading.Semaphore(RENDERS_IN_HAND), init=False
    )
    _renderers: ThreadPoolExecutor = attrs.field(init=False)

    @_renderers.default
    def _make_renderers(self) -> ThreadPoolExecutor:
        # Threads of their own, not those of the requests: the C library keeps
        # freed memory for each thread, which with 32 of them was 1.2 GB.
        return ThreadPoolExecutor(RENDERS_AT_A_TIME, thread_name_prefix="thumbnail")

    def open(self, request: ThumbnailRequest) -> PlaybackResponse:
        """
        Return a picture, cropped to fill its size.

        Raises:
            NotFoundError: The name is none of a picture, or the video has
                none.
            InvalidParametersError: A side is not from 16 to 3840 pixels.
            UnauthorizedError: A private video without a token in force.
            ForbiddenError: A token that does not reach this far.
            VideoNotFoundError: No such video, or none that is ready.
            UnavailableError: Too many pictures are being made.
        """
        width_px, height_px = _size(request.name)
        video = self.delivery.access.either(
            request.video, request.viewer, THUMBNAIL_USES
        )
        if video.poster_path is None:
            raise NotFoundError(
                "The video has no picture yet.", rule=PlaybackRule.NO_PICTURE
            )
        kept(PlaybackRule.NO_PICTURE)
        folder = thumbnails_prefix(VideoId(video.id), video.poster_path)
        path = f"{folder}/{width_px}x{height_px}.jpg"
        picture = self._read(path)
        if picture is None:
            picture = self._render(video.poster_path, width_px, height_px)
            self._keep(video, path, picture)
        return PlaybackResponse(
            body=picture,
            content_type=JPEG_TYPE,
            etag=hashlib.sha256(picture).hexdigest()[:32],
            lifetime=Lifetime.PICTURE,
            is_public=video.claims is None,
        )

    def _render(self, poster_path: str, width_px: int, height_px: int) -> bytes:
        poster = self._read(poster_path)
        if poster is None:
            raise VideoNotFoundError(rule=PlaybackRule.FILES_MISSING)
        if not self._slots.acquire(blocking=False):
            raise UnavailableError(_TOO_MANY)
        try:
            making = self._renderers.submit(crop_to_fill, poster, width_px, height_px)
            return making.result(timeout=WAIT_FOR_RENDER_S)
        except TimeoutError as exc:
            making.cancel()
            raise UnavailableError(_TOO_MANY) from exc
        finally:
            self._slots.release()

    def _keep(self, video: Playable, path: str, picture: bytes) -> None:
        folder = path.rpartition("/")[0]
        with self._keeping:
            if sum(1 for _ in self.storage.walk(folder)) >= MAX_THUMBNAIL_SIZES:
                return
            self.storage.write(path, io.BytesIO(picture), content_type=JPEG_TYPE)
        # A delete may have been answered meanwhile, and its files removed:
        # nothing may come after it.
        entry = self.delivery.directory.find(video.id)
        if entry is None or entry.state is not VideoState.READY:
            self.storage.delete_tree(path)
            raise VideoNotFoundError(rule=PlaybackRule.VIDEO_DELETED)

    def _read(self, path: str) -> bytes | None:
        try:
            with self.storage.open(path) as file:
                return file.read()
        except ObjectNotFoundError:
            return None


def crop_to_fill(picture: bytes, width_px: int, height_px: int) -> bytes:
    """
    Return a JPEG of exactly this size, its middle cut out of the picture.
    """
    # Costs 60 ms to import, and most processes make no pictures.
    from PIL import Image, ImageOps  # noqa: PLC0415

    Image.MAX_IMAGE_PIXELS = MAX_SOURCE_PIXELS
    with Image.open(io.BytesIO(picture), formats=("JPEG", "PNG")) as opened:
        if opened.width * opened.height > MAX_SOURCE_PIXELS:
            raise NotFoundError(
                "The video's picture is too large to be shown.",
                rule=PlaybackRule.NO_PICTURE,
            )
        # Lets the JPEG decoder skip what a small picture does not need; twice
        # the size, so that scaling still has something to work with.
        opened.draft("RGB", (width_px * 2, height_px * 2))
        fitted = ImageOps.fit(opened.convert("RGB"), (width_px, height_px))
    made = io.BytesIO()
    fitted.save(made, "JPEG", quality=JPEG_QUALITY, optimize=True, progressive=True)
    return made.getvalue()


def _size(name: str) -> tuple[int, int]:
    match = _NAME.fullmatch(name)
    if match is None:
        raise NotFoundError(rule=PlaybackRule.NO_SUCH_ADDRESS)
    size = int(match[1]), int(match[2])
    if not all(MIN_THUMBNAIL_PX <= side <= MAX_THUMBNAIL_PX for side in size):
        message = (
            f"Each side of a thumbnail must be from {MIN_THUMBNAIL_PX} to "
            f"{MAX_THUMBNAIL_PX} pixels."
        )
        problem = FieldError(message=message, location="path.size", value=name)
        raise InvalidParametersError(
            message, errors=[problem], rule=PlaybackRule.PICTURE_SIZE
        )
    kept(PlaybackRule.PICTURE_SIZE)
    return size
