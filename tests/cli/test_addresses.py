"""
``hv up`` waits for its servers without taking threads that monitors need.
"""

import asyncio
import socket

from hvcore_cli.addresses import ANSWERS_WITHIN_S, answers
from hvcore_cli.processes.local_service import READY_WITHIN_S
from hvcore_server.thread_lanes import MONITOR_THREADS

SLOW_ANSWER_S = 20.0
"""The first answer of a busy machine, which makes tables and tries ffmpeg meanwhile."""


class JumpingLoop(asyncio.SelectorEventLoop):
    """
    An event loop whose clock a test can put forward.
    """

    ahead_s = 0.0

    def time(self) -> float:
        return super().time() + self.ahead_s


async def asked_of_a_slow_server(loop: JumpingLoop) -> int:
    """
    Return the number of requests to a server whose first answer takes long.
    """
    asked = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal asked
        asked += 1
        await reader.readuntil(b"\r\n\r\n")
        if asked == 1:
            loop.ahead_s += SLOW_ANSWER_S
            for _ in range(10):
                await asyncio.sleep(0)
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        writer.close()

    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        async with await asyncio.start_server(serve, sock=listener.dup()):
            await answers(listener, "/health")
    return asked


def test_a_server_that_is_slow_at_first_is_asked_once() -> None:
    loop = JumpingLoop()
    try:
        asked = loop.run_until_complete(asked_of_a_slow_server(loop))
    finally:
        loop.close()

    assert asked == 1


def test_waiting_for_the_servers_holds_no_more_threads_than_one_monitor_may() -> None:
    """A request that is given up holds its thread until it is answered."""
    assert READY_WITHIN_S / ANSWERS_WITHIN_S <= MONITOR_THREADS // 2
