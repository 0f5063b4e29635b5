"""
Consumers of a queue that run in a thread.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from hvcore.domain.ids import TaskId, new_task_id
from hvcore.plugin_api import Lane
from hvcore_queue_rq.backend import RqQueue


class Consumer:
    """
    Consumes in a thread and remembers what it was given.
    """

    def __init__(self) -> None:
        self.seen: list[TaskId] = []
        self.stop = threading.Event()

    def handle(self, task_id: TaskId) -> None:
        """
        Take a message.
        """
        self.seen.append(task_id)

    def has_seen(self, task_id: TaskId) -> Callable[[], bool]:
        """
        Return a condition for wait_until.
        """
        return lambda: task_id in self.seen


@contextmanager
def consuming(
    queue: RqQueue, lanes: Sequence[Lane] = (Lane.ENCODE,)
) -> Iterator[Consumer]:
    consumer = Consumer()
    thread = threading.Thread(
        target=queue.consume,
        args=(consumer.handle,),
        kwargs={"lanes": lanes, "until": consumer.stop.is_set},
    )
    thread.start()
    try:
        yield consumer
    finally:
        consumer.stop.set()
        thread.join(timeout=10)
    assert not thread.is_alive()


def put(queue: RqQueue, lane: Lane = Lane.ENCODE) -> TaskId:
    task_id = new_task_id()
    queue.put(task_id, kind="test", lane=lane)
    return task_id


CONSUME = """
import sys, time
from hvcore_queue_rq.backend import RqQueue
from hvcore.plugin_api import Lane

def handle(task_id):
    print(task_id, flush=True)
    time.sleep(600)

queue = RqQueue(url=sys.argv[1], prefix="test")
queue.consume(handle, lanes=[Lane.ENCODE], until=lambda: False)
"""
