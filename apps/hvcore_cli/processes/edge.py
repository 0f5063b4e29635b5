"""``hv edge``: set up nginx in front of delivery, and count the segments it serves."""

import signal
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from hvcore.errors import UnavailableError
from hvcore.processes import heartbeat as own_heartbeat
from hvcore_cli.invocation import CliError, HvGroup, Invocation, pass_invocation
from hvcore_cli.logs import process_logs
from hvcore_cli.output import say
from hvcore_cli.processes.metrics.command import measure, serve_beside

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hvcore.assembly import Services
    from hvcore.playback_tokens import TokenKey
    from hvcore_edge.failures import FailureLog
    from hvcore_edge.ingest import Ingest

INGEST_EVERY_S: Final = 2.0
"""The seconds between two readings of nginx's counts, which must be visible within 10 s, as
those of delivery."""


@click.group(cls=HvGroup)
def edge() -> None:
    """Put nginx in front of delivery, and count the segments that it serves."""


@edge.command("nginx")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write configuration, script and secrets into this folder.",
)
@pass_invocation
def nginx(invocation: Invocation, out: Path | None) -> None:
    """Print the nginx configuration, or write it with all files that it needs."""
    from hvcore.assembly import build  # noqa: PLC0415
    from hvcore_edge.config import EdgeConfig, storage_folder  # noqa: PLC0415 - only here

    settings = invocation.load().settings
    with build(settings, rings=False) as services:
        made = EdgeConfig(
            settings=settings,
            folder=services.edge_folder,
            scripts=(out or services.edge_folder).absolute(),
            storage=storage_folder(settings),
        )
        if out is None:
            click.echo(made.config(), nl=False)
            return
        path = made.write(_known_keys(services))
    say(f"Written. Check and start it with: nginx -t -c {path} && nginx -c {path}")
    say(f"If it runs, have it read them with: nginx -c {path} -s reload")


def _known_keys(services: "Services") -> "Sequence[TokenKey]":
    """
    Return the keys that verify, as far as this machine can know them.

    A machine of an edge may not reach the database. What is signed with a key that the
    edge lacks goes to the service.
    """
    ring, now = services.key_ring, services.clock.now()
    with suppress(UnavailableError):
        if not services.why_unusable():
            return ring.keys(now)
    return [*ring.own_keys.believed((), now).values()]


@edge.command("ingest")
@click.option(
    "--once", is_flag=True, help="Read the files that nginx has finished, then exit."
)
@pass_invocation
def ingest(invocation: Invocation, *, once: bool) -> None:
    """
    Bring the segments that nginx has counted to the analytics sinks, until SIGTERM.

    Each segment counts once, even if a process is killed.
    """
    from hvcore.spool import the_only_reader  # noqa: PLC0415
    from hvcore_edge.failures import FailureLog  # noqa: PLC0415 - only here
    from hvcore_edge.heartbeat import Heartbeat  # noqa: PLC0415 - only here
    from hvcore_edge.ingest import Ingest  # noqa: PLC0415 - only here

    settings = invocation.load().settings
    process_logs.configure(settings.log.format)
    measure(settings)
    serve_beside(settings, is_supervised=once)
    own_heartbeat.begin(settings.server.heartbeat_path)
    with invocation.services() as services:
        folder = services.edge_folder
        if not folder.is_dir():
            raise CliError(
                f"{folder} is not there: run hv edge nginx --out DIR first, or correct "
                "HV_EDGE__FOLDER."
            )
        heartbeat = Heartbeat()
        reading = Ingest(
            folder=folder,
            sinks=services.flusher.sinks,
            names=services.session_names,
            beat=heartbeat.beat,
        )
        with the_only_reader(folder) as is_alone:
            if not is_alone:
                raise CliError(f"Another hv edge ingest reads {folder} already.")
            with heartbeat.required():
                if not once:
                    _keep_ingesting(reading, FailureLog(folder))
                    return
                is_whole = reading.run_once()
            if not is_whole:
                raise CliError(
                    "Not everything was counted. Fix the cause, which the log names, and run "
                    "this again: nothing is counted twice."
                )


def _keep_ingesting(reading: "Ingest", failures: "FailureLog") -> None:
    stopped = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopped.set())
    while True:
        own_heartbeat.beat()
        # What a sink refuses is in the log, and tried again.
        reading.run_once()
        failures.count_new()
        if stopped.wait(INGEST_EVERY_S):
            # What was served while nginx ended, too.
            reading.run_once()
            return
