"""
Issue thumbnail tokens, and give the same token again for an hour.

Signing costs 30 us, and a page of a list has up to a hundred thumbnails. An address that
stays the same also lets browsers keep the picture.
"""

import threading
from datetime import UTC, datetime
from typing import Final

from hvcore.domain.ids import PublicId, VideoId
from hvcore.domain.limits import THUMBNAIL_TOKEN_VALID_S
from hvcore.playback_tokens import KeyRing, TokenUse

SAME_FOR_S: Final = 3600
"""How long the same token is given; it is valid for so much longer than a day."""
MAX_TOKENS: Final = 20_000
"""Tokens kept in memory, about 15 MB."""


class ThumbnailTokens:
    """Issue tokens that open the thumbnails of private videos; thread-safe."""

    def __init__(self, key_ring: KeyRing) -> None:
        self._key_ring = key_ring
        self._issued_at_unix = 0
        self._tokens: dict[VideoId, str] = {}
        # Held for no signing: two threads may make one token, and it is equal.
        self._lock = threading.Lock()

    def issue(self, video_id: VideoId, public_id: PublicId, now: datetime) -> str:
        """Return a token for a video's thumbnails that is valid for 24 to 25 hours from now."""
        now_unix = int(now.timestamp())
        issued_at_unix = now_unix - now_unix % SAME_FOR_S
        with self._lock:
            if issued_at_unix != self._issued_at_unix:
                self._tokens = {}
                self._issued_at_unix = issued_at_unix
            tokens = self._tokens
            found = tokens.get(video_id)
        if found is not None:
            return found
        token = self._key_ring.issue(
            video_id=video_id,
            public_id=public_id,
            valid_s=THUMBNAIL_TOKEN_VALID_S + SAME_FOR_S,
            use=TokenUse.THUMBNAIL,
            now=datetime.fromtimestamp(issued_at_unix, UTC),
        )
        with self._lock:
            # Of that hour: a token of the last one may come late.
            if len(tokens) >= MAX_TOKENS:
                tokens.pop(next(iter(tokens)))
            tokens[video_id] = token
        return token
