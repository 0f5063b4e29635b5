"""
Record the apps that this machine's servers serve, and ask whether each app is ready.

A server writes its address to a file beside the metrics. The process that serves the metrics
sends a request to that address, as a load balancer would: a server that is frozen or was
killed cannot report that itself.
"""

import http.client
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from socket import socket
from typing import Final
from urllib.parse import urlsplit

import attrs

from hvcore.files.atomic_files import replace_file
from hvcore.metrics.measuring import NOTED_APPS, folder_of
from hvcore.settings import Settings
from hvcore_cli.addresses import url_of

ANSWERS_WITHIN_S: Final = 3.0
"""The seconds within which a server must answer a check; a working server answers within
2 s."""
PATH: Final = "/health/ready"


@attrs.frozen(kw_only=True)
class ServedApp:
    """
    An app that a server of this machine serves.

    Attributes:
        name: ``api`` or ``delivery``.
        address: The address of the server, as this machine reaches it.
    """

    name: str
    address: str


@contextmanager
def noted_app(settings: Settings, name: str, listener: int) -> Iterator[None]:
    """
    Within the block, keep a file that says that this process serves an app, if metrics are on.

    The file of a server that is killed stays until the app is started again: until then the
    app is not ready.

    Args:
        listener: The descriptor of the listening socket.
    """
    if not settings.metrics.listen:
        yield
        return
    folder = folder_of(settings.data_dir)
    with socket(fileno=os.dup(listener)) as bound:
        address = url_of(bound)
    path = folder / f"{name}-{urlsplit(address).port}.{NOTED_APPS}"
    note, server = f"{os.getpid()} {address}", os.getpid()
    # Best effort: whatever goes wrong here, the app is served.
    with suppress(OSError):
        for other in folder.glob(f"{name}-*.{NOTED_APPS}"):
            if _has_ended(other):
                other.unlink(missing_ok=True)
        replace_file(path, note)
    try:
        yield
    finally:
        # Its forks end here, too.
        if os.getpid() == server:
            with suppress(OSError):
                if path.read_text() == note:
                    path.unlink()


def served_apps(folder: Path) -> Sequence[ServedApp]:
    """Return the apps of this machine's servers, from the files that the servers keep in a folder."""
    found = []
    for path in sorted(folder.glob(f"*.{NOTED_APPS}")):
        # It may be removed meanwhile.
        with suppress(OSError):
            address = path.read_text().partition(" ")[2]
            name = path.stem.rpartition("-")[0]
            found.append(ServedApp(name=name, address=address))
    return found


def is_ready(app: ServedApp) -> bool:
    """Ask the server of an app whether it is ready, and return the answer."""
    there = urlsplit(app.address)
    server = http.client.HTTPConnection(
        there.hostname or "", there.port, timeout=ANSWERS_WITHIN_S
    )
    try:
        server.request("GET", PATH)
        return server.getresponse().status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        server.close()


def _has_ended(note: Path) -> bool:
    try:
        process = int(note.read_text().partition(" ")[0])
        # A container's process has the number that the one before it had.
        if process == os.getpid():
            return True
        os.kill(process, 0)
    except (ProcessLookupError, ValueError):
        return True
    except OSError:
        # Somebody else's, or gone already.
        return False
    return False
