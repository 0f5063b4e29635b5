"""
The queue on RQ, against a real server.
"""

import logging
import signal
import subprocess
import sys
import threading
import time

import pytest
import redis

from hvcore.domain.ids import TaskId, new_task_id
from hvcore.errors import ConfigError, UnavailableError
from hvcore.plugin_api import Lane
from hvcore_queue_rq.backend import MESSAGE_LIVES_S, RqQueue
from hvcore_queue_rq.jobs import ring
from tests.plugins.queue_rq.consumers import CONSUME, consuming, put
from tests.support.servers import wait_until


def test_messages_arrive_in_their_lane(queue: RqQueue) -> None:
    encode, light = put(queue), put(queue, Lane.LIGHT)
    assert (queue.depth(Lane.ENCODE), queue.depth(Lane.LIGHT)) == (1, 1)

    with consuming(queue) as consumer:
        wait_until(consumer.has_seen(encode))
    assert consumer.seen == [encode]

    with consuming(queue, list(Lane)) as consumer:
        wait_until(consumer.has_seen(light))
    assert queue.depth(Lane.LIGHT) == 0


def test_one_lane_does_not_hold_up_another(queue: RqQueue) -> None:
    for _ in range(20):
        put(queue)
    light = put(queue, Lane.LIGHT)

    with consuming(queue, list(Lane)) as consumer:
        wait_until(consumer.has_seen(light))
        wait_until(lambda: len(consumer.seen) == 21)

    assert consumer.seen.index(light) < 3


def test_a_task_can_be_put_again_while_it_runs(queue: RqQueue) -> None:
    task_id = new_task_id()
    seen: list[TaskId] = []

    def handle(found: TaskId) -> None:
        seen.append(found)
        if len(seen) == 1:
            queue.put(task_id, kind="test", lane=Lane.LIGHT)

    queue.put(task_id, kind="test", lane=Lane.LIGHT)
    deadline = time.monotonic() + 20
    queue.consume(
        handle,
        lanes=[Lane.LIGHT],
        until=lambda: len(seen) == 2 or time.monotonic() > deadline,
    )

    assert seen == [task_id, task_id]


def test_an_error_in_the_handler_drops_the_message(
    queue: RqQueue, caplog: pytest.LogCaptureFixture
) -> None:
    bad, good = put(queue), put(queue)
    seen: list[TaskId] = []

    def handle(task_id: TaskId) -> None:
        seen.append(task_id)
        if task_id == bad:
            raise ValueError("broken")

    with caplog.at_level(logging.ERROR):
        queue.consume(handle, lanes=[Lane.ENCODE], until=lambda: good in seen)

    assert seen == [bad, good]
    assert "handling a task failed" in caplog.text


def test_a_service_that_does_not_answer_is_one_line_in_the_log(
    queue: RqQueue, caplog: pytest.LogCaptureFixture
) -> None:
    seen = [put(queue)]

    def handle(_task_id: TaskId) -> None:
        seen.clear()
        raise UnavailableError("The database does not answer.")

    queue.consume(handle, lanes=[Lane.ENCODE], until=lambda: not seen)

    (record,) = [r for r in caplog.records if "was not taken" in r.getMessage()]
    assert (record.levelno, record.exc_info) == (logging.WARNING, None)


def test_a_signal_handlers_exception_ends_the_consumer(queue: RqQueue) -> None:
    put(queue)

    def handle(_: TaskId) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        queue.consume(handle, lanes=[Lane.ENCODE], until=lambda: False)


def test_consuming_leaves_signal_handlers_alone(queue: RqQueue) -> None:
    before = [signal.getsignal(number) for number in signal.valid_signals()]
    seen: list[TaskId] = []
    put(queue)

    queue.consume(seen.append, lanes=[Lane.ENCODE], until=lambda: bool(seen))

    assert before == [signal.getsignal(n) for n in signal.valid_signals()]


def test_an_idle_consumer_stops_within_two_seconds(queue: RqQueue) -> None:
    end = time.monotonic() + 0.5

    queue.consume(
        lambda _: None, lanes=list(Lane), until=lambda: time.monotonic() > end
    )

    assert time.monotonic() - end < 2


def test_nothing_stays_behind_in_redis(queue: RqQueue, redis_url: str) -> None:
    def handle(_: TaskId) -> None:
        raise ValueError("broken")

    for _ in range(5):
        put(queue)
    queue.consume(handle, lanes=list(Lane), until=lambda: not queue.depth(Lane.ENCODE))

    with redis.Redis.from_url(redis_url) as client:
        assert client.keys("*") == [b"rq:queues"]


def test_messages_that_nobody_takes_expire(queue: RqQueue, redis_url: str) -> None:
    put(queue)

    with redis.Redis.from_url(redis_url) as client:
        (key,) = client.keys("rq:job:*")
        assert 0 < client.ttl(key) <= MESSAGE_LIVES_S
        client.delete(key)
    last = put(queue)

    with consuming(queue) as consumer:
        wait_until(consumer.has_seen(last))
    assert consumer.seen == [last]


def test_a_killed_consumer_loses_nothing_that_is_put_again(
    queue: RqQueue, redis_url: str
) -> None:
    task_id, waiting = put(queue), put(queue)
    with subprocess.Popen(
        [sys.executable, "-c", CONSUME, redis_url], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().decode().strip() == task_id
        process.send_signal(signal.SIGKILL)

    # As the sweep does when the lease has run out.
    queue.put(task_id, kind="test", lane=Lane.ENCODE)
    with consuming(queue) as consumer:
        wait_until(consumer.has_seen(task_id))

    assert consumer.seen == [waiting, task_id]


def test_consumers_are_counted_by_lane(queue: RqQueue) -> None:
    assert queue.workers(Lane.ENCODE) == 0

    with consuming(queue), consuming(queue, [Lane.ENCODE, Lane.LIGHT]):
        wait_until(lambda: queue.workers(Lane.ENCODE) == 2)
        assert queue.workers(Lane.LIGHT) == 1

    assert queue.workers(Lane.ENCODE) == 0


def test_a_consumer_whose_record_ran_out_while_it_works_is_counted(
    queue: RqQueue, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hvcore_queue_rq.worker.REGISTERED_FOR_S", 1)
    may_end = threading.Event()
    thread = threading.Thread(
        target=queue.consume,
        args=(lambda _: may_end.wait(30),),
        kwargs={"lanes": [Lane.ENCODE], "until": may_end.is_set},
    )
    put(queue)
    thread.start()
    wait_until(lambda: queue.depth(Lane.ENCODE) == 0)
    with redis.Redis.from_url(redis_url) as client:
        client.delete(*client.keys("rq:worker:*"))

    wait_until(lambda: queue.workers(Lane.ENCODE) == 1, timeout_s=10)

    may_end.set()
    thread.join(timeout=10)


def test_a_killed_consumer_is_not_counted_once_its_record_ran_out(
    queue: RqQueue, redis_url: str
) -> None:
    task_id = put(queue)
    with subprocess.Popen(
        [sys.executable, "-c", CONSUME, redis_url], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().decode().strip() == task_id
        assert queue.workers(Lane.ENCODE) == 1
        process.send_signal(signal.SIGKILL)

    with redis.Redis.from_url(redis_url) as client:
        (record,) = client.keys("rq:worker:*")
        assert client.ttl(record) <= 120
        client.delete(record)

    assert queue.workers(Lane.ENCODE) == 0


def test_a_plain_rq_worker_does_not_run_tasks() -> None:
    with pytest.raises(RuntimeError, match="hv worker"):
        ring("task_1")


def test_an_unusable_url_is_a_configuration_error() -> None:
    with pytest.raises(ConfigError, match=r"queue\.options\.url"):
        RqQueue(url="amqp://host", prefix="test")
