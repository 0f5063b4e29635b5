"""
Keep texts in memory that never change.
"""

import threading
from collections import OrderedDict
from typing import Final

MAX_CACHED_CHARS: Final = 32 * 1024 * 1024
"""Some 2,000 playlists of half an hour."""
MAX_TEXT_CHARS: Final = 512 * 1024
"""Longer ones are read each time: a few of them would drop all others."""


class TextCache:
    """
    Keep texts that never change; thread-safe, bounded.
    """

    def __init__(self, max_chars: int = MAX_CACHED_CHARS) -> None:
        self._max_chars = max_chars
        self._texts: OrderedDict[str, str] = OrderedDict()
        self._chars = 0
        self._lock = threading.Lock()

    def get(self, key: str) -> str | None:
        """
        Return a text, None if it is not kept.
        """
        with self._lock:
            text = self._texts.get(key)
            if text is not None:
                self._texts.move_to_end(key)
            return text

    def put(self, key: str, text: str) -> None:
        """
        Keep a text unless it is very long; drop what was not asked for longest.
        """
        if len(text) > MAX_TEXT_CHARS:
            return
        with self._lock:
            self._chars += len(text) - len(self._texts.pop(key, ""))
            self._texts[key] = text
            while self._chars > self._max_chars:
                _, dropped = self._texts.popitem(last=False)
                self._chars -= len(dropped)
