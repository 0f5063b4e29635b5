"""
The events and answers of endpoints, the signature of a request, and the number of requests at once.
"""

import json
from datetime import UTC, datetime, timedelta

import attrs
import pytest
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from hvcore.domain.ids import (
    EnvId,
    OrgId,
    VideoId,
    new_webhook_id,
)
from hvcore.domain.webhooks.deliveries import (
    Outcome,
)
from hvcore.domain.webhooks.endpoints import (
    MAX_SECRETS,
    EndpointState,
    WebhookEndpoint,
    new_secret,
)
from hvcore.domain.webhooks.events import EventKind, StoredEvent, VideoEvent
from hvcore.safe_http import OutboundResponse
from hvcore.services.webhooks.endpoint_slots import (
    MAX_WAIT_S,
    MIN_WAIT_S,
    SLOTS,
    USUAL_WAIT_S,
    EndpointSlots,
)
from hvcore.services.webhooks.signing import body_of, headers_of, outcome_of
from hvcore.settings import PublicSettings
from tests.domain.webhooks.test_deliveries import DAY, DOWN, NOW, delivery


def endpoint() -> WebhookEndpoint:
    return WebhookEndpoint(
        id=new_webhook_id(),
        org_id=OrgId("org_a"),
        env_id=EnvId("env_a"),
        url="https://example.com/?secret=s3cret",
        secrets=(new_secret(),),
        created_at=NOW,
    )


WORKER = "https://w.example"
PLAYER = "https://p.example"
PUBLIC = PublicSettings(worker_url=WORKER, player_url=PLAYER)


def stored() -> StoredEvent:
    event = VideoEvent(
        kind=EventKind.FAILED,
        org_id=OrgId("org_a"),
        env_id=EnvId("env_a"),
        video_id=VideoId("vid_a"),
        sequence=2,
        status="failed",
        error="Größe 0",
        is_public=False,
    )
    return StoredEvent(event=event, number=1, env_name="live", created_at=NOW)


def test_an_endpoint_is_failing_when_a_delivery_gave_up_until_one_arrives() -> None:
    made = endpoint()
    tried = delivery()
    for _ in range(9):
        tried = tried.after(DOWN, began=NOW, now=NOW, jitter=0.0)
        assert made.after(DOWN, tried).state is EndpointState.ACTIVE
    tried = tried.after(DOWN, began=NOW, now=NOW, jitter=0.0)

    failing = made.after(DOWN, tried)

    assert failing.state is EndpointState.FAILING
    assert failing.wants(EventKind.COMPLETED)
    well = Outcome(status=200)
    assert failing.after(well, tried).state is EndpointState.ACTIVE


def test_a_disabled_endpoint_wants_nothing_and_stays_so() -> None:
    gone = Outcome(status=410)
    disabled = endpoint().after(gone, delivery())

    assert disabled.state is EndpointState.DISABLED
    assert not disabled.wants(EventKind.COMPLETED)
    assert disabled.after(Outcome(status=200), delivery()) == disabled


def test_further_kinds_are_for_those_who_name_them() -> None:
    wanted = {kind for kind in EventKind if endpoint().wants(kind)}

    assert wanted == {EventKind.COMPLETED, EventKind.FAILED}


def test_both_secrets_sign_during_the_overlap_and_not_after() -> None:
    made = endpoint()
    old, new = made.secrets[0], new_secret()

    rotated = made.rotated(new, now=NOW, overlap=DAY)

    assert rotated.signing_secrets(NOW) == (new.value, old.value)
    assert rotated.signing_secrets(NOW + DAY) == (new.value,)


def test_a_second_rotation_does_not_prolong_an_old_secret() -> None:
    first = endpoint().rotated(new_secret(), now=NOW, overlap=timedelta(hours=1))

    again = first.rotated(new_secret(), now=NOW, overlap=DAY)

    later = NOW + timedelta(hours=2)
    assert len(again.signing_secrets(NOW)) == 3
    assert len(again.signing_secrets(later)) == 2


def test_many_rotations_do_not_grow_the_header() -> None:
    made = endpoint()
    for _ in range(10):
        made = made.rotated(new_secret(), now=NOW, overlap=DAY)

    assert len(made.signing_secrets(NOW)) == MAX_SECRETS


def test_an_endpoint_shows_neither_address_nor_secret() -> None:
    made = endpoint()

    assert "s3cret" not in repr(made)
    assert made.secrets[0].value not in repr(made)
    assert made.secrets[0].value not in repr(made.secrets)


def test_a_receiver_can_verify_what_is_sent_with_either_secret() -> None:
    secrets = [new_secret().value, new_secret().value]
    body = body_of(stored(), PUBLIC)

    headers = headers_of("evt_1", body, secrets=secrets, now=datetime.now(UTC))

    for secret in secrets:
        verified = Webhook(secret).verify(body, dict(headers))
        assert verified["videoId"] == "vid_a"
    with pytest.raises(WebhookVerificationError, match="No matching signature"):
        Webhook(new_secret().value).verify(body, dict(headers))
    with pytest.raises(WebhookVerificationError, match="No matching signature"):
        Webhook(secrets[0]).verify(body + " ", dict(headers))


def test_the_body_says_all_that_the_documentation_lists() -> None:
    event = stored()

    assert json.loads(body_of(event, PUBLIC)) == {
        "event": "video.processing.failed",
        "videoId": "vid_a",
        "status": "failed",
        "id": event.event.id,
        "timestamp": "2026-01-02T03:04:05.678Z",
        "orgID": "org_a",
        "envID": "live",
        "sequence": 2,
        "error": "Größe 0",
        "playback": {
            "playlistURL": f"{WORKER}/v1/private/vid_a/master.m3u8?token={{token}}",
            "manifestURL": f"{WORKER}/v1/private/vid_a/manifest.mpd?token={{token}}",
            "embedURL": f"{PLAYER}/v1/embed/vid_a?token={{token}}",
            "thumbnailURL": f"{WORKER}/t/vid_a/1280x720.jpg?token={{token}}",
            "storyboardURL": f"{WORKER}/v1/private/vid_a/storyboard.vtt?token={{token}}",
            "needsToken": True,
        },
    }


def test_an_event_of_a_deletion_or_an_older_version_has_no_playback() -> None:
    event = stored()

    for change in ({"kind": EventKind.DELETED}, {"is_public": None}):
        other = attrs.evolve(event, event=attrs.evolve(event.event, **change))
        assert json.loads(body_of(other, PUBLIC))["playback"] is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("120", timedelta(minutes=2)),
        (" 0 ", timedelta()),
        ("9" * 5000, DAY),
        ("0" * 5000 + "7", timedelta(seconds=7)),
        ("Fri, 02 Jan 2026 03:05:05 GMT", timedelta(seconds=59, microseconds=321_099)),
        (
            "Fri, 02 Jan 2026 03:05:05 -0000",
            timedelta(seconds=59, microseconds=321_099),
        ),
        ("Thu, 01 Jan 1970 00:00:00 GMT", timedelta()),
        ("-5", None),
        ("1.5", None),
        ("soon", None),
        ("", None),
        (None, None),
        ("٣", None),
        ("Fri, 02 Jan 99999 03:05:05 GMT", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(
    text: str | None, expected: timedelta | None
) -> None:
    headers = {} if text is None else {"retry-after": text}

    outcome = outcome_of(OutboundResponse(status=503, headers=headers), now=NOW)

    if expected is None:
        assert outcome.retry_after is None
    else:
        assert outcome.retry_after == expected


@pytest.mark.parametrize("status", [200, 201, 202, 204, 299])
def test_any_2xx_is_success(status: int) -> None:
    assert outcome_of(OutboundResponse(status=status, headers={}), now=NOW).is_success


@pytest.mark.parametrize("status", [301, 302, 307, 308, 400, 404, 429, 500])
def test_everything_else_is_a_failure_and_says_so(status: int) -> None:
    outcome = outcome_of(OutboundResponse(status=status, headers={}), now=NOW)

    assert not outcome.is_success
    assert str(status) in (outcome.error or "")


def test_an_endpoint_has_four_slots_and_after_a_failure_one() -> None:
    slots = EndpointSlots()
    taken = [slots.taken("wh_a") for _ in range(SLOTS + 1)]

    assert [slot.__enter__() for slot in taken] == [True] * SLOTS + [False]
    with slots.taken("wh_b") as has_room:
        assert has_room
    for slot in taken:
        slot.__exit__(None, None, None)
    slots.note("wh_a", is_success=False)
    with slots.taken("wh_a") as first, slots.taken("wh_a") as second:
        assert (first, second) == (True, False)
    slots.note("wh_a", is_success=True)
    with slots.taken("wh_a") as first, slots.taken("wh_a") as second:
        assert (first, second) == (True, True)


def test_the_longer_the_queue_before_an_endpoint_the_longer_the_wait() -> None:
    slots = EndpointSlots()
    slots.note("wh_a", is_success=False)
    short = [slots.wait("wh_a").total_seconds() for _ in range(100)]

    with slots.taken("wh_a"):
        for _ in range(1000):
            with slots.taken("wh_a"):
                pass
        long = [slots.wait("wh_a").total_seconds() for _ in range(100)]

    assert MIN_WAIT_S <= min(short) <= max(short) <= USUAL_WAIT_S
    assert USUAL_WAIT_S < max(long) <= MAX_WAIT_S
