"""Commands that each run one process of the service, such as the API or a worker, without ``hv up``."""

import logging
import socket
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final

import click

from hvcore.errors import HvcoreError, UnavailableError
from hvcore.processes import heartbeat
from hvcore.registry import Registry
from hvcore.services.counting.flusher import Flusher
from hvcore.settings import Settings
from hvcore_cli.invocation import (
    CliError,
    HvCommand,
    Invocation,
    duration_option,
    pass_invocation,
)
from hvcore_cli.logs import process_logs
from hvcore_cli.processes.heartbeat import beat_beside
from hvcore_cli.processes.metrics.command import measure, serve_beside
from hvcore_cli.processes.queue_server import refuse_lonely_queue
from hvcore_cli.processes.served_apps import noted_app
from hvcore_server.listening import BIND_PATIENCE_S, listen

API_THREADS: Final = 16
DELIVERY_THREADS: Final = 32
"""
The threads of delivery, besides those that are reserved for clients that hold no thread
(``shares.threads_reserved``). Uploads take at most half of them (hvcore_upload).
"""

_BOTH_NEED: Final = (
    *("access", "key_ring", "upload_signer", "storage", "outbound"),
    "middleware",
)
API_NEEDS: Final = (
    *_BOTH_NEED,
    "route_states",
    "rate_limits",
    "analytics_store",
    "transcoder",
    "queue",
)
DELIVERY_NEEDS: Final = (*_BOTH_NEED, "flusher")
"""The services without which delivery cannot start, and which bad settings may prevent."""

_log = logging.getLogger(__name__)

_host = click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="The address of this machine on which the servers listen.",
)
_fd = click.option("--fd", type=int, hidden=True)
_workers = click.option(
    "--workers",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="The number of processes that share the port.",
)
_PORTS: Final = click.IntRange(1, 65_535)


@click.command(cls=HvCommand)
@_host
@click.option(
    "--port", type=_PORTS, default=8080, show_default=True, help="The port of the API."
)
@_workers
@_fd
@pass_invocation
def api(
    invocation: Invocation, host: str, port: int, workers: int, fd: int | None
) -> None:
    """Run the API process without the other processes of the service."""
    from hvcore_reference.wsgi import api_app  # noqa: PLC0415 - this process's own

    _serve(
        invocation,
        api_app,
        name="api",
        listener=_listener(invocation, host, port, fd, needs=API_NEEDS),
        workers=workers,
        threads=API_THREADS,
        takes_files=False,
    )


@click.command(cls=HvCommand)
@_host
@click.option(
    "--port",
    type=_PORTS,
    default=8081,
    show_default=True,
    help="The port of delivery, player and uploads.",
)
@_workers
@_fd
@pass_invocation
def delivery(
    invocation: Invocation, host: str, port: int, workers: int, fd: int | None
) -> None:
    """Run the process that serves videos, the player and the upload address."""
    from hvcore_reference.wsgi import delivery_app  # noqa: PLC0415 - this process's own

    _serve(
        invocation,
        partial(delivery_app, flusher=_flush_command),
        name="delivery",
        listener=_listener(invocation, host, port, fd, needs=DELIVERY_NEEDS),
        workers=workers,
        threads=DELIVERY_THREADS,
        takes_files=True,
    )


@click.command(cls=HvCommand)
@click.option(
    "--lane",
    "lanes",
    multiple=True,
    type=click.Choice(["encode", "light"]),
    help="A lane from which the worker takes tasks; by default both lanes.",
)
@click.option(
    "--reserve",
    is_flag=True,
    help="Take only encodes of organizations without an encode in progress, while "
    "another organization has one. Needs --lane encode.",
)
@click.option(
    "--drain",
    "drains",
    is_flag=True,
    help="Run no worker: tell the workers of this data folder to take no more "
    "tasks, wait until they have ended, and exit with 1 if one has not.",
)
@click.option(
    "--within",
    "within_s",
    callback=duration_option,
    metavar="TIME",
    help="With --drain: how long the workers may finish their tasks, such as 5m. "
    "Then they hand the tasks to other workers. By default they hand them "
    "over at once.",
)
@click.option("--replaces", type=int, hidden=True)
@pass_invocation
def worker(  # noqa: PLR0913 - one for each option
    invocation: Invocation,
    *,
    lanes: tuple[str, ...],
    reserve: bool,
    drains: bool,
    within_s: float | None,
    replaces: int | None,
) -> None:
    """Run one worker alone, until SIGTERM; or end the running workers."""
    if within_s is not None and not drains:
        raise click.UsageError("--within needs --drain.")
    if drains:
        if lanes or reserve:
            raise click.UsageError("--drain takes neither --lane nor --reserve.")
        from hvcore_cli.processes.worker_drain import drain_workers  # noqa: PLC0415 - only this

        drain_workers(invocation.data, within_s=within_s or 0.0)
        return
    if reserve and lanes != ("encode",):
        raise click.UsageError("--reserve needs --lane encode, and no other lane.")
    from hvcore.domain.tasks.task import (  # noqa: PLC0415
        ENCODE_LANES,
        LIGHT_LANES,
        Lane,
    )
    from hvcore_worker.consume import run_worker  # noqa: PLC0415 - this process's own

    process_logs.configure(invocation.load().settings.log.format)
    _check_database(invocation)
    if replaces is not None:
        _free(invocation, replaces)
    wanted: list[Lane] = []
    # Light work first: it ends soon, and an encode may take many minutes.
    if not lanes or "light" in lanes:
        wanted += (*LIGHT_LANES, Lane.OUTBOUND)
    if not lanes or "encode" in lanes:
        # A reserve is there for encodes that would wait, which captions never do.
        wanted += [Lane.ENCODE] if reserve else ENCODE_LANES
    settings = _measured(invocation)
    # Its main thread may encode for hours.
    heartbeat.beat_aside()
    run_worker(settings, wanted, is_reserve=reserve, is_kept=_is_supervised())


@click.command(cls=HvCommand)
@pass_invocation
def sweep(invocation: Invocation) -> None:
    """Run the sweep, which puts lost tasks back and tidies up, until SIGTERM."""
    from hvcore_worker.sweep import run_sweep  # noqa: PLC0415 - this process's own

    process_logs.configure(invocation.load().settings.log.format)
    _check_database(invocation)
    run_sweep(_measured(invocation))


@click.command(cls=HvCommand)
@pass_invocation
def notify(invocation: Invocation) -> None:
    """
    Read the object store's events about new files, until SIGTERM.

    HV_NOTIFY__SQS_URL names the queue.
    """
    from hvcore_notify.queue_process import run_reader  # noqa: PLC0415 - this process's own
    from hvcore_worker.stopping import Stopping  # noqa: PLC0415 - see above

    process_logs.configure(invocation.load().settings.log.format)
    settings = invocation.load().settings
    if not settings.notify.sqs_url:
        raise CliError(
            "There is no queue to read. Set HV_NOTIFY__SQS_URL to its address; what is "
            "sent over HTTP is taken by hv delivery."
        )
    _check_database(invocation)
    run_reader(_measured(invocation), Stopping().wait)


@click.command(cls=HvCommand)
def flush() -> None:
    """
    Bring counts to the analytics sinks, until SIGTERM; started by hv delivery.

    The settings come from standard input.
    """
    from hvcore.assembly import build  # noqa: PLC0415
    from hvcore_reference.flushing import flush_until, read_settings  # noqa: PLC0415
    from hvcore_worker.stopping import Stopping  # noqa: PLC0415 - this process's own

    if not _is_supervised():
        raise CliError("hv delivery starts this by itself; run hv delivery instead.")
    process_logs.configure()
    stopping = Stopping()
    try:
        settings = read_settings(sys.stdin.buffer)
        process_logs.configure(settings.log.format)
        measure(settings)
        with build(settings, rings=False) as services:
            flush_until(stopping.wait, services.flusher)
    except (HvcoreError, ValueError, EOFError) as exc:
        # In the form of a log: the parent's may be one.
        _log.critical("counts are not brought to the sinks: %s", exc)
        sys.exit(1)


def _flush_command() -> Sequence[str]:
    from hvcore_cli.processes.supervisor import hv_arguments  # noqa: PLC0415 - only this needs it

    return hv_arguments("flush")


def _serve(  # noqa: PLR0913 - what differs between the two
    invocation: Invocation,
    make_app: Callable[[Settings, int], Any],
    *,
    name: str,
    listener: int,
    workers: int,
    threads: int,
    takes_files: bool,
) -> None:
    from hvcore_server.serving import most_threads, serve  # noqa: PLC0415 - gunicorn only here

    settings, is_supervised = invocation.load().settings, _is_supervised()
    measure(settings)
    _begin_heartbeat(settings)

    def make() -> Any:  # noqa: ANN401 - WSGI's own
        # After the fork, which no thread may precede.
        beat_beside(settings)
        serve_beside(settings, is_supervised=is_supervised)
        return make_app(settings, most_threads(threads, settings.shares))

    with noted_app(settings, name, listener):
        serve(
            make,
            name=f"{name} {invocation.data}",
            listener=listener,
            workers=workers,
            threads=threads,
            takes_files=takes_files,
            shares=settings.shares,
            # hv up ends all of them together: there is no other to send requests to.
            shutdown_delay_s=0 if is_supervised else settings.server.shutdown_delay_s,
        )


def _measured(invocation: Invocation) -> Settings:
    """Return the settings; what they make this process do is measured."""
    settings = invocation.load().settings
    measure(settings)
    serve_beside(settings, is_supervised=_is_supervised())
    _begin_heartbeat(settings)
    beat_beside(settings)
    return settings


def _begin_heartbeat(settings: Settings) -> None:
    # hv up watches over its own processes, and is what others watch over.
    if not _is_supervised():
        heartbeat.begin(settings.server.heartbeat_path)


def _listener(
    invocation: Invocation,
    host: str,
    port: int,
    fd: int | None,
    *,
    needs: Sequence[str],
) -> int:
    # Bad settings are a message now, not a worker that dies again and again.
    process_logs.configure(invocation.load().settings.log.format)
    _check_database(invocation)
    if not _is_supervised():
        _check_settings(invocation, needs)
    if fd is not None:
        return fd
    # Detached: a socket that nobody refers to closes its descriptor.
    return open_port(host, port).detach()


def _check_database(invocation: Invocation) -> None:
    """
    Refuse a database that is not at this version, and a queue that is of no use.

    Raises:
        CliError: It is so.
    """
    if _is_supervised():
        # hv up has migrated before, and a restart must be quick.
        return
    # A database that is away may come back: every process copes with that.
    with suppress(UnavailableError), invocation.services() as services:
        tell_of_faults(services.registry)
        refuse_lonely_queue(services)


def tell_of_faults(registry: Registry) -> None:
    """
    Log a warning for each broken plugin.

    A broken plugin that the settings choose stops the process elsewhere.
    """
    for fault in registry.faults:
        _log.warning("left out: %s", fault)


def _is_supervised() -> bool:
    root = click.get_current_context().find_root()
    return root.params.get("supervisor") is not None


def _check_settings(invocation: Invocation, needs: Sequence[str]) -> None:
    """
    Make once what a server will make after its fork, and close it again.

    Raises:
        HvcoreError: A setting is of no use; the text says which.
    """
    from hvcore_cli.extension_checks import check_extensions  # noqa: PLC0415

    with invocation.unmigrated_services() as services:
        check_extensions(services.registry)
        for name in needs:
            # What is out of reach now may come back: every process copes.
            with suppress(UnavailableError):
                try:
                    service = getattr(services, name)
                except ValueError as exc:
                    raise CliError(
                        f"{exc} Run hv doctor to see which setting."
                    ) from exc
                if isinstance(service, Flusher):
                    service.prepare()


def _free(invocation: Invocation, gone: int) -> None:
    """Make the tasks of a worker that has died due at once."""
    from hvcore.assembly import build  # noqa: PLC0415
    from hvcore.processes.names import host_prefix  # noqa: PLC0415

    # Without the database there is nothing to take on either; leases end. It
    # rings, unlike other commands: a worker reaches the queue.
    with suppress(UnavailableError), build(invocation.load().settings) as services:
        name = f"{host_prefix(services.settings.data_dir)}{gone}"
        with services.uow.write() as work:
            work.tasks.free_worker(name)
            work.commit()


def open_port(
    host: str, port: int, *, patience_s: float = BIND_PATIENCE_S
) -> socket.socket:
    """
    Open a listening socket at an address.

    Args:
        patience_s: The seconds for which to try again while another process has the port.

    Raises:
        CliError: The address is in use, or is none of this machine.
    """
    try:
        return listen(host, port, patience_s=patience_s)
    except OSError as exc:
        raise CliError(
            f"{host}:{port} cannot be used: {exc.strerror or exc}. Choose another "
            "address with --host and --port."
        ) from exc
