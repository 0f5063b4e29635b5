"""
Write and sign webhook requests, and judge the responses of endpoints.

Source: the Standard Webhooks specification; RFC 9110, section 10.2.3.
"""

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

from standardwebhooks.webhooks import Webhook

from hvcore import __version__
from hvcore.domain.webhooks.deliveries import MAX_RETRY_AFTER, Outcome
from hvcore.domain.webhooks.events import StoredEvent
from hvcore.safe_http import OutboundResponse
from hvcore.settings import PublicSettings
from hvcore.wire.webhooks import events as wire

USER_AGENT = f"hvcore/{__version__} (webhooks)"


def body_of(stored: StoredEvent, public: PublicSettings) -> str:
    """Return the JSON body of an event's webhook request, with the same bytes each time."""
    return json.dumps(rendered(stored, public), separators=(",", ":"))


def rendered(stored: StoredEvent, public: PublicSettings) -> dict[str, object]:
    """Return an event as the JSON data that webhook endpoints get."""
    return wire.event(
        stored, worker_url=public.worker_url, player_url=public.player_url
    )


def headers_of(
    event_id: str, body: str, *, secrets: Iterable[str], now: datetime
) -> Mapping[str, str]:
    """
    Return the headers of one webhook request, with its signatures.

    Args:
        event_id: The id of the event, by which the receiver recognises repetitions.
        body: The JSON body of the request, which is signed.
        secrets: The endpoint's secrets; each adds a signature, so that the receiver
            needs only one of them.
    """
    signatures = [Webhook(secret).sign(event_id, now, body) for secret in secrets]
    return {
        "Content-Type": "application/json",
        "User-Agent": USER_AGENT,
        "webhook-id": event_id,
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": " ".join(signatures),
    }


def outcome_of(answer: OutboundResponse, *, now: datetime) -> Outcome:
    """Return the outcome of a webhook attempt, from the endpoint's response."""
    found = Outcome(status=answer.status)
    if found.is_success:
        return found
    redirects = 300 <= answer.status < 400  # noqa: PLR2004 - the class of redirects
    return Outcome(
        status=answer.status,
        error=f"The endpoint answered {answer.status}"
        + ("; redirects are not followed." if redirects else "."),
        retry_after=_retry_after(answer.headers.get("retry-after"), now),
    )


def _retry_after(text: str | None, now: datetime) -> timedelta | None:
    """Read seconds or a date; what is neither counts as absent."""
    text = (text or "").strip()
    if text.isascii() and text.isdecimal():
        longest_s = int(MAX_RETRY_AFTER.total_seconds())
        digits = text.lstrip("0") or "0"
        # int() refuses thousands of digits.
        is_short = len(digits) <= len(str(longest_s))
        return timedelta(seconds=min(int(digits), longest_s) if is_short else longest_s)
    try:
        moment = parsedate_to_datetime(text)
    except (TypeError, ValueError, OverflowError):
        return None
    if moment.tzinfo is None:
        # "-0000", by RFC 5322 a time in UTC of unknown origin.
        moment = moment.replace(tzinfo=UTC)
    return max(moment - now, timedelta())
