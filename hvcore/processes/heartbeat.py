"""
Tell systemd and container probes that this process is alive.

systemd is told by its own socket (``WatchdogSec=``), a probe of a container by the age of
a file. Errors here never reach the process. See docs/decisions/0193.
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
    Send heartbeats from now on, and the first one at once.

    Args:
        file: The file to touch with each heartbeat; no file if empty.
    """
    _state.file = Path(file) if file else None
    address = os.environ.get(_SOCKET, "")
    # systemd writes the zero byte of an abstract name as @.
    _state.address = f"\0{address[1:]}" if address.startswith("@") else address
    _state.told_at_s = float("-inf")
    beat()


def beat() -> None:
    """Send a heartbeat to systemd and the file if it is time for one; a loop may call this as often as it likes."""
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
    Send heartbeats from a thread, for a process whose main thread is busy for hours.

    The heartbeats stop when the process is frozen or its interpreter hangs.
    """
    threading.Thread(target=_beat_on, name="heartbeat", daemon=True).start()


def _beat_on() -> None:
    while True:
        beat()
        time.sleep(EVERY_S)
