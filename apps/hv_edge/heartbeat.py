"""
End a process that hangs: who keeps it running starts another one.
"""

import logging
import os
import threading
import time
from typing import Final

HANGS_AFTER_S: Final = 120.0
"""Without a beat; databases give up sooner."""

_log = logging.getLogger(__name__)


class Heartbeat:
    """
    What a process gives as long as it gets on with its work.

    Nothing else helps against a sink that never answers: a thread that waits in it
    cannot be ended.
    """

    def __init__(self, hangs_after_s: float = HANGS_AFTER_S) -> None:
        self._hangs_after_s = hangs_after_s
        self._beat_at_s = time.monotonic()

    def beat(self) -> None:
        """
        Say that the work goes on.
        """
        self._beat_at_s = time.monotonic()

    def start(self) -> None:
        """
        From now on end the process, with status 1, when it has said nothing for so long.
        """
        threading.Thread(target=self._watch, name="heartbeat", daemon=True).start()

    def _watch(self) -> None:
        while (left_s := self._beat_at_s + self._hangs_after_s - time.monotonic()) > 0:
            time.sleep(left_s)
        _log.critical(
            "a sink has not answered for %d seconds: this process ends, and what it was "
            "at is done again by the next one",
            self._hangs_after_s,
        )
        logging.shutdown()
        os._exit(1)
