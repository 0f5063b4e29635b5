"""
The servers of this machine's apps, and whether each of them is ready.

A server notes its address beside the metrics. Whoever serves the metrics asks there, as a
balancer would: a server that is frozen or was killed says nothing of itself.
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
"""A server that works is promised to answer within 2 s."""
PATH: Final = "/health/ready"


@attrs.frozen(kw_only=True)
class ServedApp:
    """
    An app that a server of this machine answers for.

    Attributes:
        name: ``api`` or ``delivery``.
        address: Of its server, as this machine reaches it.
    """

    name: str
    address: str


@contextmanager
def noted_app(settings: Settings, name: str, listener: int) -> Iterator[None]:
    """
    Note within the block that this process serves an app, if anybody measures.

    The note of a server that is killed stays, until the app is started again: the app is
    not ready then.

    Args:
        listener: The descriptor of the socket that listens.
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
    """Return the apps that servers have noted in a folder."""
    found = []
    for path in sorted(folder.glob(f"*.{NOTED_APPS}")):
        # It may be removed meanwhile.
        with suppress(OSError):
            address = path.read_text().partition(" ")[2]
            name = path.stem.rpartition("-")[0]
            found.append(ServedApp(name=name, address=address))
    return found


def is_ready(app: ServedApp) -> bool:
    """Return whether the server of an app says now that it can serve."""
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
