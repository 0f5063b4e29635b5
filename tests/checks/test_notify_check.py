"""
What ``hv doctor`` says of those who tell of files that have come.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from hvcore.assembly import build
from hvcore.domain.health_findings import HealthFinding
from hvcore.settings import load
from hvcore_checks.notify_check import notify
from tests.notify.queues import Aws
from tests.support.stores.object_store import s3_server

STORE = {
    "HV_STORAGE__OPTIONS__URL": "s3://bucket/here",
    "HV_STORAGE__OPTIONS__KEY": "k",
    "HV_STORAGE__OPTIONS__SECRET": "s",
    "HV_UPLOADS__DIRECT": "auto",
}
TOKEN = {"HV_NOTIFY__TOKEN": "a-secret-of-more-than-32-characters"}


@pytest.fixture(scope="module")
def aws() -> Iterator[Aws]:
    with s3_server() as endpoint:
        yield Aws(endpoint=endpoint)


def findings(folder: Path, **environ: str) -> Sequence[HealthFinding]:
    settings = load(config_path=None, environ=environ, data_dir=folder).settings
    with build(settings, rings=False) as services:
        return notify(services)


def test_nothing_is_needed(tmp_path: Path) -> None:
    (without,) = findings(tmp_path)
    (by_looking,) = findings(tmp_path, **STORE)

    assert (without.state, by_looking.state) == ("ok", "ok")
    assert "not needed" in without.found
    assert "by looking" in by_looking.found


def test_word_that_nobody_needs_is_a_warning(tmp_path: Path) -> None:
    (found,) = findings(tmp_path, **TOKEN)

    assert found.state == "warning"
    assert "HV_UPLOADS__DIRECT" in found.fix


def test_a_storage_to_which_nobody_sends_cannot_tell(tmp_path: Path) -> None:
    (found,) = findings(tmp_path, **TOKEN, HV_UPLOADS__DIRECT="auto")

    assert found.state == "broken"


def test_it_tells_what_the_store_must_be_told(tmp_path: Path) -> None:
    found = findings(
        tmp_path,
        **STORE,
        **TOKEN,
        HV_PUBLIC__UPLOAD_URL="https://upload.example.com",
        HV_NOTIFY__SNS_TOPICS="arn:aws:sns:eu-central-1:123456789012:videos",
        HV_NOTIFY__PUBSUB_AUDIENCE="https://upload.example.com",
        HV_NOTIFY__PUBSUB_EMAIL="a@example.com",
    )

    text = "\n".join(one.found for one in found)
    assert {one.state for one in found} == {"ok"}
    for path in ("sns", "pubsub", "events"):
        assert f"https://upload.example.com/notify/{path}" in text
    assert "bucket bucket, prefix here/uploads/, suffix /arrival" in text
    assert TOKEN["HV_NOTIFY__TOKEN"] not in text


def test_the_queue_is_asked_and_no_message_is_taken(tmp_path: Path, aws: Aws) -> None:
    queue = aws.new_queue()
    aws.send(queue, "x")
    key = {
        "HV_NOTIFY__SQS_REGION": "eu-central-1",
        "HV_NOTIFY__SQS_KEY": "k",
        "HV_NOTIFY__SQS_SECRET": "very-secret",
    }

    works, _ = findings(tmp_path, **STORE, **key, HV_NOTIFY__SQS_URL=queue)
    absent, _ = findings(tmp_path, **STORE, **key, HV_NOTIFY__SQS_URL=f"{queue}x")
    away, _ = findings(
        tmp_path, **STORE, **key, HV_NOTIFY__SQS_URL="http://127.0.0.1:9/1/v"
    )

    assert [one.state for one in (works, absent, away)] == ["ok", "broken", "broken"]
    assert "HV_NOTIFY__SQS_URL" in absent.fix
    assert "very-secret" not in absent.found + away.found
    messages = aws.client("sqs").receive_message(QueueUrl=queue)["Messages"]
    assert [one["Body"] for one in messages] == ["x"]
