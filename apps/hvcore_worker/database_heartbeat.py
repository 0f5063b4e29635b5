"""Record in the database that a process is alive, from a thread of that process."""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from hvcore.assembly import Services
from hvcore.errors import HvcoreError

BEATS_EVERY_S: Final = 30.0
"""The seconds between two heartbeats: three within the time for which a process counts as
alive."""

_log: Final = logging.getLogger(__name__)


@contextmanager
def beating(make: Callable[[], Services], kind: str) -> Iterator[None]:
    """
    Within the block, record every 30 s in the database that this process is at work.

    Call this after a fork: no thread may be started before one.

    Args:
        make: Makes the services, for each record anew.
        kind: The kind of the process, such as ``api``.
    """
    over = threading.Event()
    begin_to_beat(make, kind, over)
    try:
        yield
    finally:
        over.set()


def begin_to_beat(
    make: Callable[[], Services], kind: str, over: threading.Event
) -> None:
    """
    Start the heartbeat thread of ``beating``; it ends some time after the event ``over`` is set.

    Args:
        make: Makes the services by which the heartbeat is written.
        kind: What the process does, such as ``worker``.
    """
    threading.Thread(
        target=_beat, args=(make, kind, over), name="heartbeat", daemon=True
    ).start()


def _beat(make: Callable[[], Services], kind: str, over: threading.Event) -> None:
    while True:
        try:
            # Made anew each time: a database that was away is asked as if it never was.
            with make() as services:
                services.beat(kind)
        except Exception as error:  # noqa: BLE001 - there may be no tables yet
            told = isinstance(error, HvcoreError)
            why = str(error) if told else type(error).__name__
            _log.info("no heartbeat", extra={"hv_why": why})
        if over.wait(BEATS_EVERY_S):
            return
