"""
A way to a server on which connections break.
"""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from socketserver import BaseRequestHandler, ThreadingTCPServer

import attrs


@attrs.define
class BreakingProxy:
    """
    Hands on what clients send, up to the budget of each connection.

    Attributes:
        port: Of this machine, where it listens.
        to_port: Where it hands on to.
        budgets_bytes: Of the next connections; None: as much as they like. Those after
            them are whole.
        relayed_bytes: What clients have got through, in all.
    """

    port: int
    to_port: int = 0
    budgets_bytes: list[int | None] = attrs.field(factory=list)
    relayed_bytes: int = 0


@contextmanager
def breaking_proxy() -> Iterator[BreakingProxy]:
    """
    Run the proxy until the block ends.
    """

    class Handler(BaseRequestHandler):
        def handle(self) -> None:
            left = made.budgets_bytes.pop(0) if made.budgets_bytes else None
            with socket.create_connection(("127.0.0.1", made.to_port)) as server:
                back = threading.Thread(
                    target=_answers, args=(server, self.request), daemon=True
                )
                back.start()
                while left is None or left > 0:
                    data = self.request.recv(65536)
                    if not data:
                        break
                    data = data[:left]
                    server.sendall(data)
                    made.relayed_bytes += len(data)
                    left = None if left is None else left - len(data)
                if left is None:
                    back.join()
                    return
                # The server has read it all before it learns of the end.
                server.shutdown(socket.SHUT_WR)
                self.request.shutdown(socket.SHUT_RDWR)
                back.join()

    class Server(ThreadingTCPServer):
        daemon_threads = True

        def handle_error(self, *_: object) -> None:
            """
            Expect clients to go away.
            """

    with Server(("127.0.0.1", 0), Handler) as server:
        made = BreakingProxy(server.server_address[1])
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield made
        server.shutdown()
        thread.join()


def _answers(server: socket.socket, client: socket.socket) -> None:
    with suppress(OSError):
        while data := server.recv(65536):
            client.sendall(data)
        client.shutdown(socket.SHUT_WR)
