"""
Check that a webhook request was sent by the service.

Source: the Standard Webhooks specification, "Verifying signatures".
"""

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping, Sequence
from typing import Final

from hvcore_client.coding import decode
from hvcore_client.errors import WebhookVerificationError
from hvcore_client.generated.models import WebhookEvent

TOLERANCE_S: Final = 300
"""The most seconds that a webhook's time may be off; an older request may be a recorded one."""

_PREFIX: Final = "whsec_"
_VERSION: Final = "v1"


def verify(
    secret: str | Sequence[str],
    headers: Mapping[str, str],
    body: bytes | str,
    *,
    tolerance_s: float = TOLERANCE_S,
    now_unix: float | None = None,
) -> WebhookEvent:
    """
    Check the signature of a webhook request, and return its event.

    Args:
        secret: The secret ``whsec_…`` of the webhook, or several secrets, of which one
            must fit.
        headers: The headers of the request, in upper or lower case.
        body: The body of the request as it arrived, unparsed.
        now_unix: The present time in seconds since 1970; by default that of the clock.

    Raises:
        WebhookVerificationError: The request was not sent by the service, or not within
            tolerance_s of now. Answer it with 400.
        ValueError: A secret is not a webhook secret.
    """
    content = body.encode() if isinstance(body, str) else bytes(body)
    given = {name.lower(): value for name, value in headers.items()}
    event_id, sent_at, signatures = (
        _header(given, name)
        for name in ("webhook-id", "webhook-timestamp", "webhook-signature")
    )
    _check_time(sent_at, now_unix=now_unix, tolerance_s=tolerance_s)
    signed = b".".join((event_id.encode(), sent_at.encode(), content))
    secrets = [secret] if isinstance(secret, str) else list(secret)
    expected = [_signature(_key_of(text), signed) for text in secrets]
    if not _one_is_right(signatures, expected):
        raise WebhookVerificationError("No signature of the request is right.")
    try:
        return decode(WebhookEvent, json.loads(content))
    except ValueError as exc:
        raise WebhookVerificationError("The request is no event.") from exc


def _header(headers: Mapping[str, str], name: str) -> str:
    if not headers.get(name):
        raise WebhookVerificationError(f"The request has no header {name}.")
    return headers[name]


def _check_time(sent_at: str, *, now_unix: float | None, tolerance_s: float) -> None:
    if not sent_at.isascii() or not sent_at.isdecimal() or len(sent_at) > 15:  # noqa: PLR2004 - a number, and no long one
        raise WebhookVerificationError("The header webhook-timestamp is no time.")
    now = time.time() if now_unix is None else now_unix
    if abs(now - int(sent_at)) > tolerance_s:
        raise WebhookVerificationError(
            "The request was signed too long ago, or in the future; is the clock right?"
        )


def _key_of(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix(_PREFIX), validate=True)
    except (ValueError, binascii.Error):
        key = b""
    if not key:
        raise ValueError("The secret is none: it begins with whsec_.") from None
    return key


def _signature(key: bytes, signed: bytes) -> bytes:
    return base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())


def _one_is_right(signatures: str, expected: Sequence[bytes]) -> bool:
    """Return whether any signature matches any expected one, in constant time."""
    found = False
    for text in signatures.split(" "):
        version, _, signature = text.partition(",")
        for right in expected:
            is_same = hmac.compare_digest(signature.encode(), right)
            found |= is_same and version == _VERSION
    return found
