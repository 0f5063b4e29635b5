"""The heartbeat of a process in the database."""

import logging
import threading
import time
from typing import Final

import click

from hvcore import __version__
from hvcore.assembly import build
from hvcore.errors import HvcoreError
from hvcore.settings import Settings
from hvcore_worker.identity import worker_name

BEATS_EVERY_S: Final = 30.0
"""Three times within what the database takes a process for alive."""

_log: Final = logging.getLogger(__name__)


def beat_beside(settings: Settings) -> None:
    """
    Tell the database now and then that this process is at work, and of which version.

    Call it after a fork, which no thread may precede.
    """
    command = click.get_current_context(silent=True)
    kind = command.info_name if command and command.info_name else "hv"
    threading.Thread(
        target=_beat, args=(settings, kind), name="heartbeat", daemon=True
    ).start()


def _beat(settings: Settings, kind: str) -> None:
    name = worker_name(settings.data_dir)
    while True:
        try:
            # Made anew each time: a database that was away is asked as if it never was.
            with build(settings, rings=False) as services:
                services.beat(name, f"{kind} {__version__}")
        except HvcoreError as error:
            _log.info("no heartbeat", extra={"hv_why": str(error)})
        time.sleep(BEATS_EVERY_S)
