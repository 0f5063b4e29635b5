"""
Edge keys and share links: web addresses that play one video without an API key.

Source: the interface document, "Delivery" and "share".
"""

from datetime import datetime, timedelta
from typing import Final

import attrs

from hvcore.domain.ids import EdgeKeyId, EnvId, OrgId, ShareLinkId, VideoId

DEFAULT_SHARE_HOURS: Final = 24
MAX_SHARE_HOURS: Final = 720
MAX_VIEWS: Final = 1_000_000_000
"""Far above what is needed, far below what databases count with."""
MAX_SHARE_LABEL_CHARS: Final = 100
MAX_EMAIL_CHARS: Final = 254
"""RFC 5321, section 4.5.3.1.3, without the angle brackets."""

MAX_GUESSES: Final = 10
"""
Addresses that one client names in the window, so that nobody has others' pages and
databases work without end.
"""
GUESS_WINDOW: Final = timedelta(hours=1)


@attrs.frozen(kw_only=True)
class EdgeKey:
    """
    Permit playback of one video by a lasting address, such as for a web site's player.

    Attributes:
        domains: The domains of the pages that may play the video; empty for every page.
        expires_at: When the edge key stops working; None for never.
    """

    id: EdgeKeyId
    org_id: OrgId
    env_id: EnvId
    video_id: VideoId
    domains: tuple[str, ...]
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None

    def is_valid_at(self, now: datetime) -> bool:
        """Return whether the edge key works at a moment: neither revoked nor expired."""
        return not (self.is_revoked_at(now) or self.is_expired_at(now))

    def is_revoked_at(self, now: datetime) -> bool:
        """Return whether the edge key is revoked at a moment."""
        return self.revoked_at is not None and now >= self.revoked_at

    def is_expired_at(self, now: datetime) -> bool:
        """Return whether the edge key has expired at a moment."""
        return self.expires_at is not None and now >= self.expires_at


@attrs.frozen(kw_only=True)
class ShareLink:
    """
    Permit some viewers to play one video for a limited time.

    Attributes:
        max_views: How many playback sessions may begin; None for any number.
        views: How many playback sessions have begun.
        viewer_email: The mail address of the only viewer who may watch; None for
            everybody.
        label: What its makers call the link; no viewer sees it.
    """

    id: ShareLinkId
    org_id: OrgId
    env_id: EnvId
    video_id: VideoId
    created_at: datetime
    expires_at: datetime
    max_views: int | None = None
    views: int = 0
    viewer_email: str | None = attrs.field(default=None, repr=False)
    label: str = attrs.field(default="", repr=False)
    revoked_at: datetime | None = None

    def is_valid_at(self, now: datetime) -> bool:
        """Return whether begun playback may go on: the link is not expired or revoked."""
        return now < self.expires_at and not self.is_revoked_at(now)

    def is_revoked_at(self, now: datetime) -> bool:
        """Return whether the share link is revoked at a moment."""
        return self.revoked_at is not None and now >= self.revoked_at

    @property
    def has_views_left(self) -> bool:
        """Whether one more playback session may begin."""
        return self.max_views is None or self.views < self.max_views
