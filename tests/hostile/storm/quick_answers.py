"""
A server that answers at once: ``python -m tests.hostile.storm.quick_answers PORT``.

What attackers send to it costs the machine what the attackers themselves cost.
"""

import asyncio
import sys
from typing import Final

ANSWER: Final = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}"
LENGTH: Final = b"\r\ncontent-length:"


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
        _, _, rest = head.lower().partition(LENGTH)
        await _skip(reader, int(rest.split(b"\r\n", 1)[0] or 0))
        writer.write(ANSWER)
        await writer.drain()
    except (OSError, asyncio.IncompleteReadError):
        # Whoever holds a connection has let go of it.
        pass
    finally:
        writer.close()


async def _skip(reader: asyncio.StreamReader, left_bytes: int) -> None:
    while left_bytes > 0:
        piece = await reader.read(left_bytes)
        if not piece:
            return
        left_bytes -= len(piece)


async def main() -> None:
    """
    Serve until the process is ended.
    """
    server = await asyncio.start_server(_answer, "127.0.0.1", int(sys.argv[1]))
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
