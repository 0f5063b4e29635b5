"""``hv up``: run the whole service on this machine."""

import asyncio
import signal
import socket
from collections.abc import Awaitable, Callable, Mapping
from contextlib import ExitStack, suppress
from typing import Final

import click

from hvcore_cli.data_folder import DataFolder
from hvcore_cli.invocation import CliError, HvCommand, Invocation, pass_invocation
from hvcore_cli.printable import printable
from hvcore_cli.processes.alone import open_port
from hvcore_cli.processes.local_service import LocalService, running
from hvcore_server.listening import BIND_PATIENCE_S
from hvcore_web.documentation.site import documentation_url

Pair = tuple[socket.socket, socket.socket]

HIGHEST_PORT: Final = 65_534
STOP_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


@click.command(cls=HvCommand)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="The address of this machine on which the servers listen.",
)
@click.option(
    "--port",
    type=click.IntRange(1, HIGHEST_PORT),
    default=8080,
    show_default=True,
    help="The port of the API; delivery, player and uploads get the next port.",
)
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    help="The number of encode workers; by default one for four cores.",
)
@pass_invocation
def up(invocation: Invocation, host: str, port: int, workers: int | None) -> None:
    """
    Run the whole service on this machine, until it is stopped.

    On the first start it makes the database, the organization org_local with
    the environments live and dev, and a key for each.
    """
    folder = DataFolder(invocation.data)
    folder.make()
    with folder.locked(), ExitStack() as sockets:
        pair = open_pair(host, port, sockets)
        service = LocalService(invocation, listeners=pair, workers=workers, tell=tell)
        asyncio.run(until_stopped(lambda: _serve(service)))


def open_pair(
    host: str, port: int, sockets: ExitStack, *, patience_s: float = BIND_PATIENCE_S
) -> Pair:
    """
    Open listening sockets at ``port`` and the next port; closing ``sockets`` closes them.

    Args:
        patience_s: The seconds for which to try again while another process has a port.

    Raises:
        CliError: One of the ports is in use.
    """
    first = sockets.enter_context(open_port(host, port, patience_s=patience_s))
    second = open_port(host, port + 1, patience_s=patience_s)
    return first, sockets.enter_context(second)


async def until_stopped(work: Callable[[], Awaitable[None]]) -> None:
    """Await ``work()`` until it ends, or until a signal asks this process to end."""
    task = asyncio.ensure_future(work())
    loop = asyncio.get_running_loop()
    stopping = False

    def stop() -> None:
        # Once: a second signal must not cut off the orderly end.
        nonlocal stopping
        if not stopping:
            stopping = True
            task.cancel()

    for number in STOP_SIGNALS:
        loop.add_signal_handler(number, stop)
    with suppress(asyncio.CancelledError):
        await task


def tell(text: str) -> None:
    """Print a line for the operator, if there is still a terminal."""
    with suppress(OSError):
        click.echo(printable(f"hv: {text}", keeps="\n"), err=True)


def describe(
    service: LocalService, new_keys: Mapping[str, str], *, sign_in: str
) -> str:
    """
    Return the text with the service's addresses, and the API keys if they were just made.

    Args:
        new_keys: The keys made by this start, by environment; empty if they existed.
        sign_in: The address for signing in to the dashboard; "" if there is none.
    """
    at = service.addresses
    rows = {
        "API": at.api_url,
        "documentation": documentation_url(at.api_url),
        "health": f"{at.api_url}/health",
        "delivery": at.worker_url,
        "player": at.player_url,
        "uploads": at.upload_url,
        **({"dashboard": _once(sign_in)} if sign_in else {}),
        "mails": service.mails,
        "first keys": str(service.folder.first_keys_file),
        **{f"key of {name}": value for name, value in new_keys.items()},
    }
    lines = [f"hv is ready. Data folder: {service.folder.path}"]
    lines += [f"  {name:<18} {value}" for name, value in rows.items()]
    return "\n".join(lines)


async def _sign_in_address(service: LocalService) -> str:
    try:
        return await service.sign_in_address()
    except CliError as error:
        # Everything else is ready.
        tell(f"no address to sign in at: {error.message}")
        return ""


def _once(sign_in: str) -> str:
    # Only an address with a code signs in by itself.
    is_link = "#" in sign_in
    return f"{sign_in} (once, within 10 minutes)" if is_link else sign_in


async def _serve(service: LocalService) -> None:
    known = service.folder.first_keys()
    async with running(service):
        new = {} if known else service.folder.first_keys()
        sign_in = await _sign_in_address(service)
        with suppress(OSError):
            click.echo(describe(service, new, sign_in=sign_in))
        await service.failed()
