"""Read the files of a video from the storage by the names that its playlists give them."""

import time
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Final

import attrs

from hvcore.conformance import Piece, UnreadableError
from hvcore.domain.processing.media_index import MediaIndex
from hvcore.errors import UnavailableError
from hvcore.manifests.dash import MANIFEST
from hvcore.ports.storage import ObjectNotFoundError, Storage
from hvcore.services.playback.published_files import (
    PublishedManifest,
    PublishedMedia,
    PublishedPlaylist,
    find_published,
    stored_file,
)
from hvcore.services.playback.responses import StoredFile

RETRIED_AFTER_S: Final = (0.1, 0.4)
NO_SUCH_FILE: Final = "The video has no such file."
NOT_STORED: Final = "The file is not in the storage."
DAMAGED: Final = "The file has not the size that it was made with; it is not served."


@attrs.define(kw_only=True, slots=False)
class PublishedSource:
    """
    Read the files that a job is about to publish, by the names that players request.

    Captions are not among these files: they are set and removed without the job.

    Attributes:
        before_reading: Called before each file; an exception that it raises ends the reading.
    """

    storage: Storage
    media_root: str
    media: MediaIndex
    before_reading: Callable[[], None]

    def read(self, name: str, start: int, length: int) -> Piece:
        """
        Read at most ``length`` bytes of a published file, beginning at ``start``.

        Raises:
            UnreadableError: No file of this name is published, or it is damaged.
            UnavailableError: The storage does not answer.
        """
        for wait_s in RETRIED_AFTER_S:
            self.before_reading()
            try:
                return self._read(name, start, length)
            except UnavailableError:
                # Of thousands of requests one may fail.
                time.sleep(wait_s)
        self.before_reading()
        return self._read(name, start, length)

    def _read(self, name: str, start: int, length: int) -> Piece:
        found = find_published(self.media, name)
        try:
            if isinstance(found, PublishedMedia):
                file = stored_file(self.storage, self.media_root, found)
                return piece_of(file, start, length, file_bytes=self._size(file.path))
            if isinstance(found, PublishedPlaylist):
                return self._text(found.name, start, length)
            if isinstance(found, PublishedManifest):
                return self._text(MANIFEST, start, length)
        except ObjectNotFoundError as exc:
            raise UnreadableError(NOT_STORED) from exc
        raise UnreadableError(NO_SUCH_FILE)

    def _text(self, name: str, start: int, length: int) -> Piece:
        path = f"{self.media_root}/{name}"
        size = self._size(path)
        end = min(start + length, size)
        if start >= end:
            return Piece(data=b"", size_bytes=size)
        with self.storage.open(path, start=start, end=end) as file:
            return Piece(data=file.read(end - start), size_bytes=size)

    def _size(self, path: str) -> int:
        known = self._sizes.get(path)
        return self.storage.stat(path).size_bytes if known is None else known

    @cached_property
    def _sizes(self) -> Mapping[str, int]:
        # One listing: asking a remote storage for each would double the requests.
        found = self.storage.walk(self.media_root)
        return {info.path: info.size_bytes for info in found}


def piece_of(file: StoredFile, start: int, length: int, *, file_bytes: int) -> Piece:
    """
    Read a range of a published file, and return its bytes and the size of the whole file.

    Args:
        file_bytes: The size that the storage reports for the stored file.

    Raises:
        UnreadableError: The stored file does not have the size with which it was made.
        ObjectNotFoundError: The file is gone.
    """
    if file_bytes != file.file_bytes:
        raise UnreadableError(DAMAGED)
    end = min(start + length, file.size_bytes)
    if start >= end:
        return Piece(data=b"", size_bytes=file.size_bytes)
    try:
        with file.open(start, end) as opened:
            return Piece(data=opened.read(end - start), size_bytes=file.size_bytes)
    except FileNotFoundError as exc:
        raise ObjectNotFoundError(file.path) from exc
