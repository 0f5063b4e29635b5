"""
A cache of long text answers compressed with gzip, for all requests.

To compress one text takes up to 0.2 s. So a thread does it, for one text at a time. Other
requests meanwhile get the text uncompressed, which is correct but has more bytes.
"""

import gzip
import threading
from typing import Final

from hvcore.services.playback.shared_texts import FilledText, PiecewiseBody
from hvcore.services.playback.text_cache import MAX_LONG_TEXT_BYTES, TextCache
from hvcore_web.compression.shared_gzip import SharedGzip

MAX_CACHED_BYTES: Final = 16 * 1024 * 1024
"""The most bytes of compressed texts in memory: about 500 playlists of twelve hours."""
_NOT_COMPRESSED: Final = b""


class NotPreparedError(Exception):
    """A text is not in the cache of compressed texts, and the caller does not wait for compression."""


class CompressedTexts:
    """A cache of gzip-compressed long texts; it compresses a missing text when needed; thread-safe."""

    def __init__(self) -> None:
        self._cache: TextCache[SharedGzip | bytes] = TextCache(
            MAX_CACHED_BYTES, MAX_LONG_TEXT_BYTES
        )
        self._making = threading.Lock()

    def find(
        self, body: bytes | FilledText, etag: str, *, waits: bool
    ) -> bytes | PiecewiseBody | None:
        """
        Return the gzip form of a text, or None if the text is to be sent uncompressed.

        Args:
            etag: The text's entity tag; it differs whenever the bytes differ.
            waits: Whether the caller waits while the text is compressed.

        Raises:
            NotPreparedError: The text would have to be compressed now, and waits is
                False.
        """
        key, token = etag, b""
        if isinstance(body, FilledText):
            token = body.token
            key = f"{body.template.etag} {len(token)}"
        cached = self._cache.get(key)
        if cached is None:
            cached = self._make(key, body, waits=waits)
        if isinstance(cached, SharedGzip):
            return cached.filled(token)
        return cached or None

    def _make(
        self, key: str, body: bytes | FilledText, *, waits: bool
    ) -> SharedGzip | bytes:
        if not self._making.acquire(blocking=False):
            return _NOT_COMPRESSED
        try:
            if not waits:
                raise NotPreparedError
            made: SharedGzip | bytes | None
            if isinstance(body, FilledText):
                made = SharedGzip.make(body.template, len(body.token))
            else:
                # No time in the header, or equal texts would differ in bytes.
                made = gzip.compress(body, mtime=0)
            cached = made if made is not None else _NOT_COMPRESSED
            self._cache.put(key, cached)
            return cached
        finally:
            self._making.release()
