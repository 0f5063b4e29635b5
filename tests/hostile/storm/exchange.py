"""
Connections of the one who misbehaves, and what is read of the answers.
"""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

from tests.hostile.strangers import head

READ_BYTES: Final = 1 << 20
GIVES_UP_AFTER_S: Final = 90.0
MOST_PROBLEM_BYTES: Final = 16 * 1024
_REFUSED: Final = 400


@asynccontextmanager
async def connection(
    address: str, port: int, *, room_bytes: int = 0
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """
    Connect from an address of this machine.

    Args:
        room_bytes: What is taken in before it is read; as much as usual, if 0.
    """
    sock = socket.socket()
    sock.settimeout(0)
    if room_bytes:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room_bytes)
    try:
        sock.bind((address, 0))
        await asyncio.get_running_loop().sock_connect(sock, ("127.0.0.1", port))
        reader, writer = await asyncio.open_connection(
            sock=sock, limit=room_bytes or READ_BYTES
        )
    except BaseException:
        sock.close()
        raise
    try:
        yield reader, writer
    finally:
        writer.transport.abort()
        with suppress(OSError):
            await writer.wait_closed()


async def outcome(reader: asyncio.StreamReader) -> str:
    """
    Read the beginning of an answer; of a refusal, all of it.

    Returns:
        The status, and the code of a refusal if it names one: ``503 unavailable``.
    """
    async with asyncio.timeout(GIVES_UP_AFTER_S):
        lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        status = lines[0].split()[1]
        if int(status) < _REFUSED:
            return status
        named = (line.partition(":") for line in lines[1:])
        headers = {name.lower(): value.strip() for name, _, value in named}
        size = min(int(headers.get("content-length", 0)), MOST_PROBLEM_BYTES)
        return f"{status} {_code(await reader.readexactly(size))}".rstrip()


def _code(body: bytes) -> str:
    try:
        return str(json.loads(body)["code"])
    except (ValueError, KeyError, TypeError):
        return ""


async def ask(
    address: str, port: int, method: str, path: str, *lines: str, body: bytes = b""
) -> str:
    """
    Ask for something on a connection of its own, and read all of the answer.
    """
    if body:
        lines = (*lines, f"Content-Length: {len(body)}")
    async with connection(address, port) as (reader, writer):
        writer.write(head(method, path, *lines, "Connection: close") + body)
        found = await outcome(reader)
        while await reader.read(READ_BYTES):
            pass
        return found
