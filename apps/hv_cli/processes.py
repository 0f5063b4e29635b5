"""
The processes of the service, each alone.
"""

import os
import socket
from collections.abc import Callable
from typing import Any, Final

import click

from hv_cli import process_logs
from hv_cli.commands import CliError, HvCommand, Invocation, pass_invocation
from hv_reference.listening import BIND_PATIENCE_S, listen

API_THREADS: Final = 16
DELIVERY_THREADS: Final = 32
"""Uploads take at most half of them (hv_upload); playback has the rest."""

_host = click.option("--host", default="127.0.0.1", show_default=True)
_fd = click.option("--fd", type=int, hidden=True)
_workers = click.option(
    "--workers",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Processes that share the port.",
)
_PORTS: Final = click.IntRange(1, 65_535)


@click.command(cls=HvCommand)
@_host
@click.option("--port", type=_PORTS, default=8080, show_default=True)
@_workers
@_fd
@pass_invocation
def api(
    invocation: Invocation, host: str, port: int, workers: int, fd: int | None
) -> None:
    """
    Run the API process alone.
    """
    from hv_reference.wsgi import api_app  # noqa: PLC0415 - this process's own

    _serve(
        lambda: api_app(invocation.load().settings),
        listener=_listener(invocation, host, port, fd),
        workers=workers,
        threads=API_THREADS,
        takes_files=False,
    )


@click.command(cls=HvCommand)
@_host
@click.option("--port", type=_PORTS, default=8081, show_default=True)
@_workers
@_fd
@pass_invocation
def delivery(
    invocation: Invocation, host: str, port: int, workers: int, fd: int | None
) -> None:
    """
    Run the process that serves videos, the player and the upload address.
    """
    from hv_reference.wsgi import delivery_app  # noqa: PLC0415 - this process's own

    _serve(
        lambda: delivery_app(invocation.load().settings),
        listener=_listener(invocation, host, port, fd),
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
    help="What it takes on; both lanes if none is named.",
)
@pass_invocation
def worker(invocation: Invocation, lanes: tuple[str, ...]) -> None:
    """
    Run one worker alone, until SIGTERM.
    """
    from hv_worker.consume import run_worker  # noqa: PLC0415 - this process's own
    from hvcore.domain.tasks import Lane  # noqa: PLC0415

    process_logs.configure()
    # Light work first: it ends soon, and an encode may take many minutes.
    wanted = lanes or ("light", "encode")
    run_worker(invocation.load().settings, [Lane(lane) for lane in wanted])


@click.command(cls=HvCommand)
@pass_invocation
def sweep(invocation: Invocation) -> None:
    """
    Run the sweep alone, until SIGTERM.
    """
    from hv_worker.sweep import run_sweep  # noqa: PLC0415 - this process's own

    process_logs.configure()
    run_sweep(invocation.load().settings)


def _serve(
    make_app: Callable[[], Any],
    *,
    listener: int,
    workers: int,
    threads: int,
    takes_files: bool,
) -> None:
    from hv_reference.serving import serve  # noqa: PLC0415 - gunicorn only here

    serve(
        make_app,
        listener=listener,
        workers=workers,
        threads=threads,
        takes_files=takes_files,
    )


def _listener(invocation: Invocation, host: str, port: int, fd: int | None) -> int:
    process_logs.configure()
    # Bad settings are a message now, not a worker that dies again and again.
    invocation.load()
    if fd is not None:
        return fd
    return os.dup(open_port(host, port).fileno())


def open_port(
    host: str, port: int, *, patience_s: float = BIND_PATIENCE_S
) -> socket.socket:
    """
    Listen at an address.

    Args:
        patience_s: How long to try while somebody else has it.

    Raises:
        CliError: It cannot be had.
    """
    try:
        return listen(host, port, patience_s=patience_s)
    except OSError as exc:
        raise CliError(
            f"{host}:{port} cannot be used: {exc.strerror or exc}. Choose another "
            "address with --host and --port."
        ) from exc
