"""
The queue inside one process keeps the promises of the port.
"""

import pytest

from hv_queue_local.backend import LocalQueue
from hvcore.testing.queue import QueueConformance


class TestLocalQueue(QueueConformance):
    @pytest.fixture
    def queue(self) -> LocalQueue:
        return LocalQueue()
