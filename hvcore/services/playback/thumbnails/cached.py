"""Serve thumbnails that are stored on this machine already, without waiting for a render."""

import hashlib
from collections import OrderedDict
from pathlib import Path
from typing import Final

import attrs

from hvcore.domain.ids import VideoId
from hvcore.domain.media_paths import thumbnails_prefix
from hvcore.domain.videos.moments import PictureFormat
from hvcore.domain.videos.thumbnails import USUAL_THUMBNAILS
from hvcore.ports.storage import Storage, SupportsLocalPath
from hvcore.services.playback.authorization import PlaybackAuthorization
from hvcore.services.playback.moments.serving import read_request, stored_path
from hvcore.services.playback.responses import (
    Lifetime,
    PlaybackResponse,
    StoredFile,
)
from hvcore.services.playback.thumbnails.serving import (
    THUMBNAIL_USES,
    ThumbnailRequest,
)
from hvcore.services.playback.thumbnails.sizes import ThumbnailSize
from hvcore.services.playback.thumbnails.uses import ThumbnailUses
from hvcore.throttling.shares import client_of_address

MAX_KNOWN: Final = 2048
MAX_FILE_BYTES: Final = 512 * 1024
"""The thread of all connections reads a file once, for its entity tag: 0.4 ms. Most animations
are larger, and are served by other threads."""


@attrs.frozen
class _Known:
    version: tuple[int, int]
    stored: StoredFile
    etag: str


@attrs.frozen(kw_only=True)
class CachedThumbnails:
    """
    Serve stored thumbnails of this machine; for one thread.

    Attributes:
        uses: The same object that Thumbnails uses to choose which sizes to remove.
    """

    storage: Storage
    access: PlaybackAuthorization
    uses: ThumbnailUses
    _known: OrderedDict[str, _Known] = attrs.field(
        factory=OrderedDict, init=False, eq=False, repr=False
    )

    def open(self, request: ThumbnailRequest) -> PlaybackResponse | None:
        """
        Return the response with a stored thumbnail; None if it is not stored on this machine.

        Raises:
            HvError: The viewer may not watch the video, or the request is invalid, as
                in ``Thumbnails.open``.
        """
        wanted = read_request(request.name, request.query)
        video = self.access.either(request.video, request.viewer, THUMBNAIL_USES)
        is_usual = request.name in USUAL_THUMBNAILS
        if not isinstance(wanted, ThumbnailSize):
            path, is_usual = stored_path(video, wanted), False
        elif video.poster_path is not None:
            folder = thumbnails_prefix(VideoId(video.id), video.poster_path)
            path = f"{folder}/{request.name}"
        else:
            return None
        known = self._find(path)
        if known is None:
            return None
        if not is_usual:
            self.uses.note(path, client_of_address(request.viewer.address))
        return PlaybackResponse(
            body=known.stored,
            content_type=PictureFormat(path.rpartition(".")[2]).content_type,
            etag=known.etag,
            lifetime=Lifetime.PICTURE,
            is_public=video.claims is None,
        )

    def _find(self, path: str) -> _Known | None:
        local = self._local(path)
        if local is None:
            return None
        try:
            found = local.stat()
        except FileNotFoundError:
            return None
        version = found.st_mtime_ns, found.st_size
        known = self._known.get(path)
        if known is not None and known.version == version:
            return known
        if not 0 < found.st_size <= MAX_FILE_BYTES:
            return None
        made = _Known(
            version,
            StoredFile(storage=self.storage, path=path, file_bytes=found.st_size),
            _etag(local),
        )
        self._known[path] = made
        if len(self._known) > MAX_KNOWN:
            self._known.popitem(last=False)
        return made

    def _local(self, path: str) -> Path | None:
        if not isinstance(self.storage, SupportsLocalPath):
            return None
        return self.storage.local_path(path)


def _etag(local: Path) -> str:
    return hashlib.sha256(local.read_bytes()).hexdigest()[:32]
