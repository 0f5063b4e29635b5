"""A queue on RQ, in a Redis or Valkey server."""

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from redis import ConnectionError as RedisConnectionError
from redis import Redis, RedisError, ResponseError
from redis.backoff import NoBackoff
from redis.exceptions import NoPermissionError
from redis.retry import Retry
from rq import Queue as RqMessages
from rq.serializers import JSONSerializer

from hvcore.plugin_api import (
    ConfigError,
    Lane,
    Queue,
    QueueOutage,
    TaskId,
    UnavailableError,
)
from hvcore_queue_rq.jobs import RING, handling
from hvcore_queue_rq.lanes import RestingLanes
from hvcore_queue_rq.worker import InlineWorker, count_workers

PUT_TIMEOUT_S: Final = 0.25
"""The time limit of putting a message: the port promises that a request does not wait for the queue."""
CONSUME_TIMEOUT_S: Final = 5
"""The socket time limit of a consumer, longer than a wait for messages (1 s); ends half-open connections."""
MESSAGE_LIVES_S: Final = 120
"""The seconds after which a message is dropped: eight times the interval at which a waiting task is put again."""
_TRIED: Final = "ping"
"""The name of the list that a ping writes to: named like a lane, and no consumer takes from it."""
_TRIED_S: Final = 5
_NOT_ALLOWED: Final = (
    "The user of queue.options.url may not do what the queue does: its keys begin with "
    "rq: (ACL ~rq:*)."
)
MAX_WAITING: Final = 100_000
"""The most messages in a lane, about 5 MB; the oldest are dropped and put again later."""
LOOKS_AGAIN_S: Final = 0.1
"""The seconds between two looks while every lane rests; ``until`` is called as often."""


class RqQueue(Queue):
    """A queue of task ids on RQ; if Redis loses all messages, the sweep puts waiting tasks again."""

    def __init__(self, *, url: str, prefix: str) -> None:
        self._url = url
        self._prefix = prefix
        self._client = _connect(
            url,
            timeout_s=PUT_TIMEOUT_S,
            # Once, at once: the pooled connection may be older than the
            # server. Not after a timeout, which is all the time there is.
            retry=Retry(NoBackoff(), 1, supported_errors=(RedisConnectionError,)),
        )

    def put(self, task_id: TaskId, *, kind: str, lane: Lane) -> None:
        """
        Put a task's id into a lane.

        Raises:
            UnavailableError: The message was not taken.
        """
        messages = self._messages(self._client, lane)
        try:
            with self._client.pipeline() as pipeline:
                # A fresh id each time: rq loses an id that is put again while
                # its job runs, in silence.
                messages.enqueue_call(
                    RING,
                    args=(task_id,),
                    # The default kills a job after 180 s; our watchdog knows
                    # better.
                    timeout=-1,
                    result_ttl=0,
                    ttl=MESSAGE_LIVES_S,
                    description=kind,
                    pipeline=pipeline,
                )
                pipeline.ltrim(messages.key, -MAX_WAITING, -1)
                pipeline.execute()
        except RedisError as exc:
            raise _outage(exc, lane) from exc

    def consume(
        self,
        handle: Callable[[TaskId], None],
        *,
        lanes: Sequence[Lane],
        until: Callable[[], bool],
    ) -> None:
        # RQ does without retries of the client: this loop is the retry.
        with (
            _connect(
                self._url,
                timeout_s=CONSUME_TIMEOUT_S,
                retry=Retry(NoBackoff(), 0),
            ) as client,
            handling(handle),
        ):
            outage = QueueOutage()
            resting = RestingLanes(lanes, client, partial(self._messages, client))

            def ask() -> bool:
                # Asked whenever the server has answered.
                outage.end()
                return until() or resting.has_rested

            while not until():
                try:
                    resting.look_again()
                    self._take_messages(client, resting, ask)
                except RedisError as exc:
                    outage.wait(exc, until)

    def _take_messages(
        self, client: Redis, resting: RestingLanes, until: Callable[[], bool]
    ) -> None:
        queues = [self._messages(client, lane) for lane in resting.awake]
        if not queues:
            time.sleep(LOOKS_AGAIN_S)
            return
        try:
            # A new worker after each outage, under a name of its own: rq refuses
            # a name that is still registered.
            InlineWorker(queues, client).run(until)
        except ResponseError as exc:
            # The server answers, and refuses a lane or all of them.
            resting.find_failing(exc)

    def depth(self, lane: Lane) -> int:
        """Count the messages that wait in a lane; a task that was put twice counts twice."""
        try:
            return int(self._messages(self._client, lane).count)
        except RedisError as exc:
            raise _outage(exc, lane) from exc

    def workers(self, lane: Lane) -> int:
        """
        Count the consumers of a lane, on all machines.

        Raises:
            UnavailableError: The server does not answer.
        """
        try:
            return count_workers(self._messages(self._client, lane))
        except RedisError as exc:
            raise _outage(exc, lane) from exc

    def ping(self) -> None:
        """
        Check that messages can be put, by a message to a list without consumers and a look at each lane.

        A PING alone, or a write under another name, would succeed with a user that may
        use only some keys, and PING also on a full or read-only server.

        Raises:
            UnavailableError: Messages cannot be put; the text names each lane that
                fails.
        """
        try:
            self._try_to_put()
            self._try_lanes()
        except NoPermissionError as exc:
            raise UnavailableError(_NOT_ALLOWED) from exc
        except RedisError as exc:
            raise _outage(exc) from exc

    def _try_to_put(self) -> None:
        tried = self._messages(self._client, _TRIED)
        with self._client.pipeline() as pipeline:
            job = tried.enqueue_call(
                RING, args=("",), ttl=_TRIED_S, result_ttl=0, pipeline=pipeline
            )
            pipeline.ltrim(tried.key, -MAX_WAITING, -1)
            pipeline.lpop(tried.key)
            pipeline.delete(tried.key, job.key)
            pipeline.srem(RqMessages.redis_queues_keys, tried.key)
            pipeline.execute()
        count_workers(tried)

    def _try_lanes(self) -> None:
        keys = {lane: self._messages(self._client, lane).key for lane in Lane}
        with self._client.pipeline(transaction=False) as pipeline:
            for key in keys.values():
                # A write that changes nothing, as far as put goes.
                pipeline.ltrim(key, 0, -1)
            answers = pipeline.execute(raise_on_error=False)
        told = [
            _outage(answer, lane).detail
            for lane, answer in zip(keys, answers, strict=True)
            if isinstance(answer, RedisError)
        ]
        if told:
            raise UnavailableError(" ".join(told))

    def close(self) -> None:
        self._client.close()

    def _messages(self, client: Redis, lane: Lane | str) -> RqMessages:
        name = lane.value if isinstance(lane, Lane) else lane
        return RqMessages(
            f"{self._prefix}:{name}",
            connection=client,
            serializer=JSONSerializer,
        )


def _outage(error: RedisError, lane: Lane | None = None) -> UnavailableError:
    if lane is None or not isinstance(error, ResponseError):
        return UnavailableError("The queue does not answer.")
    code = str(error).partition(" ")[0]
    # Of an answer without a code of Redis, the words are not shown.
    code = code if code.isascii() and code.isupper() else "an error"
    return UnavailableError(f"The queue of the lane {lane.value} refuses: {code}.")


def _connect(url: str, *, timeout_s: float, retry: Retry) -> Redis:
    try:
        return Redis.from_url(
            url,
            socket_timeout=timeout_s,
            socket_connect_timeout=timeout_s,
            retry=retry,
        )
    except ValueError as exc:
        raise ConfigError(
            "queue.options.url: expected redis://host:port/0 or unix:///path/to/socket"
        ) from exc
