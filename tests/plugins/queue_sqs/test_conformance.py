"""
The queue on SQS keeps the promises of the port, with moto in SQS's place.

SQS itself may now and then repeat a message, and counts approximately; moto does neither.
"""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar

import pytest

from hvcore.testing.queue import OutageOfQueue, ReopenedQueue, SharedQueueConformance
from hvcore_queue_sqs.backend import SqsQueue
from tests.plugins.queue_sqs.conftest import Options
from tests.support.stores.sqs_server import SqsServer

pytestmark = pytest.mark.services


@pytest.mark.long
class TestSqsQueue(SharedQueueConformance):
    # A message whose answer was late comes back after ten seconds.
    patience_s = 15.0
    leftovers: ClassVar = {
        "children": "after an outage the imitation of SQS begins again, for all tests"
    }

    @pytest.mark.long
    def test_a_thousand_ids_arrive_once_each(self, queue: SqsQueue) -> None:
        """
        As in the kit; moto takes a minute for them.
        """
        super().test_a_thousand_ids_arrive_once_each(queue)

    @pytest.fixture
    def queue(self, queue: SqsQueue) -> SqsQueue:
        return queue

    @pytest.fixture
    def reopened(self, options_of: Options) -> ReopenedQueue:
        return lambda: SqsQueue(options_of())

    @pytest.fixture
    def elsewhere(self, options_of: Options) -> Iterator[SqsQueue]:
        made = SqsQueue(options_of(prefix=f"kit-{uuid.uuid4().hex}"))
        made.prepare()
        yield made
        made.close()

    @pytest.fixture
    def outage(self, server: SqsServer, options_of: Options) -> OutageOfQueue:
        @contextmanager
        def killed() -> Iterator[None]:
            server.kill()
            yield
            server.start()
            # SQS never forgets its queues, and the imitation does.
            made = SqsQueue(options_of())
            made.prepare()
            made.close()

        return killed
