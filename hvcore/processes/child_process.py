"""
Start a program that cannot outlive the process that started it.

A small launcher stands in front of the real command: it asks the kernel to be
killed when its parent ends, checks that the parent is still there, sets
resource limits, and becomes the command. Not ``preexec_fn``, because that is
unsafe in a process with threads.

The signal comes when the *thread* that forked ends, so start such a child
from the main thread (prctl(2), PR_SET_PDEATHSIG).
"""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from hvcore.processes import child_launcher

_niceness = 0


def have_children_nice(niceness: int) -> None:
    """
    Have all programs that ``supervised_command`` starts from now on run with a niceness above this process's, by ``niceness``.

    The niceness of this process stays, because it holds locks of the database: others would wait
    for the locks while it waits for a processor.
    """
    global _niceness  # noqa: PLW0603 - of the process, as nice(2) is
    _niceness = niceness


def supervised_command(  # noqa: PLR0913 - what differs between programs
    command: Sequence[str],
    limits: Mapping[str, int] | None = None,
    *,
    syscall_filter: bytes = b"",
    hand_filter_on: bool = False,
    is_guarded: bool = False,
    niceness: int = 0,
) -> list[str]:
    """
    Return the argument list that runs a command as a child which ends with this process.

    Args:
        command: The program's path and its arguments.
        limits: Resource limits by the names of child_launcher.LIMITS.
        syscall_filter: A filter program for seccomp(2), for the command and all of its
            descendants.
        hand_filter_on: Whether the command is a sandbox that reads the filter from the
            file descriptor child_launcher.FILTER_FD and imposes it on what it runs.
        is_guarded: Whether the launcher stays, and ends the command's whole process group
            when this process ends; for a command that starts others.
        niceness: The niceness of the command, on top of this process's; see nice(2).
    """
    settings = [f"{name}={value}" for name, value in (limits or {}).items()]
    if niceness or _niceness:
        settings.append(f"{child_launcher.NICENESS}={niceness or _niceness}")
    if syscall_filter:
        how = "hand-on" if hand_filter_on else "impose"
        settings.append(f"{how}={syscall_filter.hex()}")
    if is_guarded:
        settings.append(child_launcher.GUARD)
    return [
        sys.executable,
        # No site-packages: it starts in half the time.
        "-ISE",
        child_launcher.__file__,
        str(os.getpid()),
        *settings,
        "--",
        *command,
    ]


def environ_of_module() -> dict[str, str]:
    """
    Return the environment variables for a child that runs a module of hvcore, without the settings.

    The settings hold passwords, which a program that reads strangers' files does not need.
    """
    environ = {name: v for name, v in os.environ.items() if not name.startswith("HV_")}
    # Whoever embeds this may have found it in a folder of its own; nothing stands for
    # the current one.
    path = [place or str(Path.cwd()) for place in sys.path]
    return {**environ, "PYTHONPATH": os.pathsep.join(path)}
