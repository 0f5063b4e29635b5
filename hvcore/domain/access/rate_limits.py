"""
Rate limits: how many requests of a kind an organization may make in a time.

Source: interface, "Limits". Windows slide: a request counts until exactly one
window later.
"""

from datetime import datetime
from enum import Enum

import attrs


class Bucket(Enum):
    """The kinds of requests that are counted together; all with a key are ``API``, too."""

    API = "api"
    UPLOAD_URL = "upload-url"
    UPLOAD_URL_OF_KEY = "upload-url-of-key"
    VIDEO_OPERATIONS = "video-operations"
    ANALYTICS = "analytics"
    THUMBNAILS = "thumbnails"
    KEY_OPERATIONS = "key-operations"
    """Those of the dashboard; the command line has no limit."""
    SIGN_INS = "sign-ins"
    """Of a client address, before anybody is recognised."""


@attrs.frozen(kw_only=True)
class RateLimit:
    """At most this many requests within a sliding window."""

    bucket: Bucket
    requests: int
    window_s: int


@attrs.frozen(kw_only=True)
class RateLimitRule:
    """
    A limit, and whose requests it counts.

    Attributes:
        subject: The organization's id, or the key's for a limit per key.
    """

    limit: RateLimit
    subject: str


@attrs.frozen(kw_only=True)
class RateLimitState:
    """
    The state of a rate limit after a request.

    Attributes:
        remaining: How many more requests it lets through now.
        reset_at: When the next request is allowed if none remains, else when
            the oldest leaves the window. Of an empty window, some moment from now to one
            window later.
    """

    rule: RateLimitRule
    is_allowed: bool
    remaining: int
    reset_at: datetime
