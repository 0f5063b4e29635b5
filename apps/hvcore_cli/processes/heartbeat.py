"""Record in the database that a process of the command line is alive."""

import threading
from functools import partial

import click

from hvcore.assembly import build
from hvcore.settings import Settings
from hvcore_worker.database_heartbeat import begin_to_beat


def beat_beside(settings: Settings) -> None:
    """
    Record in the database at intervals, from a thread, that this process works, and its version.

    Call it after a fork, because no thread may be started before one.
    """
    command = click.get_current_context(silent=True)
    kind = command.info_name if command and command.info_name else "hv"
    begin_to_beat(partial(build, settings, rings=False), kind, threading.Event())
