"""
The way to a store that outlives it: ``python -m tests.hosts.gateway PORT HOST:PORT``.

Swift keeps objects in its memory. So what is killed, frozen and cut off is this host in
front of it, as the gateway in front of a store's disks.
"""

import asyncio
import sys
from contextlib import suppress
from typing import Final

CHUNK_BYTES: Final = 65_536


async def carry(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    """
    Carry bytes until one side ends.
    """
    with suppress(OSError):
        while data := await source.read(CHUNK_BYTES):
            target.write(data)
            await target.drain()
    target.close()


async def serve(port: int, host: str, store_port: int) -> None:
    """
    Carry every connection to the store, until the process is ended.
    """

    async def accept(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        try:
            from_store, to_store = await asyncio.open_connection(host, store_port)
        except OSError:
            writer.close()
            return
        await asyncio.gather(carry(reader, to_store), carry(from_store, writer))

    server = await asyncio.start_server(accept, port=port, backlog=512)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    name, _, store_port = sys.argv[2].rpartition(":")
    asyncio.run(serve(int(sys.argv[1]), name, int(store_port)))
