"""
What the queue on SQS does besides what every queue promises.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from botocore.exceptions import ClientError
from botocore.stub import Stubber

from hvcore.domain.ids import TaskId, new_task_id
from hvcore.errors import ConfigError, UnavailableError
from hvcore.plugin_api import Lane
from hvcore_queue_sqs.backend import LOOKS_AGAIN_S, SqsQueue
from hvcore_queue_sqs.requests import MESSAGE_LIVES_S
from tests.plugins.queue_sqs.conftest import Options
from tests.support.servers import wait_until
from tests.support.stores.half_answers import (
    HALF_ANSWERS,
    PAGE,
    HalfAnsweringServer,
    half_answering_server,
)
from tests.support.stores.sqs_server import REGION, SqsServer, sqs_server

pytestmark = pytest.mark.services


@pytest.fixture
def own_server() -> Iterator[SqsServer]:
    """
    A server that a test may hurt.
    """
    with sqs_server() as made:
        yield made


@contextmanager
def consuming(queue: SqsQueue) -> Iterator[list[TaskId]]:
    seen: list[TaskId] = []
    stop = threading.Event()
    thread = threading.Thread(
        target=queue.consume,
        args=(seen.append,),
        kwargs={"lanes": list(Lane), "until": stop.is_set},
    )
    thread.start()
    try:
        yield seen
    finally:
        stop.set()
        thread.join(timeout=20)
    assert not thread.is_alive()


def put(queue: SqsQueue, lane: Lane = Lane.LIGHT) -> TaskId:
    task_id = new_task_id()
    queue.put(task_id, kind="test", lane=lane)
    return task_id


def seconds(call: Callable[[], object]) -> float:
    start = time.monotonic()
    call()
    return time.monotonic() - start


def test_each_lane_has_a_queue_that_keeps_messages_ten_minutes(
    queue: SqsQueue, options_of: Options, server: SqsServer
) -> None:
    client = server.client()
    prefix = options_of().prefix

    urls = client.list_queues(QueueNamePrefix=prefix)["QueueUrls"]
    kept = {
        client.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"][
            "MessageRetentionPeriod"
        ]
        for url in urls
    }

    assert {url.rpartition("/")[2] for url in urls} == {
        f"{prefix}-{lane.value}" for lane in Lane
    }
    assert kept == {str(MESSAGE_LIVES_S)}


def test_a_message_is_the_id_of_a_task_and_says_its_kind(
    queue: SqsQueue, options_of: Options, server: SqsServer
) -> None:
    task_id = put(queue, Lane.ENCODE)

    client = server.client()
    url = client.get_queue_url(QueueName=options_of().name_of(Lane.ENCODE))["QueueUrl"]
    (found,) = client.receive_message(QueueUrl=url, MessageAttributeNames=["All"])[
        "Messages"
    ]

    assert found["Body"] == task_id
    assert found["MessageAttributes"]["kind"]["StringValue"] == "test"


def test_a_queue_that_is_missing_is_named_with_the_command_that_makes_it(
    options_of: Options,
) -> None:
    queue = SqsQueue(options_of())

    def is_missing(lane: Lane) -> str:
        return f"The queue {options_of().name_of(lane)} is not at SQS; run: hv migrate."

    assert not queue.is_prepared()
    with pytest.raises(UnavailableError, match="run: hv migrate") as raised:
        put(queue)
    assert raised.value.detail == is_missing(Lane.LIGHT)
    with pytest.raises(UnavailableError, match="run: hv migrate") as raised:
        queue.ping()
    assert raised.value.detail == " ".join(map(is_missing, Lane))

    queue.prepare()

    assert queue.is_prepared()
    queue.ping()
    queue.close()


@pytest.mark.parametrize("lane", [Lane.LIGHT, Lane.ENCODE])
def test_a_lane_whose_queue_is_missing_is_named_and_stops_no_other_lane(
    queue: SqsQueue,
    options_of: Options,
    server: SqsServer,
    lane: Lane,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    name = options_of().name_of(lane)
    client = server.client()
    client.delete_queue(QueueUrl=client.get_queue_url(QueueName=name)["QueueUrl"])
    others = [other for other in Lane if other is not lane]

    with pytest.raises(UnavailableError, match="run: hv migrate") as raised:
        queue.ping()
    with consuming(queue) as seen:
        wanted = {put(queue, other) for other in others}
        wait_until(lambda: set(seen) == wanted)
        queue.prepare()
        last = put(queue, lane)
        wait_until(lambda: last in seen)

    assert raised.value.detail == f"The queue {name} is not at SQS; run: hv migrate."
    queue.ping()
    told = [
        (record.getMessage(), vars(record)["hv_lane"])
        for record in caplog.records
        if hasattr(record, "hv_lane")
    ]
    assert told == [
        ("the queue does not answer", lane.value),
        ("the queue answers again", lane.value),
    ]


def test_a_lane_that_sqs_denies_stops_no_other_lane(
    queue: SqsQueue, options_of: Options
) -> None:
    sqs = queue._sqs()
    denied = options_of().name_of(Lane.ENCODE)

    def refuse(params: dict[str, str], **_: object) -> None:
        if params["QueueUrl"].endswith(denied):
            answer = {"Error": {"Code": "AccessDenied"}}
            raise ClientError(answer, "ReceiveMessage")

    # moto does not look at policies; botocore calls this before each request.
    for request in ("ReceiveMessage", "GetQueueAttributes"):
        for client in (sqs._patient, sqs._quick):
            client.meta.events.register(f"provide-client-params.sqs.{request}", refuse)

    with pytest.raises(UnavailableError, match="SQS refuses") as raised:
        queue.ping()
    with consuming(queue) as seen:
        wanted = {put(queue, lane) for lane in Lane if lane is not Lane.ENCODE}
        wait_until(lambda: set(seen) == wanted)

    assert raised.value.detail == (
        f"SQS refuses sqs:GetQueueAttributes; allow it on {denied}."
    )


def test_queues_that_may_not_be_made_are_told_as_commands(
    options_of: Options, server: SqsServer
) -> None:
    options = options_of(creates=False)
    queue = SqsQueue(options)
    missing = (Lane.PLAN, Lane.LIGHT)
    for lane in set(Lane) - set(missing):
        server.client().create_queue(QueueName=options.name_of(lane))

    with pytest.raises(ConfigError, match="queues are missing") as raised:
        queue.prepare()

    told, _, commands = str(raised.value).partition(" Run: ")
    assert told == "queue: queues are missing at SQS."
    assert [command.split() for command in commands.split(" && ")] == [
        [
            *("aws", "sqs", "create-queue", "--queue-name", options.name_of(lane)),
            *("--attributes", "MessageRetentionPeriod=600,VisibilityTimeout=10"),
            *("--region", REGION, "--endpoint-url", server.endpoint),
        ]
        for lane in missing
    ]
    assert not queue.is_prepared()
    queue.close()


def test_queues_that_others_made_are_used_as_they_are(
    options_of: Options, server: SqsServer
) -> None:
    options = options_of(creates=False)
    for lane in Lane:
        server.client().create_queue(
            QueueName=options.name_of(lane), Attributes={"VisibilityTimeout": "600"}
        )
    queue = SqsQueue(options)

    queue.prepare()

    with consuming(queue) as seen:
        task_id = put(queue)
        wait_until(lambda: seen == [task_id])
    queue.close()


def test_the_workers_are_as_many_as_the_options_say(options_of: Options) -> None:
    queue = SqsQueue(options_of(workers=7))

    assert {queue.workers(lane) for lane in Lane} == {7}
    queue.close()


def test_a_longer_wait_still_asks_often_whether_to_stop(options_of: Options) -> None:
    queue = SqsQueue(options_of(wait_s=20))
    queue.prepare()
    end = time.monotonic() + 2

    queue.consume(
        lambda _: None, lanes=list(Lane), until=lambda: time.monotonic() > end
    )

    assert time.monotonic() - end < 5
    queue.close()


def test_a_message_that_cannot_be_removed_is_handled_and_logged(
    queue: SqsQueue, options_of: Options, caplog: pytest.LogCaptureFixture
) -> None:
    task_id = put(queue)
    seen: list[TaskId] = []

    with Stubber(queue._sqs()._patient) as stub:
        found = {"Body": task_id, "ReceiptHandle": "r"}
        told = {"ResponseMetadata": {"RequestId": "1", "HTTPHeaders": {}}}
        url = {"QueueUrl": "http://127.0.0.1/q"}
        stub.add_response("get_queue_url", {**told, **url})
        stub.add_response("receive_message", {**told, "Messages": [found]})
        stub.add_client_error("delete_message", "AccessDenied")
        queue._sqs()._addresses.clear()
        queue.consume(seen.append, lanes=[Lane.LIGHT], until=lambda: bool(seen))

    assert seen == [task_id]
    (record,) = caplog.records
    assert record.getMessage() == "a message was not removed, and comes back"
    assert vars(record)["hv_why"] == (
        f"SQS refuses sqs:DeleteMessage; allow it on {options_of().name_of(Lane.LIGHT)}."
    )


def test_a_server_that_is_killed_and_comes_back_is_waited_out(
    own_server: SqsServer, options_of: Options
) -> None:
    options = options_of(endpoint=own_server.endpoint)
    queue = SqsQueue(options)
    queue.prepare()
    with consuming(queue) as seen:
        first = put(queue)
        wait_until(lambda: first in seen)

        own_server.kill()
        for call in (lambda: put(queue), queue.ping, lambda: queue.depth(Lane.LIGHT)):
            with pytest.raises(UnavailableError, match="SQS does not answer"):
                call()
        own_server.start()
        with pytest.raises(UnavailableError, match="run: hv migrate"):
            queue.ping()
        queue.prepare()

        last = put(queue)
        wait_until(lambda: last in seen)
    queue.close()


def test_nobody_waits_for_a_frozen_server(
    own_server: SqsServer, options_of: Options
) -> None:
    queue = SqsQueue(options_of(endpoint=own_server.endpoint, timeout_s=0.25))
    queue.prepare()
    stopped = threading.Event()
    thread = threading.Thread(
        target=queue.consume,
        args=(lambda _: None,),
        kwargs={"lanes": list(Lane), "until": stopped.is_set},
    )
    own_server.freeze()
    thread.start()

    def refused() -> None:
        with pytest.raises(UnavailableError, match="SQS does not answer"):
            put(queue)

    took_s = seconds(refused)
    stopped.set()
    thread.join(timeout=5)

    assert took_s < 1
    assert not thread.is_alive()
    own_server.thaw()
    queue.close()


def test_no_credentials_are_named_with_what_to_set(
    options_of: Options, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    queue = SqsQueue(options_of())

    with pytest.raises(UnavailableError, match="set AWS_ACCESS_KEY_ID"):
        queue.ping()

    queue.close()


def test_no_region_is_named_with_what_to_set(
    options_of: Options, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AWS_DEFAULT_REGION", raising=False)

    with pytest.raises(ConfigError, match="HV_QUEUE__OPTIONS__REGION"):
        SqsQueue(options_of(region=""))


def test_an_unusable_profile_is_a_configuration_error(
    options_of: Options, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_PROFILE", "unknown")

    with pytest.raises(ConfigError, match="AWS_PROFILE"):
        SqsQueue(options_of())


@pytest.fixture
def half(server: SqsServer) -> Iterator[HalfAnsweringServer]:
    with half_answering_server(server.endpoint) as made:
        made.answer = None
        yield made


@pytest.fixture
def half_answered(half: HalfAnsweringServer, options_of: Options) -> Iterator[SqsQueue]:
    made = SqsQueue(options_of(endpoint=half.url))
    made.prepare()
    yield made
    made.close()


def test_an_answer_that_is_none_of_sqs_is_an_outage(
    half: HalfAnsweringServer, half_answered: SqsQueue
) -> None:
    half_answered.ping()

    calls = (
        lambda: put(half_answered),
        lambda: half_answered.depth(Lane.LIGHT),
        half_answered.ping,
        half_answered.is_prepared,
        lambda: half_answered._sqs().receive(Lane.LIGHT, wait_s=0),
    )
    for half.answer in HALF_ANSWERS:
        for call in calls:
            with pytest.raises(UnavailableError, match=r"not SQS|without"):
                call()


@pytest.mark.parametrize("answer", [PAGE, b"[]", b'{"Messages": [{"Body": "x"}]}'])
def test_a_worker_pauses_at_answers_that_are_none_of_sqs_and_goes_on_afterwards(
    half: HalfAnsweringServer,
    half_answered: SqsQueue,
    caplog: pytest.LogCaptureFixture,
    answer: bytes,
) -> None:
    caplog.set_level(logging.INFO)
    with consuming(half_answered) as seen:
        first = put(half_answered)
        wait_until(lambda: first in seen)
        half.answer = answer
        took_s = seconds(lambda: wait_until(lambda: half.requests > 2 * len(Lane)))
        half.answer = None
        last = put(half_answered)
        wait_until(lambda: last in seen)

    # Each lane rests for 0.1 s, and then for twice as long each time.
    assert took_s > 0.25
    lines = [
        (record.getMessage(), vars(record)["hv_lane"])
        for record in caplog.records
        if hasattr(record, "hv_lane")
    ]
    told = [lane for line, lane in lines if line == "the queue does not answer"]
    assert sorted(told) == sorted(set(told)) == sorted(lane.value for lane in Lane)


def test_a_worker_pauses_where_nothing_waits_for_messages(
    half: HalfAnsweringServer, half_answered: SqsQueue
) -> None:
    half.headers = {"Content-Type": "application/x-amz-json-1.0"}

    half.answer = b"{}"
    half_answered._sqs()._addresses[Lane.LIGHT] = f"{half.url}/queue"

    took_s = seconds(
        lambda: half_answered.consume(
            lambda _: None, lanes=[Lane.LIGHT], until=lambda: half.requests > 4
        )
    )

    assert took_s > 3 * LOOKS_AGAIN_S
