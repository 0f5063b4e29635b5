"""Open a server's listening socket, separately from the server that will use it."""

import errno
import socket
import time
from typing import Final

BACKLOG: Final = 512
BIND_PATIENCE_S: Final = 5.0
"""The seconds for which a taken port is tried again: a server that was killed a moment ago may
still hold it."""


def listen(
    host: str, port: int, *, patience_s: float = BIND_PATIENCE_S
) -> socket.socket:
    """
    Open and return the listening socket of a server.

    Args:
        port: The TCP port; 0 chooses a free one.
        patience_s: The seconds for which to try again while another process has the port.

    Raises:
        OSError: The address is in use, or is none of this machine.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    deadline = time.monotonic() + patience_s
    delay_s = 0.05
    while True:
        try:
            return socket.create_server((host, port), family=family, backlog=BACKLOG)
        except OSError as exc:
            left_s = deadline - time.monotonic()
            if exc.errno != errno.EADDRINUSE or left_s <= 0:
                raise
        time.sleep(min(delay_s, left_s))
        delay_s *= 2
