"""
Requests that create something once, however often they are sent.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

import attrs

ANSWER_RETENTION: Final = timedelta(hours=24)
GRANT_ANSWER_RETENTION: Final = timedelta(hours=1)
"""As long as the upload address in the answer works."""
CLAIMED_FOR: Final = timedelta(seconds=60)
"""Longer than any request runs; then its process is taken for dead."""


@attrs.frozen(kw_only=True)
class IdempotencyScope:
    """
    Within which an ``Idempotency-Key`` stands for one request.

    Attributes:
        env_id: "" where neither the path nor the key names an environment.
        route: Method and address, as the route table has them.
        key: As the caller sent it.
    """

    org_id: str
    env_id: str
    route: str
    key: str


@attrs.frozen(kw_only=True)
class RecordedAnswer:
    """
    The answer to the first request.

    Attributes:
        body: May hold signed addresses.
    """

    status: int
    headers: Mapping[str, str]
    body: str = attrs.field(repr=False)


@attrs.frozen(kw_only=True)
class FirstRequest:
    """
    The first request with a key, while it runs and afterwards.

    Attributes:
        fingerprint: Of everything that makes another request another one.
        claim: Random; whoever knows it runs the request.
        claimed_until: Then another may run it, if it has no answer.
        expires_at: Then the key is free again.
        answer: None while it runs.
    """

    scope: IdempotencyScope
    fingerprint: str
    claim: str
    claimed_until: datetime
    expires_at: datetime
    answer: RecordedAnswer | None = None
