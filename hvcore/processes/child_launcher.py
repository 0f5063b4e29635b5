"""
Launcher script: tie itself to the process that started it, then become another program, so that the program cannot outlive that process.

Run as a script in front of the real command, see :mod:`hvcore.processes.child_process`.
Every such program starts through it, so it imports next to nothing: four
milliseconds more than an empty Python.
"""

import ctypes
import os
import resource
import sys

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
PR_SET_SECCOMP = 22
PR_SET_NO_NEW_PRIVS = 38
SECCOMP_MODE_FILTER = 2
SIGKILL = 9
NICENESS = "niceness"
"""The setting to be so much nicer than the parent; see nice(2)."""

GUARD = "guard"
"""The setting to stay, and to end the whole process group with the parent."""

FILTER_FD = 9
"""Where a sandbox that imposes a filter of system calls finds it."""

LIMITS = {
    "address_space_bytes": resource.RLIMIT_AS,
    "cpu_s": resource.RLIMIT_CPU,
    "file_size_bytes": resource.RLIMIT_FSIZE,
    "open_files": resource.RLIMIT_NOFILE,
    "core_bytes": resource.RLIMIT_CORE,
}
"""Our names of the resource limits; see setrlimit(2)."""

SCHED_SETATTR = {"x86_64": 314, "aarch64": 274, "riscv64": 274}
"""The number of sched_setattr(2) by machine: older C libraries have no function for it."""

SHORT_SLICE_NS = 100_000
"""The shortest slice of a processor that Linux hands out; see sched_setattr(2)."""

USUAL_SLICE_NS = 0
"""As long as the kernel thinks right, some milliseconds."""

AUTOGROUP = "/proc/self/autogroup"
"""The processes of this session, where Linux groups them so; see sched(7)."""

AUTOGROUP_WAITS_S = (0.1, 0.1, 0.1, 0.0)
"""Without privileges, one change is allowed in a tenth of a second."""

ORPHANS_END_WITHIN_S = 0.5
"""They are gone after a millisecond, unless a disk holds them."""

CPU_GRACE_S = 5
"""SIGXCPU comes at the limit and says what happened; SIGKILL, which ends a process that ignores it, looks like any other kill."""


def die_with_parent(parent_pid: int) -> None:
    """
    Have the kernel kill this process when the given parent ends.

    Exits at once if the parent is gone already. Does nothing if the kernel is not Linux.
    """
    _ask_for(SIGKILL, parent_pid)


def _ask_for(number: int, parent_pid: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, number)
    if os.getppid() != parent_pid:
        os._exit(1)


def share_processors_as_nice() -> None:
    """
    Lower the processor share of this process's session to the share that the process's niceness asks for.

    Linux divides the processors among sessions first (sched_autogroup_enabled, on in most
    distributions). The niceness of a process has no effect outside of its session.
    """
    niceness = os.getpriority(os.PRIO_PROCESS, 0)
    if niceness == 0:
        return
    for wait_s in AUTOGROUP_WAITS_S:
        try:
            with open(AUTOGROUP, "w") as group:  # noqa: PTH123 - pathlib takes time to import
                group.write(str(niceness))
        except BlockingIOError:
            import time  # noqa: PLC0415 - other launchers need none

            time.sleep(wait_s)
        except OSError:
            # This kernel has no such groups.
            return
        else:
            return


def run_for(slice_ns: int) -> None:
    """
    Ask the kernel to run this thread, and all that it starts later, in time slices of ``slice_ns`` nanoseconds.

    The share of the processors stays the same. Threads with short slices run sooner after
    waking: of the waiting threads, Linux (6.12 and newer) runs the one whose slice would end
    first. Older kernels ignore the request.
    """
    number = SCHED_SETATTR.get(os.uname().machine)
    if sys.platform != "linux" or number is None:
        return
    niceness = os.getpriority(os.PRIO_PROCESS, 0)
    wish = _SchedulingAttributes(size=48, sched_nice=niceness, sched_runtime=slice_ns)
    ctypes.CDLL(None, use_errno=True).syscall(number, 0, ctypes.byref(wish), 0)


class _SchedulingAttributes(ctypes.Structure):
    """The argument of sched_setattr(2), struct sched_attr in its first version."""

    _fields_ = (
        ("size", ctypes.c_uint32),
        ("sched_policy", ctypes.c_uint32),
        ("sched_flags", ctypes.c_uint64),
        ("sched_nice", ctypes.c_int32),
        ("sched_priority", ctypes.c_uint32),
        ("sched_runtime", ctypes.c_uint64),
        ("sched_deadline", ctypes.c_uint64),
        ("sched_period", ctypes.c_uint64),
    )


def _has_own_session(parent_pid: int) -> bool:
    try:
        return os.getsid(0) != os.getsid(parent_pid)
    except OSError:
        return False


def _guard(parent_pid: int) -> None:
    """
    Continue as a child; the parent stays as its guard.

    Bubblewrap is two processes, and the inner one waits for ever if the outer
    one is killed while they start. Until then both are in this process group.
    """
    import signal  # noqa: PLC0415 - other launchers need none

    def end_all(*_: object) -> None:
        os.killpg(0, SIGKILL)

    if os.getpgrp() != os.getpid():
        os.setsid()
    signal.signal(signal.SIGTERM, end_all)
    _ask_for(signal.SIGTERM, parent_pid)
    if sys.platform == "linux":
        # Bubblewrap does not wait for the program inside, whose processor time
        # nobody would know then.
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1)
    guard = os.getpid()
    command = os.fork()
    if command == 0:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        die_with_parent(guard)
        return
    _, status = os.waitpid(command, 0)
    if os.WIFSIGNALED(status):
        end_all()
    _reap_orphans()
    os._exit(os.WEXITSTATUS(status))


def _reap_orphans() -> None:
    """Wait a little while for the orphans of the command, which are ending."""
    import time  # noqa: PLC0415 - other launchers need none

    ends_at_s = time.monotonic() + ORPHANS_END_WITHIN_S
    while time.monotonic() < ends_at_s:
        try:
            gone, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if gone == 0:
            time.sleep(0.001)


class _Filter(ctypes.Structure):
    """A program of seccomp(2): ``struct sock_fprog``, eight bytes a step."""

    _fields_ = (("steps", ctypes.c_ushort), ("program", ctypes.c_char_p))


def impose_filter(program: bytes) -> None:
    """
    Have the kernel refuse system calls by a seccomp filter, in this process and in all of its descendants.

    Args:
        program: The filter as the kernel takes it: instructions of 8 bytes each (BPF).

    Raises:
        OSError: This kernel supports no such filter.
    """
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    steps = _Filter(len(program) // 8, program)
    # Without privileges it is permitted to those only who can gain none.
    if prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or prctl(
        PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(steps)
    ):
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))


def hand_filter_on(program: bytes) -> None:
    """
    Write a seccomp filter into a pipe, from which the sandbox that this process becomes next reads it.

    Args:
        program: The filter as the kernel takes it: instructions of 8 bytes each (BPF).
    """
    reading, writing = os.pipe()
    os.write(writing, program)
    os.close(writing)
    os.dup2(reading, FILTER_FD)


_FILTERS = {"impose": impose_filter, "hand-on": hand_filter_on}


def _main(arguments: list[str]) -> None:
    split = arguments.index("--")
    parent_pid, *settings = arguments[:split]
    command = arguments[split + 1 :]
    if GUARD in settings:
        settings.remove(GUARD)
        _guard(int(parent_pid))
    else:
        die_with_parent(int(parent_pid))
    named = dict(setting.split("=") for setting in settings)
    os.nice(int(named.pop(NICENESS, "0")))
    # Who started it may answer people, who want to be answered soon; it does not.
    run_for(USUAL_SLICE_NS)
    if _has_own_session(int(parent_pid)):
        # Else the parent would be nice, too, which holds locks for which others wait.
        share_processors_as_nice()
    for name, value in named.items():
        if name in _FILTERS:
            _FILTERS[name](bytes.fromhex(value))
            continue
        soft = int(value)
        hard = soft + CPU_GRACE_S if name == "cpu_s" else soft
        resource.setrlimit(LIMITS[name], (soft, hard))
    os.execv(command[0], command)  # noqa: S606 - no shell is the point


if __name__ == "__main__":
    _main(sys.argv[1:])
