"""Cache texts that never change, in memory."""

import threading
from collections import OrderedDict
from collections.abc import Sized
from typing import Final, Generic, TypeVar

MAX_CACHED_BYTES: Final = 32 * 1024 * 1024
"""Room for some 2,000 playlists of half an hour."""
MAX_TEXT_BYTES: Final = 512 * 1024
"""
A few longer ones would drop all others. A playlist of twelve hours, the longest
video, has 400 kB.
"""
MAX_LONG_TEXT_BYTES: Final = 4 * 1024 * 1024
"""Of long texts, which have a cache of their own: the longest captions; still longer ones are read each time."""

Text = TypeVar("Text", bound=Sized)


class TextCache(Generic[Text]):
    """
    Cache texts that never change, with a bound on their size; thread-safe.

    Args:
        max_bytes: The most bytes of all texts together.
        max_text_bytes: The most bytes of one text; longer ones are not cached.
    """

    def __init__(
        self,
        max_bytes: int = MAX_CACHED_BYTES,
        max_text_bytes: int = MAX_TEXT_BYTES,
    ) -> None:
        self._max_bytes = max_bytes
        self._max_text_bytes = max_text_bytes
        self._texts: OrderedDict[str, Text] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def get(self, key: str) -> Text | None:
        """Return the cached text with a key; None if it is not cached."""
        with self._lock:
            text = self._texts.get(key)
            if text is not None:
                self._texts.move_to_end(key)
            return text

    def put(self, key: str, text: Text) -> None:
        """Cache a text unless it is too long; drop the least recently used texts to make room."""
        if len(text) > self._max_text_bytes:
            return
        with self._lock:
            before = self._texts.pop(key, None)
            self._bytes += len(text) - (0 if before is None else len(before))
            self._texts[key] = text
            while self._bytes > self._max_bytes:
                _, dropped = self._texts.popitem(last=False)
                self._bytes -= len(dropped)
