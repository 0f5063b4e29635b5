"""
The promises of queues, as tests.

A plugin's tests inherit and give the fixtures::

    class TestAcmeQueue(SharedQueueConformance):
        @pytest.fixture
        def queue(self): ...

        @pytest.fixture
        def reopened(self): ...

        @pytest.fixture
        def outage(self): ...

        @pytest.fixture
        def elsewhere(self): ...

A queue inside one process inherits from QueueConformance and gives ``queue`` and
``elsewhere`` alone.
Each test gets an empty queue of its own; the kit itself uses no network. It forks.
"""

from hvcore.testing.queue.consuming import QueueConformance
from hvcore.testing.queue.sharing import (
    OutageOfQueue,
    ReopenedQueue,
    SharedQueueConformance,
)

__all__ = [
    "OutageOfQueue",
    "QueueConformance",
    "ReopenedQueue",
    "SharedQueueConformance",
]
