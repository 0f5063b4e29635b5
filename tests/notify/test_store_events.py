"""
Events that are posted with a secret.
"""

import logging
from pathlib import Path
from typing import Any

import pytest

from tests.notify.event_senders import TOKEN, EventSenders, event_senders
from tests.notify.senders import GoogleSender, SnsSender, s3_event


def forms(bucket: str, key: str) -> dict[str, dict[str, Any]]:
    """
    Write one event in each of the forms that stores have for it.
    """
    quoted = key.replace("/", "%2F")
    return {
        "S3": s3_event(f"{bucket}/{quoted}"),
        "S3, in parts": s3_event(
            f"{bucket}/{key}", name="ObjectCreated:CompleteMultipartUpload"
        ),
        "MinIO": {
            "EventName": "s3:ObjectCreated:Put",
            "Key": f"{bucket}/{key}",
            **s3_event(f"{bucket}/{quoted}", name="s3:ObjectCreated:Put"),
        },
        "EventBridge": {
            "detail-type": "Object Created",
            "source": "aws.s3",
            "detail": {"bucket": {"name": bucket}, "object": {"key": key}},
        },
        "R2": {
            "action": "PutObject",
            "bucket": bucket,
            "object": {"key": key, "size": 5},
        },
    }


@pytest.mark.parametrize("form", forms("", ""))
def test_every_form_of_an_event_has_the_file_looked_for(
    shared: EventSenders, form: str
) -> None:
    grant = shared.grant()
    bucket, _, key = shared.object_of(grant).partition("/")

    answer = shared.post("events", forms(bucket, key)[form], token=TOKEN)

    assert answer.status_code == 204
    assert shared.looks(grant) == 1


@pytest.mark.parametrize("token", [None, "", "x", TOKEN[:-1], f"{TOKEN}x", "ü"])
def test_another_secret_is_refused_before_the_body_is_read(
    shared: EventSenders, token: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)

    answer = shared.post("events", "x" * 700_000, token=token)

    assert (answer.status_code, answer.json["code"]) == (401, "unauthorized")
    assert TOKEN not in caplog.text + answer.text


@pytest.mark.parametrize(
    "event",
    [
        {"action": "DeleteObject", "bucket": "bucket", "object": {"key": "x"}},
        {"detail-type": "Object Deleted", "detail": {}},
        s3_event("bucket/x", name="ObjectRemoved:Delete"),
        {"action": "PutObject", "bucket": 5, "object": {"key": ["x"]}},
        {"Type": "Notification", "Message": "{"},
        {"Type": "Notification", "Message": '{"Type": "Notification"}'},
    ],
    ids=range(6),
)
def test_other_events_are_taken_and_say_nothing(
    shared: EventSenders, event: dict[str, Any]
) -> None:
    assert shared.post("events", event, token=TOKEN).status_code == 204


def test_a_giant_event_is_refused(shared: EventSenders) -> None:
    assert shared.post("events", "x" * 700_000, token=TOKEN).status_code == 413


def test_nothing_is_read_with_get(shared: EventSenders) -> None:
    answer = shared.client.simulate_get("/notify/events")

    assert (answer.status_code, answer.headers["allow"]) == (405, "POST, OPTIONS")


def test_without_a_secret_there_is_no_such_address(
    tmp_path: Path, amazon: SnsSender, google: GoogleSender
) -> None:
    with event_senders(tmp_path, amazon, google, HV_NOTIFY__TOKEN="") as told:
        assert told.post("events", {}, token="").status_code == 404
