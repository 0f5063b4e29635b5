"""A watchdog that ends a hanging process, so that its supervisor starts another one."""

import logging
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

HANGS_AFTER_S: Final = 120.0
"""The seconds without a heartbeat after which a process counts as hanging; calls of databases
give up sooner."""

_log = logging.getLogger(__name__)


class Heartbeat:
    """
    A watchdog that ends the process if no work was done for ``HANGS_AFTER_S`` seconds.

    An analytics sink may never answer, and a thread that waits for it cannot be ended.
    """

    def __init__(self, hangs_after_s: float = HANGS_AFTER_S) -> None:
        self._hangs_after_s = hangs_after_s
        self._beat_at_s = time.monotonic()

    def beat(self) -> None:
        """Note that the thread that counts the edge's segments makes progress."""
        self._beat_at_s = time.monotonic()

    @contextmanager
    def required(self) -> Iterator[None]:
        """
        Within the ``with`` block, end the process with status 1 if ``beat`` is not called.

        The process ends after ``HANGS_AFTER_S`` seconds without a call.
        """
        done = threading.Event()
        self.beat()
        watch = threading.Thread(target=self._watch, args=(done,), daemon=True)
        watch.start()
        try:
            yield
        finally:
            done.set()

    def _watch(self, done: threading.Event) -> None:
        while (left_s := self._beat_at_s + self._hangs_after_s - time.monotonic()) > 0:
            if done.wait(left_s):
                return
        _log.critical(
            "a sink has not answered for %d seconds: this process ends, and what it was "
            "at is done again by the next one",
            self._hangs_after_s,
        )
        logging.shutdown()
        os._exit(1)
