"""
Write down which rule refused a playback, so that it can be explained later.

One line for each refusal, and so many at the most that no flood of requests
fills a disk or drives everything else out of the log.
"""

import logging
import re
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Final

import attrs

from hvcore.domain.playback.rules import PlaybackRule

WINDOW_S: Final = 60.0
LINES_OF_ONE: Final = 10
"""In a window, of one rule and client: a player that tries again and again."""
LINES_IN_ALL: Final = 300
"""In a window: about 60 KB, so that 10 MB of log hold the last two hours."""
MAX_PATH_CHARS: Final = 200

_log = logging.getLogger(__name__)

# Who copies an address by halves asks for "/master.m3u8%3Ftoken=…".
_QUERY = re.compile(r"[?#&;]|token=", re.IGNORECASE)
_CREDENTIAL = re.compile(r"(ek_|shr_|hv_live_|hv_test_)([0-9A-Za-z]{6})[0-9A-Za-z]+")
# Longer than any name of ours, and too short for what is left of a token.
_LONG_NAME = re.compile(r"([^/]{12})[^/]{29,}")


@attrs.frozen(kw_only=True)
class PlaybackRefusal:
    """
    A request that was refused.

    Attributes:
        path: As it was sent, decoded; with whatever it holds.
    """

    request_id: str
    rule: PlaybackRule
    status: int
    path: str


class RefusalLog:
    """
    Write down refusals; thread-safe.

    Args:
        now_s: Seconds that never go back.
    """

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        self._now_s = now_s
        self._lock = threading.Lock()
        self._began_s = now_s()
        self._lines: Counter[tuple[PlaybackRule, str]] = Counter()
        self._unwritten = 0

    def write(self, refusal: PlaybackRefusal, client: str) -> None:
        """
        Write a refusal down, unless there were too many of late.

        Args:
            client: Where the request came from; it is not written down.
        """
        with self._lock:
            missed = self._begin_window()
            is_written = self._has_room((refusal.rule, client))
        if missed:
            _log.info("playback refusals not written", extra={"hv_count": missed})
        if is_written:
            extra = {
                "hv_request_id": refusal.request_id,
                "hv_rule": refusal.rule.id,
                "hv_status": refusal.status,
                "hv_path": shown_path(refusal.path),
            }
            _log.info("playback refused", extra=extra)

    def _begin_window(self) -> int:
        """
        Begin to count anew if it is time; return how many went unwritten.
        """
        now_s = self._now_s()
        if now_s - self._began_s < WINDOW_S:
            return 0
        missed, self._unwritten = self._unwritten, 0
        self._began_s = now_s
        self._lines.clear()
        return missed

    def _has_room(self, key: tuple[PlaybackRule, str]) -> bool:
        # Only what is written is counted: so many keys are the most.
        is_full = self._lines.total() >= LINES_IN_ALL
        if is_full or self._lines[key] >= LINES_OF_ONE:
            self._unwritten += 1
            return False
        self._lines[key] += 1
        return True


def shown_path(path: str) -> str:
    """
    Return a path without what gives access: tokens, and most of edge keys.
    """
    whole = _QUERY.split(path, maxsplit=1)[0]
    shown = _CREDENTIAL.sub(r"\1\2…", whole)
    shown = _LONG_NAME.sub(r"\1…", shown)
    if len(shown) > MAX_PATH_CHARS or whole != path:
        return f"{shown[:MAX_PATH_CHARS]}…"
    return shown
