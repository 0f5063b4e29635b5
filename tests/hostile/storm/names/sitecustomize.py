"""
A name server that does not answer: each Python below this folder's ``PYTHONPATH``.

Python imports a module of this name when it starts. The system's resolver takes its
servers from a file of the whole machine; so what hangs is this call in front of it.
"""

import socket
import time
from typing import Any

HANGS = ".hangs.example"
HANGS_FOR_S = 10.0

_look_up = socket.getaddrinfo


def _look_up_or_hang(host: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
    if str(host).endswith(HANGS):
        time.sleep(HANGS_FOR_S)
        raise socket.gaierror(socket.EAI_AGAIN, "no name server answers")
    return _look_up(host, *args, **kwargs)


socket.getaddrinfo = _look_up_or_hang
