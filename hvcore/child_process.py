"""
Start a program that cannot outlive the process that started it.

Used as a script in front of the real command: it asks the kernel to be killed
when its parent ends, checks that the parent is still there, sets resource
limits, and becomes the command. A wrapper and not ``preexec_fn``, because
that is unsafe in a process with threads.

The signal comes when the *thread* that forked ends, so start such a child
from the main thread (prctl(2), PR_SET_PDEATHSIG).
"""

import ctypes
import os
import resource
import signal
import sys
from collections.abc import Mapping, Sequence
from typing import Final

PR_SET_PDEATHSIG: Final = 1

LIMITS: Final = {
    "address_space_bytes": resource.RLIMIT_AS,
    "cpu_s": resource.RLIMIT_CPU,
    "file_size_bytes": resource.RLIMIT_FSIZE,
    "open_files": resource.RLIMIT_NOFILE,
    "core_bytes": resource.RLIMIT_CORE,
}
"""Names for ``limits`` of supervised_command; see setrlimit(2)."""


def supervised_command(
    command: Sequence[str], limits: Mapping[str, int] | None = None
) -> list[str]:
    """
    Return the argument list that runs command as a child that dies with us.

    Args:
        command: The program's path and its arguments.
        limits: Resource limits by the names of LIMITS.
    """
    settings = [f"{name}={value}" for name, value in (limits or {}).items()]
    return [
        sys.executable,
        # -I -S -E: no site-packages, so that it starts in about 10 ms.
        "-ISE",
        __file__,
        str(os.getpid()),
        *settings,
        "--",
        *command,
    ]


def die_with_parent(parent_pid: int) -> None:
    """
    Have the kernel kill this process when the given parent ends.

    Exits at once if the parent is gone already. Does nothing where the
    kernel is not Linux.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent_pid:
        os._exit(1)


def _main(arguments: Sequence[str]) -> None:
    split = arguments.index("--")
    parent_pid, *settings = arguments[:split]
    command = list(arguments[split + 1 :])
    die_with_parent(int(parent_pid))
    for setting in settings:
        name, _, value = setting.partition("=")
        resource.setrlimit(LIMITS[name], (int(value), int(value)))
    os.execv(command[0], command)  # noqa: S606 - no shell is the point


if __name__ == "__main__":
    _main(sys.argv[1:])
