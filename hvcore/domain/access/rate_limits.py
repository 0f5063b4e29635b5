"""
Rate limits: how many requests an organization may make in a period of time.

Source: the interface document, "Limits". Windows slide: a request counts until exactly one
window later.
"""

from datetime import datetime
from enum import Enum

import attrs


class Bucket(Enum):
    """
    Name the kinds of requests that rate limits count.

    Every request with an API key also counts as ``API``.
    """

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
    SIGN_IN_MAILS = "sign-in-mails"
    """Mails with sign-in links that a client address asks for."""
    BULK_QUESTIONS = "bulk-questions"
    """Questions about all found videos that a person asks on the dashboard."""


@attrs.frozen(kw_only=True)
class RateLimit:
    """Limit the number of requests of one bucket within a sliding window of seconds."""

    bucket: Bucket
    requests: int
    window_s: int


@attrs.frozen(kw_only=True)
class RateLimitRule:
    """
    Apply a rate limit to the requests of one organization, key or other subject.

    Attributes:
        subject: Whose requests are counted: the organization's id, or the key's id for
            a limit per key.
    """

    limit: RateLimit
    subject: str


@attrs.frozen(kw_only=True)
class RateLimitState:
    """
    Tell whether a rate limit allowed a request, and how many requests remain.

    Attributes:
        remaining: How many more requests the limit allows now.
        reset_at: If no request remains, the moment from which the next one is allowed;
            else the moment at which the oldest request leaves the window. If the window
            is empty, some moment up to one window from now.
    """

    rule: RateLimitRule
    is_allowed: bool
    remaining: int
    reset_at: datetime
