"""Count requests in moving windows in the memory of one process."""

import threading
from collections import deque
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import repeat
from typing import Final

from hvcore.plugin_api import Clock, RateLimitRule, RateLimitState, RateLimitStore

FIRST_TIDYING_AT: Final = 1_000
"""The number of windows at which empty ones are first removed; each takes a few hundred bytes."""


class MemoryWindows(RateLimitStore):
    """A rate limit store in the memory of one process, for a single process or for trying out."""

    def __init__(self, *, clock: Clock) -> None:
        self._clock = clock
        # One lock for all: a request's rules are counted together or not.
        self._lock = threading.Lock()
        self._windows: dict[tuple[str, str, int], deque[float]] = {}
        self._tidies_at = FIRST_TIDYING_AT

    def hit(self, rules: Sequence[RateLimitRule]) -> Sequence[RateLimitState]:
        with self._lock:
            now = self._clock.now().timestamp()
            windows = [self._window(rule, now) for rule in rules]
            have_room = [
                len(window) < rule.limit.requests
                for rule, window in zip(rules, windows, strict=True)
            ]
            if all(have_room):
                # In one step of the interpreter: no signal comes in between.
                deque(map(deque.append, windows, repeat(now)), maxlen=0)
            return [
                _state(rule, window, now, has_room=has_room)
                for rule, window, has_room in zip(
                    rules, windows, have_room, strict=True
                )
            ]

    def _window(self, rule: RateLimitRule, now: float) -> deque[float]:
        window_s = rule.limit.window_s
        key = (rule.limit.bucket.value, rule.subject, window_s)
        window = self._windows.get(key)
        if window is None:
            if len(self._windows) >= self._tidies_at:
                self._tidy(now)
            window = self._windows[key] = deque()
        while window and window[0] <= now - window_s:
            window.popleft()
        return window

    def _tidy(self, now: float) -> None:
        active = {
            key: window
            for key, window in self._windows.items()
            if window and window[-1] > now - key[2]
        }
        self._windows = active
        # Twice as many: what tidying costs is spread over as many new windows.
        self._tidies_at = max(FIRST_TIDYING_AT, 2 * len(active))


def _state(
    rule: RateLimitRule, window: deque[float], now: float, *, has_room: bool
) -> RateLimitState:
    limit = rule.limit
    remaining = max(0, limit.requests - len(window))
    # A limit that was lowered leaves more in the window than it allows.
    surplus = max(0, len(window) - max(limit.requests, 1))
    leaves_at = window[surplus] + limit.window_s if window else now
    if not window and not remaining:
        leaves_at = now + limit.window_s
    return RateLimitState(
        rule=rule,
        is_allowed=has_room,
        remaining=remaining,
        reset_at=datetime.fromtimestamp(leaves_at, UTC),
    )
