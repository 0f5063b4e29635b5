"""
The Valkey or Redis server that ``hv up`` runs as its task queue.

It writes nothing to disk, because the database has every task: if the queue's data are
lost, no task is lost. It listens on a Unix socket that only this user can open, and on no port.
"""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from hvcore.assembly import Services
from hvcore.errors import ConfigError
from hvcore.processes.child_process import supervised_command
from hvcore_checks.queue_servers import NO_SERVER, NOT_SHARED, find_server
from hvcore_cli.data_folder import DataFolder
from hvcore_cli.invocation import CliError
from hvcore_cli.processes.supervisor import Program

ASK_EVERY_S: Final = 0.02
PATIENCE_S: Final = 15.0


def refuse_lonely_queue(services: Services) -> None:
    """
    Refuse a queue backend whose messages reach only the process that sent them.

    Raises:
        CliError: The settings have chosen such a backend.
    """
    try:
        queue = services.queue
    except ConfigError:
        # Who serves files needs none, and who needs one says what is wrong with it.
        return
    if not queue.spans_processes:
        chosen = services.settings.queue.backend
        raise CliError(NOT_SHARED.format(backend=chosen))


def queue_socket(folder: DataFolder) -> Path:
    """Return the path of the Unix socket on which the queue server listens."""
    return folder.socket_dir() / "queue.sock"


def queue_program(folder: DataFolder, environ: Mapping[str, str]) -> Program:
    """
    Return the program of the queue server, for the supervisor.

    Raises:
        CliError: There is no such server on this machine.
    """
    path = queue_socket(folder)
    # Of a server that was killed; bind(2) refuses a path that is there.
    path.unlink(missing_ok=True)
    command = [
        _server(),
        *("--port", "0"),
        *("--unixsocket", str(path)),
        *("--unixsocketperm", "700"),
        *("--save", ""),
        *("--appendonly", "no"),
        *("--daemonize", "no"),
        *("--dir", str(folder.run)),
        # Some builds come with a pidfile under /var/run, which is not ours.
        *("--pidfile", str(folder.run / "queue.pid")),
    ]
    return Program(
        name="queue",
        arguments=supervised_command(command),
        environ=environ,
        # Those who put tasks into it, and take them out, end before it.
        stops=2,
        grace_s=1.5,
    )


def _server() -> str:
    found = find_server()
    if found is None:
        raise CliError(NO_SERVER)
    return found


async def wait_for_queue(folder: DataFolder) -> None:
    """
    Wait until the queue server answers.

    Raises:
        CliError: The server does not answer in time.
    """
    path = str(queue_socket(folder))
    deadline = asyncio.get_running_loop().time() + PATIENCE_S
    while True:
        try:
            reader, writer = await asyncio.open_unix_connection(path)
            writer.write(b"PING\r\n")
            answer = await reader.readline()
            writer.close()
            if answer.startswith(b"+PONG"):
                return
        except OSError:
            pass
        if asyncio.get_running_loop().time() > deadline:
            raise CliError(
                f"The queue's server does not answer; see {folder.logs / 'queue.log'}."
            )
        await asyncio.sleep(ASK_EVERY_S)
