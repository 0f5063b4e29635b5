"""
Webhooks are believed if the service has signed them.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

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


def test_headers_and_bodies_are_taken_as_frameworks_have_them() -> None:
    events = verify(
        """
        const { secret, headers, body } = given;
        const upper = Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]);
        return [
          await hv.verifyWebhook(secret, new Headers(headers), body),
          await hv.verifyWebhook(secret, headers, Buffer.from(body)),
          await hv.verifyWebhook(secret, headers, new TextEncoder().encode(body).buffer),
          await hv.verifyWebhook([secret], Object.fromEntries(upper), body),
        ];
        """,
        headers=sent(SECRET),
    )

    assert events == [EVENT] * 4


def test_while_a_secret_is_replaced_either_will_do() -> None:
    events = verify(
        """
        const { both, one, body } = given;
        return [
          await hv.verifyWebhook(given.secret, both, body),
          await hv.verifyWebhook(given.other, both, body),
          await hv.verifyWebhook([given.secret, given.other], one, body),
        ];
        """,
        other=OTHER,
        both=sent(OTHER, SECRET),
        one=sent(OTHER),
    )

    assert events == [EVENT] * 3


def test_anything_else_is_not_believed() -> None:
    cases: list[tuple[dict[str, object], str]] = [
        ({"body": BODY.replace("vid_1", "vid_2")}, "not signed with this secret"),
        ({"secret": OTHER}, "not signed with this secret"),
        ({"headers": sent(SECRET, ago=timedelta(minutes=6))}, "more than 300 s off"),
        ({"headers": sent(SECRET, ago=timedelta(minutes=-6))}, "more than 300 s off"),
        ({"headers": {**sent(SECRET), "webhook-id": "evt_2"}}, "not signed"),
        ({"headers": {**sent(SECRET), "webhook-signature": "v1,"}}, "not signed"),
        ({"headers": {**sent(SECRET), "webhook-signature": "v1,%%"}}, "not signed"),
        ({"headers": {**sent(SECRET), "webhook-timestamp": "soon"}}, "300 s off"),
        ({"headers": {"webhook-id": "evt_1"}}, "webhook-timestamp is missing"),
    ]
    # Of another scheme, whatever it has signed with.
    signed = sent(SECRET)
    other_scheme = signed["webhook-signature"].replace("v1,", "v2,")
    cases.append(({"headers": {**signed, "webhook-signature": other_scheme}}, "not"))
    good = {"headers": sent(SECRET), "body": BODY, "secret": SECRET}

    thrown = run(
        """
        const all = given.cases.map((it) => caught(hv.verifyWebhook(it.secret, it.headers, it.body)));
        return Promise.all(all);
        """,
        cases=[{**good, **change} for change, _ in cases],
    )

    for one, (_, said) in zip(thrown, cases, strict=True):
        assert one["name"] == "WebhookVerificationError"
        assert said in one["message"]


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
