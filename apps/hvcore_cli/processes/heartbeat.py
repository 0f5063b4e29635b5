"""The heartbeat in the database of a process of the command line."""

import threading
from functools import partial

import click

from hvcore.assembly import build
from hvcore.settings import Settings
from hvcore_worker.database_heartbeat import begin_to_beat


def beat_beside(settings: Settings) -> None:
    """
    Tell the database now and then that this process is at work, and of which version.

    Call it after a fork, which no thread may precede.
    """
    command = click.get_current_context(silent=True)
    kind = command.info_name if command and command.info_name else "hv"
    begin_to_beat(partial(build, settings, rings=False), kind, threading.Event())
