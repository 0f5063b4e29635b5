"""Requests that create something once, however often they are sent."""

import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

import attrs

ANSWER_RETENTION: Final = timedelta(hours=24)
GRANT_ANSWER_RETENTION: Final = timedelta(hours=1)
"""As long as the upload address in the answer works."""
CLAIMED_FOR: Final = timedelta(seconds=60)
"""Longer than any request runs; then its process is taken for dead."""
PERSONAL_MEMBERS: Final = frozenset(
    {
        *("videoName", "vidName", "name", "fileName", "description"),
        *("externalID", "tags", "metadata", "chapters", "captions"),
        *("title", "label", "text", "failureReason", "warnings"),
        *("videoURL", "sourceUrl", "sourceURL", "viewerEmail"),
        # What a refusal repeats of the request.
        "value",
    }
)
"""Members of answers that go when the files of their video go."""


@attrs.frozen(kw_only=True)
class IdempotencyScope:
    """
    The scope within which an ``Idempotency-Key`` stands for one request.

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
        video_id: Whom it is about, by either id, if it has members that go with the
            video.
    """

    status: int
    headers: Mapping[str, str]
    body: str = attrs.field(repr=False)
    video_id: str | None = None


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


def without_personal_members(body: str) -> str:
    """
    Return the JSON text of an answer without PERSONAL_MEMBERS, at whatever depth.

    What is no JSON stays as it is, and so does a text that has none of them.
    """
    try:
        answer = json.loads(body)
    except ValueError:
        return body
    kept = _without(answer)
    if kept == answer:
        return body
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":"))


def _without(value: object) -> object:
    if isinstance(value, dict):
        return {
            name: _without(of)
            for name, of in value.items()
            if name not in PERSONAL_MEMBERS or of is None
        }
    if isinstance(value, list):
        return [_without(one) for one in value]
    return value
