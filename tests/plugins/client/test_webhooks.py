"""
Webhooks of the service are believed, and nothing else is.
"""

import json
from collections.abc import Mapping
from datetime import UTC, datetime

import pytest

from hvcore.services.webhooks.signing import headers_of
from hvcore_api.openapi.examples import EXAMPLES
from hvcore_client import WebhookVerificationError, webhooks

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
OTHER = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
NOW = 1_790_000_000
BODY = json.dumps(EXAMPLES["WebhookEvent"], separators=(",", ":"))


def signed(*secrets: str, body: str = BODY) -> Mapping[str, str]:
    """The headers as the service writes them."""
    moment = datetime.fromtimestamp(NOW, UTC)
    return headers_of("evt_1", body, secrets=secrets or (SECRET,), now=moment)


@pytest.mark.parametrize("body", [BODY, BODY.encode()])
def test_what_the_service_signed_is_an_event(body: str | bytes) -> None:
    event = webhooks.verify(SECRET, signed(), body, now_unix=NOW + 200)

    assert event.event == "video.processing.started"
    assert event.timestamp.year == 2026
    assert event.playback is not None


def test_names_of_headers_may_be_written_as_anybody_likes() -> None:
    headers = {name.title(): value for name, value in signed().items()}

    assert webhooks.verify(SECRET, headers, BODY, now_unix=NOW)


def test_one_of_several_signatures_is_enough() -> None:
    headers = signed(OTHER, SECRET)

    assert webhooks.verify(SECRET, headers, BODY, now_unix=NOW)
    assert webhooks.verify([OTHER], headers, BODY, now_unix=NOW)
    assert webhooks.verify([OTHER, SECRET], signed(), BODY, now_unix=NOW)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"webhook-signature": ""}, "no header webhook-signature"),
        ({"webhook-signature": "v1,"}, "No signature"),
        ({"webhook-signature": "v1,äöü"}, "No signature"),
        ({"webhook-signature": "v1a," + "A" * 44}, "No signature"),
        ({"webhook-id": "evt_2"}, "No signature"),
        ({"webhook-timestamp": "soon"}, "is no time"),
        ({"webhook-timestamp": "-1"}, "is no time"),
        ({"webhook-timestamp": "9" * 5000}, "is no time"),
        ({"webhook-timestamp": str(NOW - 1)}, "No signature"),
    ],
)
def test_a_webhook_with_a_changed_header_is_refused(
    change: Mapping[str, str], words: str
) -> None:
    with pytest.raises(WebhookVerificationError, match=words):
        webhooks.verify(SECRET, {**signed(), **change}, BODY, now_unix=NOW)


def test_another_version_of_the_same_signature_is_refused() -> None:
    signature = signed()["webhook-signature"].replace("v1,", "v2,")

    with pytest.raises(WebhookVerificationError, match="No signature"):
        webhooks.verify(
            SECRET, {**signed(), "webhook-signature": signature}, BODY, now_unix=NOW
        )


def test_another_body_or_secret_is_refused() -> None:
    with pytest.raises(WebhookVerificationError, match="No signature"):
        webhooks.verify(SECRET, signed(), BODY + " ", now_unix=NOW)
    with pytest.raises(WebhookVerificationError, match="No signature"):
        webhooks.verify(OTHER, signed(), BODY, now_unix=NOW)


@pytest.mark.parametrize("off_s", [-301, 301])
def test_a_recorded_request_is_refused(off_s: int) -> None:
    with pytest.raises(WebhookVerificationError, match="too long ago"):
        webhooks.verify(SECRET, signed(), BODY, now_unix=NOW + off_s)
    assert webhooks.verify(
        SECRET, signed(), BODY, tolerance_s=400, now_unix=NOW + off_s
    )


def test_what_is_signed_but_no_event_is_refused() -> None:
    with pytest.raises(WebhookVerificationError, match="no event"):
        webhooks.verify(SECRET, signed(body="[]"), "[]", now_unix=NOW)


@pytest.mark.parametrize("secret", ["", "whsec_", "whsec_%%%", "whsec_Ä"])
def test_a_secret_that_is_none_is_told_without_being_shown(secret: str) -> None:
    with pytest.raises(ValueError, match="begins with whsec_") as refused:
        webhooks.verify(secret, signed(), BODY, now_unix=NOW)

    assert "%%%" not in str(refused.value)
