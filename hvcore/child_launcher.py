"""
Become a program that cannot outlive the process that started it.

Run as a script in front of the real command, see :mod:`hvcore.child_process`.
It is on the way of every such program, so it imports next to nothing: four
milliseconds on top of an empty Python.
"""

import ctypes
import os
import resource
import sys

PR_SET_PDEATHSIG = 1
SIGKILL = 9

LIMITS = {
    "address_space_bytes": resource.RLIMIT_AS,
    "cpu_s": resource.RLIMIT_CPU,
    "file_size_bytes": resource.RLIMIT_FSIZE,
    "open_files": resource.RLIMIT_NOFILE,
    "core_bytes": resource.RLIMIT_CORE,
}
"""Our names of the resource limits; see setrlimit(2)."""


def die_with_parent(parent_pid: int) -> None:
    """
    Have the kernel kill this process when the given parent ends.

    Exits at once if the parent is gone already. Asks for nothing where the
    kernel is not Linux.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, SIGKILL)
    if os.getppid() != parent_pid:
        os._exit(1)


def _main(arguments: list[str]) -> None:
    split = arguments.index("--")
    parent_pid, *settings = arguments[:split]
    command = arguments[split + 1 :]
    die_with_parent(int(parent_pid))
    for setting in settings:
        name, _, value = setting.partition("=")
        resource.setrlimit(LIMITS[name], (int(value), int(value)))
    os.execv(command[0], command)  # noqa: S606 - no shell is the point


if __name__ == "__main__":
    _main(sys.argv[1:])
