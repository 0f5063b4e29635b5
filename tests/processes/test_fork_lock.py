"""
Locks of which a child of a fork knows nothing.
"""

import logging
import threading
from contextlib import ExitStack

import pytest

from hvcore.processes.fork_lock import ForkLock
from hvcore.testing.children import in_child
from hvcore.throttling.log_lines import LOG_LINES
from hvcore.throttling.shares import REFUSALS


def test_one_thread_at_a_time_holds_it() -> None:
    lock, entered = ForkLock(), threading.Event()

    def enter() -> None:
        with lock.held():
            entered.set()

    other = threading.Thread(target=enter)
    with lock.held():
        other.start()
        assert not entered.wait(0.05)
    other.join(10)

    assert entered.is_set()


def test_a_child_takes_a_lock_that_a_thread_of_its_parent_holds() -> None:
    lock = ForkLock()

    def take() -> str:
        with lock.held():
            return "taken"

    with lock.held():
        assert in_child(take) == "taken"
    with lock.held():
        pass


def test_a_child_that_is_forked_within_the_block_leaves_it() -> None:
    lock = ForkLock()

    def leave() -> str:
        block.close()
        with lock.held():
            return "left"

    with ExitStack() as block:
        block.enter_context(lock.held())

        assert in_child(leave) == "left"


@pytest.mark.parametrize("lock", [LOG_LINES._lock, REFUSALS._lock])
def test_a_child_counts_what_its_process_counts(lock: ForkLock) -> None:
    def count() -> str:
        log = logging.getLogger(__name__)
        LOG_LINES.write(log, logging.DEBUG, "x", client="one", extra={})
        REFUSALS.add("a share")
        return "counted"

    with lock.held():
        assert in_child(count) == "counted"
