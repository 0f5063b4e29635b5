"""
A reduced RQ worker that only takes messages and calls their function.

The worker forks nothing and installs no signal handlers, because the process that calls
it owns both. It keeps no record of a running job: a lease in the
database does that, and a record in Redis would outlive a killed worker.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from math import inf
from typing import Final

from redis import Redis, RedisError
from rq import Queue, SimpleWorker
from rq.exceptions import DequeueTimeout, NoSuchJobError
from rq.job import Job
from rq.serializers import JSONSerializer
from rq.worker import DequeueStrategy, WorkerStatus
from rq.worker_registration import clean_worker_registry, get_keys

from hvcore.plugin_api import hand_over
from hvcore_queue_rq.jobs import RING

POLL_S: Final = 1
"""The seconds of one wait for messages: half of the 2 s within which ``until`` must be called."""
REGISTERED_FOR_S: Final = 60
"""The seconds for which a worker is registered; a killed one is in ``rq info`` a minute longer."""

_log = logging.getLogger(__name__)


class InlineWorker(SimpleWorker):
    """An RQ worker that calls the function of each message in the calling thread."""

    max_connection_wait_time = 2.0

    def __init__(self, queues: Sequence[Queue], connection: Redis) -> None:
        super().__init__(
            queues,
            connection=connection,
            serializer=JSONSerializer,
            worker_ttl=REGISTERED_FOR_S,
        )
        # Else the first lane's messages would hold up the other's.
        self._dequeue_strategy = DequeueStrategy.ROUND_ROBIN
        self._renewed_at = -inf

    @property
    def dequeue_timeout(self) -> int:
        """The most seconds of one wait for messages."""
        return POLL_S

    def run(self, until: Callable[[], bool]) -> None:
        """
        Take messages and call their function until ``until()`` returns True.

        Raises:
            redis.RedisError: The server does not answer.
        """
        self._register()
        for queue in self.queues:
            # What killed workers have left behind.
            clean_worker_registry(queue)
        try:
            while not until():
                self._take_one()
        finally:
            self._unregister()

    def look_once(self) -> None:
        """
        Take one message if there is one, and call its function, without waiting for a message.

        Raises:
            redis.RedisError: The server does not answer, or refuses.
        """
        self._register()
        try:
            popped = Queue.lpop(
                [queue.key for queue in self.queues], None, connection=self.connection
            )
            if popped is not None:
                self._handle(popped)
        finally:
            self._unregister()

    def _take_one(self) -> None:
        try:
            popped = Queue.lpop(
                [queue.key for queue in self._ordered_queues],
                self.dequeue_timeout,
                connection=self.connection,
            )
        except DequeueTimeout:
            self._register()
            return
        self._handle(popped)

    def _handle(self, popped: tuple[str | bytes, bytes]) -> None:
        key, job_id = (
            part if isinstance(part, str) else part.decode() for part in popped
        )
        queue = next(queue for queue in self.queues if queue.key == key)
        self.reorder_queues(queue)
        try:
            job = Job.fetch(
                job_id, connection=self.connection, serializer=JSONSerializer
            )
        except NoSuchJobError:
            # Waited for longer than a message lives; another was put since.
            return
        self.execute_job(job, queue)

    def execute_job(self, job: Job, queue: Queue) -> None:  # noqa: ARG002 - rq's
        """Call the function of a message, and log its errors."""
        # First: whatever happens from here on, the lease takes care of it.
        self.connection.delete(job.key)
        if time.monotonic() - self._renewed_at > REGISTERED_FOR_S / 2:
            # Short jobs, one after the other, leave no pause to do it in.
            self._register()
        if job.func_name != RING:
            _log.error("a message of somebody else was dropped")
            return
        # Not job.perform(), which writes to Redis.
        with self._staying_registered():
            hand_over(job.func, *job.args)

    @contextmanager
    def _staying_registered(self) -> Iterator[None]:
        # A job may last longer than the record; and who works is counted.
        has_ended = threading.Event()

        def renew() -> None:
            while not has_ended.wait(REGISTERED_FOR_S / 2):
                with suppress(RedisError):
                    self._register()

        thread = threading.Thread(target=renew, name="rq-record", daemon=True)
        thread.start()
        try:
            yield
        finally:
            has_ended.set()
            thread.join()

    def _register(self) -> None:
        # After FLUSHALL, or after a job of hours, the record is gone.
        self._renewed_at = time.monotonic()
        if self.connection.exists(self.key):
            self.heartbeat()
        else:
            self.register_birth()  # type: ignore[no-untyped-call]  # rq
            self.set_state(WorkerStatus.IDLE)

    def _unregister(self) -> None:
        # Without a server there is no record either; and the reason to stop
        # must not be hidden by this.
        with suppress(RedisError):
            self.register_death()  # type: ignore[no-untyped-call]  # rq
            # rq keeps the record for a minute; nobody asks for it.
            self.connection.delete(self.key)


def count_workers(queue: Queue) -> int:
    """
    Return the number of workers of a queue that were active a moment ago.

    Raises:
        redis.RedisError: The server does not answer.
    """
    keys = get_keys(queue)
    # The list keeps killed workers until another one starts.
    return queue.connection.exists(*keys) if keys else 0
