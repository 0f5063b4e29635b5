"""
Idempotency keys: a request that creates something and is repeated creates it only once.

The answer to the first request is recorded, and repeated requests get that answer.
"""

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
        *("externalID", "tags", "metadata", "chapters", "captions", "jobs"),
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
    Identify the request that an ``Idempotency-Key`` stands for.

    Attributes:
        env_id: The environment; "" if neither the path nor the API key names one.
        route: The HTTP method and the address pattern, such as ``POST /v1/videos/process``.
        key: The value of the header ``Idempotency-Key``, as the caller sent it.
    """

    org_id: str
    env_id: str
    route: str
    key: str


@attrs.frozen(kw_only=True)
class RecordedAnswer:
    """
    Record the HTTP answer to the first request with an idempotency key.

    Attributes:
        body: The body of the answer; it may hold signed addresses.
        video_id: The ``vid_`` or ``pubvid_`` id of the video that the answer describes,
            if the body has members that must be erased when that video is deleted.
    """

    status: int
    headers: Mapping[str, str]
    body: str = attrs.field(repr=False)
    video_id: str | None = None


@attrs.frozen(kw_only=True)
class FirstRequest:
    """
    Record the first request with an idempotency key, while it runs and afterwards.

    Attributes:
        fingerprint: A hash of the parts of the request that a repetition must have in
            common with the first request.
        claim: A random text; only the process that knows it may run the request.
        claimed_until: The moment from which another process may run the request if
            there is no answer yet.
        expires_at: The moment from which the idempotency key may be used for a new
            request.
        answer: The recorded answer; None while the request runs.
    """

    scope: IdempotencyScope
    fingerprint: str
    claim: str
    claimed_until: datetime
    expires_at: datetime
    answer: RecordedAnswer | None = None


def without_personal_members(body: str) -> str:
    """
    Return an answer's JSON text without the members that hold personal data, at any depth.

    PERSONAL_MEMBERS names those members. A text that is no JSON, or has no such members, is
    returned unchanged.
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
