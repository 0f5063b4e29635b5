"""
Events that come through a queue.
"""

import json
import logging
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import attrs
import pytest

from hvcore.domain.tasks.kinds import UPLOAD_TAKE
from hvcore.domain.uploads.grants import FileWanted, UploadGrant, direct_upload_path
from hvcore.domain.videos.states import VideoState
from hvcore.errors import ConfigError, UnavailableError
from hvcore.settings import load
from hvcore.settings.notify import NotifySettings
from hvcore_notify.queue_process import run_reader
from hvcore_notify.queue_reader import QueueReader, sqs_client
from tests.notify.queues import Aws
from tests.notify.senders import s3_event
from tests.services.conftest import World
from tests.support.live import until
from tests.support.stores.half_answers import (
    HALF_ANSWERS,
    PAGE,
    HalfAnsweringServer,
    half_answering_server,
)


def reader_of(world: World) -> QueueReader:
    settings = world.services.settings.notify
    return QueueReader(
        client=sqs_client(settings),
        url=settings.sqs_url,
        events=world.services.storage_events,
    )


def granted(world: World) -> UploadGrant:
    file = FileWanted(file_name="a.mp4", content_type="video/mp4", size_bytes=5)
    return world.services.uploads.grant_video(world.env, file, world.wanted()).grant


def object_of(bucket: str, grant: UploadGrant) -> str:
    return f"{bucket}/here/{direct_upload_path(grant)}"


def looks(world: World, grant: UploadGrant) -> int:
    with world.services.uow.read() as work:
        tasks = work.tasks.of_subject(grant.id, kind=UPLOAD_TAKE)
    return sum(1 for task in tasks if not task.payload["watches"])


def empty(reader: QueueReader) -> int:
    """
    Read until there is nothing more; return how many messages there were.
    """
    count = 0
    while taken := reader.read_once(wait_s=0):
        count += taken
    return count


def through_queue(aws: Aws, bucket: str, queue: str) -> None:
    aws.new_bucket(bucket, queue=queue)


def through_topic(aws: Aws, bucket: str, queue: str) -> None:
    topic = aws.new_topic()
    aws.subscribe(topic, queue)
    aws.new_bucket(bucket, topic=topic)


def through_raw_topic(aws: Aws, bucket: str, queue: str) -> None:
    topic = aws.new_topic()
    aws.subscribe(topic, queue, is_raw=True)
    aws.new_bucket(bucket, topic=topic)


@pytest.mark.cases(1)
@pytest.mark.parametrize("way", [through_queue, through_topic, through_raw_topic])
def test_a_bucket_tells_of_a_file_and_it_is_taken_at_once(
    world: World, aws: Aws, bucket: str, queue: str, way: Callable[..., None]
) -> None:
    way(aws, bucket, queue)
    grant = granted(world)
    aws.put(object_of(bucket, grant))

    empty(reader_of(world))
    # The clock stands still: nobody would look for five seconds.
    world.run_tasks()

    assert world.video(grant.video_id or "").state is VideoState.READY
    # It was told of the copies too, and of the files of the video.
    empty(reader_of(world))
    assert aws.waiting(queue) == 0


POISON: dict[str, Any] = {
    "not JSON": "not JSON",
    "deep": "[" * 3000,
    "deep and whole": '{"Records": ' + "[" * 3000 + "]" * 3000 + "}",
    "a list": [],
    "something else": {"hello": "world"},
    "broken records": {"Records": [None, 5, {"s3": {"bucket": {"name": 5}}}]},
    "not UTF-8": s3_event("%/%ff%fe"),
    "an envelope of nothing": {"Type": "Notification", "Message": ""},
    "an envelope of an envelope": {
        "Type": "Notification",
        "Message": '{"Type": "Notification", "Message": "{}"}',
    },
    "a topic's test": {"Event": "s3:TestEvent"},
}


def test_poison_is_removed_and_holds_up_nothing(
    world: World, aws: Aws, bucket: str, queue: str, caplog: pytest.LogCaptureFixture
) -> None:
    grant = granted(world)
    for body in POISON.values():
        aws.send(queue, body)
    aws.send(queue, s3_event(object_of(bucket, grant)))

    assert empty(reader_of(world)) == len(POISON) + 1

    assert looks(world, grant) == 1
    assert aws.waiting(queue) == 0
    assert "no event of a store" in caplog.text
    assert "Traceback" not in caplog.text
    assert "hello" not in " ".join(str(vars(one)) for one in caplog.records)


@pytest.mark.parametrize(
    "quote",
    [
        lambda key: key,
        lambda key: key.replace("/", "%2F"),
        lambda key: key.replace("e", "%65"),
    ],
    ids=["bare", "slashes", "letters"],
)
def test_keys_are_read_as_s3_writes_them(
    world: World, aws: Aws, bucket: str, queue: str, quote: Callable[[str], str]
) -> None:
    grant = granted(world)
    key = f"here/{direct_upload_path(grant)}"
    aws.send(queue, s3_event(f"{bucket}/{quote(key)}"))
    aws.send(queue, s3_event(f"{bucket}/{key.replace('e', '+')}"))

    empty(reader_of(world))

    assert looks(world, grant) == 1


def test_a_message_may_have_a_thousand_records(
    world: World, aws: Aws, bucket: str, queue: str
) -> None:
    grant = granted(world)
    others = [f"{bucket}/here/uploads/a/b/{n}/arrival" for n in range(999)]
    aws.send(queue, s3_event(*others, object_of(bucket, grant)))

    assert empty(reader_of(world)) == 1
    assert looks(world, grant) == 1


def test_a_message_is_not_removed_before_what_it_says_is_kept(
    world: World, aws: Aws, bucket: str, queue: str
) -> None:
    grant = granted(world)
    aws.send(queue, s3_event(object_of(bucket, grant)))
    database = world.services.settings.data_dir / "hvcore.sqlite3"
    away = database.with_suffix(".away")
    reader = reader_of(world)
    world.services.close()
    database.rename(away)
    database.mkdir()
    with pytest.raises(UnavailableError, match="database does not answer"):
        reader.read_once(wait_s=0)
    database.rmdir()
    away.rename(database)

    assert aws.waiting(queue) == 1
    until(lambda: empty(reader), within_s=20, what="its return")
    assert looks(world, grant) == 1
    assert aws.waiting(queue) == 0


def test_a_message_that_cannot_be_removed_comes_back_and_does_no_harm(
    world: World, aws: Aws, bucket: str, queue: str
) -> None:
    grant = granted(world)
    aws.send(queue, s3_event(object_of(bucket, grant)))
    client = sqs_client(world.services.settings.notify)
    elsewhere = sqs_client(
        attrs.evolve(world.services.settings.notify, sqs_url="http://127.0.0.1:9/1/x")
    )
    reader = reader_of(world)
    client.delete_message_batch = elsewhere.delete_message_batch

    with pytest.raises(UnavailableError, match="cannot be asked"):
        attrs.evolve(reader, client=client).read_once(wait_s=0)

    until(lambda: empty(reader), within_s=20, what="its return")
    assert looks(world, grant) == 1


def test_a_queue_that_is_away_is_asked_ever_less_often(
    world: World, aws: Aws, queue: str, caplog: pytest.LogCaptureFixture
) -> None:
    pauses: list[float] = []

    def stopped(pause_s: float) -> bool:
        pauses.append(pause_s)
        return len(pauses) > 8

    attrs.evolve(reader_of(world), url=f"{queue}-none").keep_reading(stopped)

    assert pauses == [0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 30.0]
    assert "storage events wait in the queue" in caplog.text


@pytest.fixture
def half(aws: Aws) -> Iterator[HalfAnsweringServer]:
    with half_answering_server(aws.endpoint) as made:
        yield made


def half_answered(world: World, half: HalfAnsweringServer, queue: str) -> QueueReader:
    """
    Make a reader that something else than SQS answers.
    """
    url = half.url + urlsplit(queue).path
    settings = attrs.evolve(world.services.settings.notify, sqs_url=url)
    return attrs.evolve(reader_of(world), client=sqs_client(settings), url=url)


def test_an_answer_that_is_none_of_sqs_is_waited_out_and_said_once(
    world: World,
    half: HalfAnsweringServer,
    bucket: str,
    queue: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    pauses: list[float] = []

    def stopped(pause_s: float) -> bool:
        pauses.append(pause_s)
        half.answer = dict(enumerate(HALF_ANSWERS, 1)).get(len(pauses))
        return len(pauses) > len(HALF_ANSWERS) + 1

    grant = granted(world)
    Aws(endpoint=half.behind).send(queue, s3_event(object_of(bucket, grant)))
    half_answered(world, half, queue).keep_reading(stopped)

    assert pauses == [0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 0.0]
    assert looks(world, grant) == 1
    said = [r.getMessage() for r in caplog.records if hasattr(r, "hv_queue")]
    assert said == ["storage events wait in the queue", "the queue is read again"]


def test_a_queue_that_does_not_wait_for_messages_is_asked_once_a_second(
    world: World, half: HalfAnsweringServer, queue: str
) -> None:
    half.headers = {"Content-Type": "application/x-amz-json-1.0"}
    half.answer = b"{}"
    pauses: list[float] = []

    def stopped(pause_s: float) -> bool:
        pauses.append(pause_s)
        return len(pauses) > 2

    half_answered(world, half, queue).keep_reading(stopped)

    assert pauses == [0.0, 1.0, 1.0]


@pytest.mark.parametrize("answer", [PAGE, b'{"Failed": [{"Code": "InternalError"}]}'])
def test_messages_that_the_queue_keeps_are_an_outage(
    world: World, half: HalfAnsweringServer, bucket: str, queue: str, answer: bytes
) -> None:
    grant = granted(world)
    Aws(endpoint=half.behind).send(queue, s3_event(object_of(bucket, grant)))
    reader = reader_of(world)
    half.answer = answer
    if answer != PAGE:
        half.headers = {"Content-Type": "application/x-amz-json-1.0"}
    client = sqs_client(world.services.settings.notify)
    client.delete_message_batch = half_answered(
        world, half, queue
    ).client.delete_message_batch

    with pytest.raises(UnavailableError, match=r"no queue of SQS|keeps messages"):
        attrs.evolve(reader, client=client).read_once(wait_s=0)

    assert looks(world, grant) == 1


def test_the_process_reads_until_it_is_stopped(
    world: World, aws: Aws, bucket: str, queue: str
) -> None:
    # The process has the real time: for it the usual look is a day away.
    world.clock.moment = datetime.now(UTC) + timedelta(days=1)
    grant = granted(world)
    stop = threading.Event()
    settings = world.services.settings
    # Without a URL there is no queue of tasks; the sweep would ring.
    settings = attrs.evolve(
        settings,
        queue=attrs.evolve(settings.queue, options={"url": "redis://127.0.0.1:9"}),
    )
    process = threading.Thread(target=run_reader, args=(settings, stop.wait))
    process.start()
    try:
        aws.send(queue, s3_event(object_of(bucket, grant)))
        until(lambda: looks(world, grant), within_s=20, what="the look")
        until(lambda: aws.waiting(queue) == 0, within_s=20, what="its removal")
    finally:
        stop.set()
        process.join(10)
    assert not process.is_alive()


def test_secrets_are_not_logged(
    world: World, aws: Aws, queue: str, caplog: pytest.LogCaptureFixture
) -> None:
    settings = attrs.evolve(
        world.services.settings.notify,
        sqs_key="AKIDKEY",
        sqs_secret="very-secret-words",
        sqs_url=f"{queue}-none",
    )
    caplog.set_level(logging.INFO)
    reader = attrs.evolve(
        reader_of(world), client=sqs_client(settings), url=settings.sqs_url
    )

    with pytest.raises(UnavailableError, match="NonExistentQueue") as caught:
        reader.read_once(wait_s=0)

    assert "very-secret-words" not in caplog.text + str(caught.value) + repr(settings)
    assert "AKIDKEY" not in caplog.text + str(caught.value) + repr(settings)


@pytest.mark.parametrize(
    ("settings", "region", "endpoint"),
    [
        (
            {"sqs_url": "https://sqs.eu-west-3.amazonaws.com/123456789012/videos"},
            *("eu-west-3", "https://sqs.eu-west-3.amazonaws.com"),
        ),
        (
            {"sqs_url": "https://sqs.cn-north-1.amazonaws.com.cn/1/videos"},
            *("cn-north-1", "https://sqs.cn-north-1.amazonaws.com.cn"),
        ),
        (
            {"sqs_url": "https://vpce-1-a.sqs.us-east-2.vpce.amazonaws.com/1/v"},
            *("us-east-2", "https://vpce-1-a.sqs.us-east-2.vpce.amazonaws.com"),
        ),
        (
            {"sqs_url": "http://127.0.0.1:9324/queue/v", "sqs_region": "elasticmq"},
            *("elasticmq", "http://127.0.0.1:9324"),
        ),
        (
            {"sqs_url": "http://127.0.0.1:9324/queue/v"},
            *("us-east-1", "http://127.0.0.1:9324"),
        ),
    ],
    ids=range(5),
)
def test_the_queues_address_says_where_it_is(
    monkeypatch: pytest.MonkeyPatch,
    settings: dict[str, str],
    region: str,
    endpoint: str,
) -> None:
    for name in ("AWS_DEFAULT_REGION", "AWS_REGION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nowhere")

    client = sqs_client(NotifySettings(**settings, sqs_key="k", sqs_secret="s"))

    assert (client.meta.region_name, client.meta.endpoint_url) == (region, endpoint)


def test_a_region_that_is_none_is_a_mistake_of_the_settings() -> None:
    settings = NotifySettings(sqs_url="http://127.0.0.1:9324/q", sqs_region="a b/c")

    with pytest.raises(ConfigError, match=r"notify\.sqs_url"):
        sqs_client(settings)


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("SQS_URL", "videos", "notify.sqs_url must be"),
        ("SQS_URL", "https://user:secret-word@sqs.example.com/1/v", "without a user"),
        ("SQS_KEY", "secret-word", "set both"),
        ("SQS_SECRET", "secret-word", "set both"),
        ("SNS_TOPICS", "videos", "must name topics"),
        ("SNS_TOPICS", "arn:aws:sqs:eu-central-1:123456789012:videos", "topics"),
        ("SNS_TOPICS", "arn:aws-x:sns:eu-central-1:123456789012:videos", "topics"),
        ("SNS_TOPICS", "arn:aws:sns:x.example.com/:123456789012:videos", "topics"),
        ("SNS_URL", "sns", "must be an address"),
        ("PUBSUB_KEYS_URL", "", "must be an address"),
        ("PUBSUB_AUDIENCE", "x", "set both"),
        ("PUBSUB_EMAIL", "x", "set both"),
        ("TOKEN", "secret-word", "at least 32"),
    ],
)
def test_settings_that_cannot_work_are_refused(
    tmp_path: Path, name: str, value: str, says: str
) -> None:
    with pytest.raises(ConfigError, match=says) as caught:
        load(config_path=None, environ={f"HV_NOTIFY__{name}": value}, data_dir=tmp_path)

    assert "secret-word" not in str(caught.value)


def test_secrets_may_be_in_files_and_are_not_shown(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("s" * 40)
    environ = {
        "HV_NOTIFY__TOKEN_FILE": str(secret),
        "HV_NOTIFY__SQS_KEY": "k",
        "HV_NOTIFY__SQS_SECRET_FILE": str(secret),
    }

    settings = load(config_path=None, environ=environ, data_dir=tmp_path).settings

    assert (settings.notify.token, settings.notify.sqs_secret) == ("s" * 40,) * 2
    assert "sss" not in repr(settings.notify) + json.dumps(str(settings.notify))
