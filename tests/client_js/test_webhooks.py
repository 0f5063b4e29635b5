"""
Webhooks are believed if the service has signed them.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pytest

from hvcore.services.webhooks.signing import headers_of
from tests.client_js.running import run

SECRET: Final = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
OTHER: Final = "whsec_" + "QUJDRA" * 8
BODY: Final = '{"event":"video.processing.completed","videoId":"vid_1","name":"é"}'
EVENT: Final = {"event": "video.processing.completed", "videoId": "vid_1", "name": "é"}
VERIFY: Final = "hv.verifyWebhook(given.secret, given.headers, given.body)"


def sent(
    *secrets: str, body: str = BODY, ago: timedelta = timedelta(0)
) -> Mapping[str, str]:
    return headers_of("evt_1", body, secrets=secrets, now=datetime.now(UTC) - ago)


def verify(script: str = f"return {VERIFY};", **given: object) -> Any:  # noqa: ANN401 - JSON data
    return run(script, **{"secret": SECRET, "body": BODY, **given})


def test_what_the_service_signed_is_its_event() -> None:
    assert verify(headers=sent(SECRET)) == EVENT


@pytest.mark.parametrize(
    "script",
    [
        "return hv.verifyWebhook(given.secret, new Headers(given.headers), given.body);",
        "return hv.verifyWebhook(given.secret, given.headers, Buffer.from(given.body));",
        "return hv.verifyWebhook(given.secret, given.headers, new TextEncoder().encode(given.body).buffer);",
        """
        const headers = Object.entries(given.headers).map(([name, value]) => [name.toUpperCase(), [value]]);
        return hv.verifyWebhook([given.secret], Object.fromEntries(headers), given.body);
        """,
    ],
)
def test_headers_and_bodies_are_taken_as_frameworks_have_them(script: str) -> None:
    assert verify(script, headers=sent(SECRET)) == EVENT


def test_while_a_secret_is_replaced_either_will_do() -> None:
    headers = sent(OTHER, SECRET)

    assert verify(headers=headers) == EVENT
    assert verify(headers=headers, secret=OTHER) == EVENT
    assert verify(headers=sent(OTHER), secret=[SECRET, OTHER]) == EVENT


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"body": BODY.replace("vid_1", "vid_2")}, "not signed with this secret"),
        ({"secret": OTHER}, "not signed with this secret"),
        ({"headers": sent(SECRET, ago=timedelta(minutes=6))}, "more than 300 s off"),
        ({"headers": sent(SECRET, ago=timedelta(minutes=-6))}, "more than 300 s off"),
        ({"headers": {**sent(SECRET), "webhook-id": "evt_2"}}, "not signed"),
        ({"headers": {**sent(SECRET), "webhook-signature": "v1,"}}, "not signed"),
        ({"headers": {**sent(SECRET), "webhook-signature": "v1,%%"}}, "not signed"),
        ({"headers": {**sent(SECRET), "webhook-timestamp": "soon"}}, "300 s off"),
        ({"headers": {"webhook-id": "evt_1"}}, "webhook-timestamp is missing"),
    ],
)
def test_anything_else_is_not_believed(change: dict[str, object], said: str) -> None:
    thrown = verify(f"return caught({VERIFY});", **{"headers": sent(SECRET), **change})

    assert thrown["name"] == "WebhookVerificationError"
    assert said in thrown["message"]


def test_old_ones_are_believed_if_the_program_wants() -> None:
    headers = sent(SECRET, ago=timedelta(minutes=6))
    script = "return hv.verifyWebhook(given.secret, given.headers, given.body, { toleranceS: 400 });"

    assert verify(script, headers=headers) == EVENT


def test_what_is_no_secret_is_said_without_showing_it() -> None:
    thrown = verify(f"return caught({VERIFY});", headers=sent(SECRET), secret="whsec_%")

    assert thrown["name"] == "TypeError"
    assert "%" not in thrown["message"]


def test_node_18_verifies_too() -> None:
    event = run(
        f"return {VERIFY};",
        "--no-experimental-global-webcrypto",
        secret=SECRET,
        body=BODY,
        headers=sent(SECRET),
    )

    assert event == EVENT
