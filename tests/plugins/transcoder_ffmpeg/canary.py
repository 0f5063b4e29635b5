"""
A program that has been taken over, and tries everything; run inside a sandbox.

It reads what to try as JSON from its first argument, and writes as JSON what it
got hold of.
"""

import contextlib
import ctypes
import errno
import json
import os
import socket
import sys
from pathlib import Path
from typing import Any

CLONE_NEWUSER = 0x10000000
IO_URING_SETUP = 425
PIDFD_OPEN = 434
FSOPEN = 430
MOST_PROCESSES = 50


def _read(paths: list[str]) -> dict[str, str]:
    found = {}
    for path in paths:
        with contextlib.suppress(OSError):
            place = Path(path)
            found[path] = (
                ",".join(one.name for one in place.iterdir())
                if place.is_dir()
                else place.read_text(errors="replace")[:80]
            )
    return found


def _written(paths: list[str]) -> list[str]:
    done = []
    for path in paths:
        with contextlib.suppress(OSError):
            Path(path).write_text("taken over")
            done.append(path)
    return done


def _connected(port: int, abstract: str) -> list[str]:
    done = []
    with contextlib.suppress(OSError), socket.socket() as one:
        one.settimeout(2)
        one.connect(("127.0.0.1", port))
        done.append("loopback")
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as one:
        one.connect(f"\0{abstract}")
        done.append("abstract")
    return done


def _processes() -> int:
    """
    Return how many processes could be started before one was refused.
    """
    children = []
    for _ in range(MOST_PROCESSES):
        try:
            child = os.fork()
        except OSError:
            break
        if child == 0:
            os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)
    return len(children)


def _kernel() -> list[str]:
    libc = ctypes.CDLL(None, use_errno=True)
    done = []
    if libc.unshare(CLONE_NEWUSER) == 0:
        done.append("namespace")
    if libc.ptrace(0, 0, None, None) == 0:
        done.append("ptrace")
    parameters = ctypes.create_string_buffer(512)
    if libc.syscall(IO_URING_SETUP, 1, parameters) >= 0:
        done.append("io_uring")
    if libc.syscall(FSOPEN, b"tmpfs", 0) >= 0:
        done.append("mount")
    # To nowhere: only the filter refuses that for want of permission.
    libc.mount(b"none", b"/no/such/folder", b"tmpfs", 0, None)
    if ctypes.get_errno() != errno.EPERM:
        done.append("old mount")
    return done


def _killed(pids: list[int]) -> list[int]:
    libc = ctypes.CDLL(None, use_errno=True)
    done = []
    for pid in pids:
        ways = [libc.kill(pid, 0), libc.tgkill(pid, pid, 0)]
        # A handle, where it goes well.
        ways.append(min(libc.syscall(PIDFD_OPEN, pid, 0), 0))
        limits = ctypes.create_string_buffer(16)
        ways.append(libc.prlimit(pid, 0, None, limits))
        if 0 in ways:
            done.append(pid)
    return done


def main(wanted: dict[str, Any]) -> dict[str, Any]:
    """
    Try everything.
    """
    return {
        "read": _read(wanted["read"]),
        "written": _written(wanted["write"]),
        "connected": _connected(wanted["port"], wanted["abstract"]),
        "killed": _killed(wanted["pids"]),
        "visible": len([one for one in Path("/proc").iterdir() if one.name.isdigit()]),
        "environment": dict(os.environ),
        "processes": _processes(),
        "kernel": _kernel(),
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(json.loads(sys.argv[1]))))
