"""The addresses of the service's processes on this machine, and waiting until they answer."""

import asyncio
import socket
from collections.abc import Mapping
from typing import Any, Final

import attrs

from hvcore.settings import Loaded, PublicSettings

ASK_EVERY_S: Final = 0.05
ANSWERS_WITHIN_S: Final = 30.0
"""The seconds after which a request is given up: one that is given up holds a thread of
the server until it is answered, and monitors have few."""
EVERY_ADDRESS: Final = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - a name
"""The names that stand for all addresses of a machine, each with one such address."""
RECORDED: Final = {
    "api_url": "apiURL",
    "worker_url": "workerURL",
    "player_url": "playerURL",
    "upload_url": "uploadURL",
}
"""The names of addresses in the code, with their names in ``run/addresses.json``."""


@attrs.frozen(kw_only=True)
class Addresses:
    """The public addresses of a running service, as ``run/addresses.json`` has them."""

    api_url: str
    worker_url: str
    player_url: str
    upload_url: str

    def as_record(self) -> Mapping[str, str]:
        """Return the addresses under their names in ``run/addresses.json``."""
        return {key: getattr(self, name) for name, key in RECORDED.items()}


def addresses_of(
    loaded: Loaded, listeners: tuple[socket.socket, socket.socket]
) -> Addresses:
    """
    Return the public addresses in the settings; a listening socket's address where one is not set.

    Args:
        listeners: The listening sockets of the API, and of delivery, player and uploads.
    """
    own = [url_of(sock) for sock in listeners]
    public = loaded.settings.public
    return Addresses(
        **{
            name: getattr(public, name)
            if f"public.{name}" in loaded.origins
            else own[0 if name == "api_url" else 1]
            for name in RECORDED
        }
    )


def as_running(loaded: Loaded, found: Mapping[str, str]) -> PublicSettings:
    """
    Return the public addresses in the settings; a running service's address where one is not set.

    Args:
        found: The content of ``run/addresses.json``; may be empty.
    """
    running: dict[str, Any] = {
        name: found[key]
        for name, key in RECORDED.items()
        if key in found and f"public.{name}" not in loaded.origins
    }
    return attrs.evolve(loaded.settings.public, **running)


def url_of(sock: socket.socket) -> str:
    """Return the address at which this machine reaches a listening socket."""
    host, port = _reachable_at(sock)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _reachable_at(sock: socket.socket) -> tuple[str, int]:
    """Return an address of this machine; for others, HV_PUBLIC__… says more."""
    host, port = sock.getsockname()[:2]
    return EVERY_ADDRESS.get(host, host), port


async def answers(sock: socket.socket, path: str) -> None:
    """Wait without a limit until the server of a listening socket answers ``GET`` of a path with 200."""
    host, port = _reachable_at(sock)
    while True:
        try:
            async with asyncio.timeout(ANSWERS_WITHIN_S):
                if await _status(host, port, path) == b"200":
                    return
        except (OSError, TimeoutError):
            pass
        await asyncio.sleep(ASK_EVERY_S)


async def _status(host: str, port: int, path: str) -> bytes:
    reader, writer = await asyncio.open_connection(host, port)
    try:
        head = f"GET {path} HTTP/1.1\r\nHost: hv\r\nConnection: close\r\n\r\n"
        writer.write(head.encode())
        await writer.drain()
        status = (await reader.readline()).split()
    finally:
        writer.close()
    return status[1] if len(status) > 1 else b""
