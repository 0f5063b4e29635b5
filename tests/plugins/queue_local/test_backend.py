"""
The queue inside one process keeps the promises of the port.
"""

import pytest

from hvcore.testing.queue import QueueConformance
from hvcore_queue_local.backend import LocalQueue


class TestLocalQueue(QueueConformance):
    @pytest.fixture
    def queue(self) -> LocalQueue:
        return LocalQueue()

    @pytest.fixture
    def elsewhere(self) -> LocalQueue:
        return LocalQueue()
