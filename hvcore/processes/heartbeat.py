"""
Tell systemd and container probes that this process goes on.

systemd is told by its own socket (``WatchdogSec=``), a probe of a container by the age of
a file. Nothing that goes wrong here reaches the process. See docs/decisions/0193.
"""

import os
import socket
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

import attrs

EVERY_S: Final = 2.0
"""Units and probes take a process for hanging after 180 s."""
_SOCKET: Final = "NOTIFY_SOCKET"


@attrs.define
class _State:
    """The receivers of the heartbeat, and the time of the last beat."""

    file: Path | None = None
    address: str = ""
    told_at_s: float = float("-inf")


_state: Final = _State()


def begin(file: str) -> None:
    """
    Tell from now on, and at once.

    Args:
        file: Touched with each beat; none if empty.
    """
    _state.file = Path(file) if file else None
    address = os.environ.get(_SOCKET, "")
    # systemd writes the zero byte of an abstract name as @.
    _state.address = f"\0{address[1:]}" if address.startswith("@") else address
    _state.told_at_s = float("-inf")
    beat()


def beat() -> None:
    """Say that the work goes on; called as often as a loop likes, from one thread."""
    now_s = time.monotonic()
    if now_s - _state.told_at_s < EVERY_S:
        return
    _state.told_at_s = now_s
    with suppress(OSError):
        if _state.file is not None:
            _state.file.touch()
    with suppress(OSError):
        if _state.address:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify:
                # A supervisor that hangs must not hold this up.
                notify.settimeout(0)
                notify.sendto(b"WATCHDOG=1", _state.address)


def beat_aside() -> None:
    """
    Beat from a thread, in a process whose main thread works for hours at a time.

    It stops when the process is frozen or its interpreter hangs.
    """
    threading.Thread(target=_beat_on, name="heartbeat", daemon=True).start()


def _beat_on() -> None:
    while True:
        beat()
        time.sleep(EVERY_S)
