"""
Messages of Amazon SNS.
"""

import json
import logging
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import pytest
from falcon.testing import Result

from hvcore_notify.sns_messages import MAX_CERTIFICATES
from tests.notify.event_senders import EventSenders, event_senders
from tests.notify.senders import (
    AMAZON,
    CERTIFICATE,
    TOPIC,
    GoogleSender,
    SnsSender,
    s3_event,
    written,
)


@pytest.mark.parametrize("version", ["1", "2"])
def test_a_message_of_our_topic_has_the_file_looked_for(
    shared: EventSenders, version: str
) -> None:
    grant = shared.grant()

    answer = shared.publish(s3_event(shared.object_of(grant)), version=version)

    assert (answer.status_code, answer.content) == (204, b"")
    assert shared.looks(grant) == 1


def test_a_subject_is_signed_too(shared: EventSenders) -> None:
    event = json.dumps(s3_event("bucket/x"))
    now = shared.world.clock.now()
    message = shared.amazon.message(event, now, Subject="Amazon S3 Notification")

    as_sent = shared.post("sns", message)
    changed = shared.post("sns", {**message, "Subject": "Another"})

    assert (as_sent.status_code, changed.status_code) == (204, 403)


def test_the_certificate_is_fetched_once(told: EventSenders) -> None:
    for number in range(3):
        assert told.publish(s3_event("b/x"), MessageId=str(number)).status_code == 204

    assert told.asked(CERTIFICATE) == 1


def test_only_so_many_certificates_are_kept_and_the_oldest_goes(
    told: EventSenders,
) -> None:
    names = [
        f"/SimpleNotificationService-{number:032x}.pem"
        for number in range(MAX_CERTIFICATES + 1)
    ]
    for name in names:
        told.serve_certificate(told.amazon.certificate, name)

    for name in (*names, names[1], names[0]):
        answer = told.publish(s3_event("b/x"), SigningCertURL=AMAZON + name)
        assert answer.status_code == 204

    assert [told.asked(name) for name in names[:3]] == [2, 1, 1]


def test_a_message_that_is_sent_again_is_taken_once(told: EventSenders) -> None:
    first, second, third = (told.grant() for _ in range(3))

    statuses = [
        told.publish(s3_event(told.object_of(grant)), MessageId=name).status_code
        for grant, name in ((first, "one"), (second, "one"), (third, "two"))
    ]

    assert statuses == [204, 204, 204]
    assert [told.looks(grant) for grant in (first, second, third)] == [1, 0, 1]


def reason(answer: Result) -> str:
    """
    Return the reason of a refusal.
    """
    assert (answer.status_code, answer.json["code"]) == (403, "forbidden")
    return str(answer.json["detail"])


WRONG: Final = "Its signature is wrong."
NO_TEXTS: Final = "It has members that are no texts."
OTHER_KIND: Final = "It is no message of SNS that is taken here."
OTHER_VERSION: Final = "Its SignatureVersion is neither 1 nor 2."
OTHER_TOPIC: Final = "Its topic is not named in HV_NOTIFY__SNS_TOPICS."
CHANGES: dict[str, tuple[dict[str, Any], str]] = {
    "another text": ({"Message": json.dumps(s3_event("bucket/else"))}, WRONG),
    "another time": ({"Timestamp": "2026-01-02T03:04:06.000Z"}, WRONG),
    "another id": ({"MessageId": "x"}, WRONG),
    "a broken signature": ({"Signature": "AAAA"}, WRONG),
    "no base64": ({"Signature": "%%%"}, WRONG),
    "a signature that is no text": ({"Signature": 5}, WRONG),
    "a version to come": ({"SignatureVersion": "3"}, OTHER_VERSION),
    "a weaker version": ({"SignatureVersion": "1"}, WRONG),
    "no texts": ({"Message": 5}, NO_TEXTS),
    "another kind": ({"Type": "UnsubscribeConfirmation"}, OTHER_KIND),
    "a kind that is no text": ({"Type": ["Notification"]}, OTHER_KIND),
    "a topic that is no text": ({"TopicArn": {"a": 1}}, OTHER_TOPIC),
}


@pytest.mark.parametrize(("change", "why"), CHANGES.values(), ids=CHANGES)
def test_a_message_that_was_changed_is_refused(
    shared: EventSenders, change: dict[str, Any], why: str
) -> None:
    grant = shared.grant()
    event = json.dumps(s3_event(shared.object_of(grant)))
    message = shared.amazon.message(event, shared.world.clock.now())

    answer = shared.post("sns", {**message, **change})

    assert reason(answer) == why
    assert shared.looks(grant) == 0


LACKING: Final = {
    "Message": "It lacks members that are signed.",
    "MessageId": "It lacks members that are signed.",
    "Timestamp": "It does not say when it was sent.",
    "TopicArn": OTHER_TOPIC,
}


@pytest.mark.parametrize("member", LACKING)
def test_a_message_that_lacks_what_is_signed_is_refused(
    shared: EventSenders, member: str
) -> None:
    answer = shared.publish(s3_event("b/x"), **{member: None})

    assert reason(answer) == LACKING[member]


def test_another_topic_is_refused_though_amazon_signed_it(told: EventSenders) -> None:
    grant = told.grant()

    answer = told.publish(s3_event(told.object_of(grant)), TopicArn=f"{TOPIC}2")

    assert reason(answer) == OTHER_TOPIC
    assert told.looks(grant) == 0
    assert told.source.requests == []


@pytest.mark.parametrize(
    ("minutes", "status"), [(-130, 403), (-110, 204), (4, 204), (6, 403)]
)
def test_a_message_of_long_ago_or_of_the_future_is_refused(
    shared: EventSenders, minutes: int, status: int
) -> None:
    at = shared.world.clock.now() + timedelta(minutes=minutes)

    answer = shared.publish(s3_event("b/x"), Timestamp=written(at))

    assert answer.status_code == status


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "when it was sent"),
        ("yesterday", "when it was sent"),
        ("2026-01-02T03:04:05", "in which time zone"),
        ("1e300", "when it was sent"),
    ],
)
def test_a_message_without_a_time_is_refused(
    shared: EventSenders, text: str, why: str
) -> None:
    assert why in reason(shared.publish(s3_event("b/x"), Timestamp=text))


@pytest.mark.parametrize(
    "address",
    [
        f"https://sns.eu-central-1.amazonaws.com.example.net{CERTIFICATE}",
        f"https://sns.us-east-1.amazonaws.com{CERTIFICATE}",
        f"https://example.net/{AMAZON}{CERTIFICATE}",
        f"https://bucket.s3.amazonaws.com{CERTIFICATE}",
        f"http://sns.eu-central-1.amazonaws.com{CERTIFICATE}",
        f"{AMAZON}:444{CERTIFICATE}",
        f"https://user@sns.eu-central-1.amazonaws.com{CERTIFICATE}",
        f"{AMAZON}/else.pem",
        f"{AMAZON}/../x{CERTIFICATE}",
        f"{AMAZON}{CERTIFICATE}?x",
        f"{AMAZON}{CERTIFICATE}#x",
        f"{AMAZON}{AMAZON}{CERTIFICATE}",
        CERTIFICATE,
        "",
        "file:///etc/passwd",
    ],
)
def test_a_certificate_at_another_place_is_not_fetched(
    shared: EventSenders, address: str
) -> None:
    before = len(shared.source.requests)

    answer = shared.publish(s3_event("b/x"), SigningCertURL=address)

    assert reason(answer) == "Its certificate is not at the topic's SNS."
    assert len(shared.source.requests) == before


def test_a_certificate_that_is_elsewhere_by_a_redirect_is_not_taken(
    told: EventSenders,
) -> None:
    told.source.redirects(CERTIFICATE, "/other.pem")
    told.source.gives("/other.pem", told.amazon.certificate)

    answer = told.publish(s3_event("b/x"))

    assert reason(answer) == "There is no such certificate."
    assert told.asked("/other.pem") == 0


@pytest.mark.parametrize(
    "body",
    [b"", b"no certificate", b"-----BEGIN CERTIFICATE-----\nAAAA\n", b"x" * 200_000],
    ids=["empty", "text", "cut off", "giant"],
)
def test_a_message_whose_certificate_is_none_is_not_believed(
    told: EventSenders, body: bytes
) -> None:
    told.serve_certificate(body)
    grant = told.grant()

    # Whoever answers so at SNS's own address is not SNS, or not now: it sends it again.
    assert told.publish(s3_event(told.object_of(grant))).status_code == 503
    assert told.looks(grant) == 0


def test_a_missing_certificate_is_refused_and_asked_for_again(
    told: EventSenders,
) -> None:
    told.source.gives(CERTIFICATE, b"", status=404)
    refused = told.publish(s3_event("b/x"))
    assert reason(refused) == "There is no such certificate."

    told.serve_certificate(told.amazon.certificate)
    assert told.publish(s3_event("b/x")).status_code == 204


def test_sns_is_asked_to_send_again_while_its_certificate_cannot_be_had(
    told: EventSenders,
) -> None:
    told.source.says(CERTIFICATE, b"")
    grant = told.grant()

    answer = told.publish(s3_event(told.object_of(grant)))

    assert (answer.status_code, answer.json["code"]) == (503, "unavailable")
    told.serve_certificate(told.amazon.certificate)
    assert told.publish(s3_event(told.object_of(grant))).status_code == 204
    assert told.looks(grant) == 1


@pytest.mark.parametrize(
    ("make", "why"),
    [
        ({"valid_days": -1}, "Its certificate is not valid now."),
        ({"bits": 1024}, "Its certificate has no key that can be trusted."),
    ],
)
def test_a_certificate_that_cannot_be_trusted_is_refused(
    told: EventSenders, make: dict[str, int], why: str
) -> None:
    weak = SnsSender.make(told.world.clock.now(), **make)
    told.serve_certificate(weak.certificate)
    message = weak.message(json.dumps(s3_event("b/x")), told.world.clock.now())

    assert reason(told.post("sns", message)) == why


CONFIRMED: Final = (
    b'<ConfirmSubscriptionResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/">'
    b"<ConfirmSubscriptionResult><SubscriptionArn>arn:aws:sns:eu-central-1:1:videos:2"
    b"</SubscriptionArn></ConfirmSubscriptionResult></ConfirmSubscriptionResponse>"
)


@pytest.mark.parametrize(
    ("body", "status"),
    [(b"<html>Back in a minute.</html>", 200), (b"", 200), (b"", 503), (b"", 429)],
)
def test_a_subscription_is_not_confirmed_by_an_answer_that_does_not_say_so(
    told: EventSenders, caplog: pytest.LogCaptureFixture, body: bytes, status: int
) -> None:
    message = told.amazon.confirmation(told.world.clock.now())
    told.source.gives("/", body, status=status)

    # SNS asks again at any answer of 500 and more.
    assert told.post("sns", message).status_code == 503
    assert "SNS will send" not in caplog.text

    told.source.gives("/", CONFIRMED)
    assert told.post("sns", message).status_code == 204
    assert "SNS will send" in caplog.text


@pytest.mark.parametrize(("body", "status"), [(b"<html></html>", 200), (b"", 503)])
def test_a_message_is_sent_again_while_its_certificate_cannot_be_had(
    told: EventSenders, body: bytes, status: int
) -> None:
    told.source.gives(CERTIFICATE, body, status=status)
    assert told.publish({}).status_code == 503

    told.source.gives(CERTIFICATE, told.amazon.certificate)
    assert told.publish({}).status_code == 204


def test_a_subscription_is_confirmed_at_sns_itself(told: EventSenders) -> None:
    told.source.gives("/", CONFIRMED)
    message = told.amazon.confirmation(
        told.world.clock.now(), SubscribeURL="http://169.254.169.254/latest/meta-data"
    )

    assert told.post("sns", message).status_code == 204

    (asked,) = (one.path for one in told.source.requests if one.path != CERTIFICATE)
    assert asked == (
        "/?Action=ConfirmSubscription&TopicArn=arn%3Aaws%3Asns%3Aeu-central-1"
        "%3A123456789012%3Avideos&Token=2336412f37fb687f5d51e6e241d09c8"
    )


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"TopicArn": f"{TOPIC}2"}, OTHER_TOPIC),
        ({"Token": "x"}, WRONG),
        ({"SubscribeURL": "x"}, WRONG),
    ],
)
def test_a_subscription_that_is_not_ours_is_not_confirmed(
    told: EventSenders, change: dict[str, str], why: str
) -> None:
    message = told.amazon.confirmation(told.world.clock.now())

    assert reason(told.post("sns", {**message, **change})) == why
    assert told.asked("/") == 0


def test_a_confirmation_that_sns_refuses_is_logged(
    told: EventSenders, caplog: pytest.LogCaptureFixture
) -> None:
    told.source.gives("/", b"", status=400)

    answer = told.post("sns", told.amazon.confirmation(told.world.clock.now()))

    assert answer.status_code == 204
    assert "does not take the confirmation" in caplog.text


@pytest.mark.parametrize(
    "text",
    [
        "not JSON",
        "[]",
        "{}",
        '{"Records": 5}',
        '{"Records": [5, null, {"s3": 5}, {"s3": {"bucket": 5}}]}',
        '{"Records": [{"eventName": ["x"], "s3": {}}]}',
        '{"Records": ' + "[" * 5000 + "]" * 5000 + "}",
        '{"Event": "s3:TestEvent"}',
        '{"detail-type": "Object Created", "detail": {"bucket": {}, "object": {}}}',
        json.dumps(s3_event("bucket/%ff%00%")),
    ],
    ids=range(10),
)
def test_a_signed_message_without_an_object_is_taken_and_says_nothing(
    shared: EventSenders, text: str
) -> None:
    message = shared.amazon.message(text, shared.world.clock.now())

    assert shared.post("sns", message).status_code == 204


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("", 400),
        ("not JSON", 400),
        ("[" * 5000, 400),
        ('{"Type": "Notification", "Type": "Notification"}', 400),
        ('{"Type": "\\ud800"}', 400),
        (b"\xff\xfe", 400),
        ("[]", 403),
        ("null", 403),
        ("{}", 403),
        ("x" * (640 * 1024 + 1), 413),
    ],
    ids=range(10),
)
def test_a_body_that_is_no_message_is_refused(
    shared: EventSenders, body: str | bytes, status: int
) -> None:
    answer = shared.post("sns", body)

    assert answer.status_code == status
    assert "Traceback" not in answer.text


def test_a_message_may_have_a_thousand_records(told: EventSenders) -> None:
    grants = [told.grant() for _ in range(3)]
    objects = [f"bucket/here/uploads/a/b/{n}/arrival" for n in range(997)]
    objects[500:500] = [told.object_of(grant) for grant in grants]

    assert told.publish(s3_event(*objects)).status_code == 204
    assert [told.looks(grant) for grant in grants] == [1, 1, 1]


def test_an_outage_of_the_database_has_sns_send_again(told: EventSenders) -> None:
    """
    A message that was not kept is not remembered as one that was.
    """
    grant = told.grant()
    event = s3_event(told.object_of(grant))
    database = told.world.services.settings.data_dir / "hvcore.sqlite3"
    broken = database.with_suffix(".away")
    told.world.services.close()
    database.rename(broken)
    database.mkdir()
    assert told.publish(event, MessageId="one").status_code == 503

    database.rmdir()
    broken.rename(database)
    assert told.publish(event, MessageId="one").status_code == 204
    assert told.looks(grant) == 1


def test_refusals_are_logged_without_what_was_sent(
    told: EventSenders, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    message = told.amazon.confirmation(told.world.clock.now(), Token="secret-token")

    told.post("sns", {**message, "Message": "changed"})

    assert "a storage event is refused" in caplog.text
    logged = " ".join(str(vars(record)) for record in caplog.records)
    assert "secret-token" not in logged
    assert message["Signature"] not in logged


def test_without_a_topic_there_is_no_such_address(
    tmp_path: Path, amazon: SnsSender, google: GoogleSender
) -> None:
    with event_senders(tmp_path, amazon, google, HV_NOTIFY__SNS_TOPICS="") as told:
        assert told.publish(s3_event("b/x")).status_code == 404
