"""The process that reads events of the object store from a queue."""

import logging
import threading
from collections.abc import Callable
from typing import Final

from hvcore.assembly import build
from hvcore.errors import HvcoreError
from hvcore.settings import Settings
from hvcore_notify.queue_reader import QueueReader, sqs_client

LOOKS_EVERY_S: Final = 1.0
ENDS_WITHIN_S: Final = 2.0
"""The seconds in which the process must finish the notification in work at its end; hv up
waits for 3 s."""

_log = logging.getLogger(__name__)


class ReaderEndedError(HvcoreError):
    """A bug ended the thread that reads the queue of store events; the log says why."""


def run_reader(settings: Settings, stopped: Callable[[float], bool]) -> None:
    """
    Read the object store's events from the queue until the process is stopped.

    Args:
        stopped: Waits for the given seconds, or until this process is asked to end; returns
            whether it is.

    Raises:
        ConfigError: The queue cannot be read with these settings.
        ReaderEndedError: A bug ended the reading.
    """
    with build(settings) as services:
        reader = QueueReader(
            client=sqs_client(settings.notify),
            url=settings.notify.sqs_url,
            events=services.storage_events,
        )
        # A thread that nobody has to wait for: SQS holds a request for 20 s. What it
        # answers to a process that has ended comes back into the queue.
        _log.info("the queue is read", extra={"hv_queue": reader.url})
        thread = threading.Thread(target=_read, args=(reader, stopped), daemon=True)
        thread.start()
        while thread.is_alive() and not stopped(LOOKS_EVERY_S):
            pass
        if not stopped(0):
            raise ReaderEndedError("The queue is not read any more; see the log.")
        thread.join(ENDS_WITHIN_S)


def _read(reader: QueueReader, stopped: Callable[[float], bool]) -> None:
    try:
        reader.keep_reading(stopped)
    except Exception:  # noqa: BLE001 - a thread's edge; its process ends with it
        _log.exception("the queue is not read any more")
