"""
The queue inside one process keeps the promises of the port.
"""

import os
from collections.abc import Callable

import pytest

from hvcore.plugin_api import Lane, TaskId, UnavailableError
from hvcore.testing.queue import QueueConformance
from hvcore_queue_local.backend import LocalQueue


class TestLocalQueue(QueueConformance):
    @pytest.fixture
    def queue(self) -> LocalQueue:
        return LocalQueue()

    @pytest.fixture
    def elsewhere(self) -> LocalQueue:
        return LocalQueue()


@pytest.mark.parametrize(
    "ask",
    [
        lambda queue: queue.put(TaskId("task"), kind="kind", lane=Lane.LIGHT),
        lambda queue: queue.consume(print, lanes=[Lane.LIGHT], until=lambda: True),
        lambda queue: queue.depth(Lane.LIGHT),
        lambda queue: queue.workers(Lane.LIGHT),
        lambda queue: queue.ping(),
    ],
    ids=["put", "consume", "depth", "workers", "ping"],
)
def test_a_queue_of_a_process_before_a_fork_says_whose_it_is(
    monkeypatch: pytest.MonkeyPatch, ask: Callable[[LocalQueue], object]
) -> None:
    queue = LocalQueue()
    monkeypatch.setattr(os, "getpid", lambda: -1)

    with pytest.raises(UnavailableError, match="belongs to another process"):
        ask(queue)
