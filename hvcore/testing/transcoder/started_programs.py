"""Detect whether a call has started a program or opened a connection."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_EVENTS: Final = frozenset(
    {
        *("subprocess.Popen", "os.posix_spawn", "os.fork", "os.forkpty", "os.system"),
        *("os.exec", "os.spawn", "socket.connect", "socket.getaddrinfo"),
    }
)
"""Source: the table of audit events of Python's documentation."""
_heard: dict[int, list[str]] = {}
"""The recorded events by the id of the listening thread; Python cannot remove an audit hook."""
_hooks: list[object] = []


@contextmanager
def noting_starts() -> Iterator[list[str]]:
    """Yield a list to which programs and connections that this thread starts are added."""
    if not _hooks:
        sys.addaudithook(_hear)
        _hooks.append(_hear)
    number = threading.get_ident()
    heard = _heard.setdefault(number, [])
    try:
        yield heard
    finally:
        _heard.pop(number, None)


def _hear(event: str, args: tuple[object, ...]) -> None:
    if event in _EVENTS and (heard := _heard.get(threading.get_ident())) is not None:
        told = args[0] if event == "subprocess.Popen" else ""
        heard.append(f"{event} {told}".strip())
