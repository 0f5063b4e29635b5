"""
Build the filter of system calls that a confined program may not make (seccomp).

A decoder reads files, computes and starts threads. A decoder starts no program, opens no
socket, mounts nothing, and touches no other process. The filter refuses such calls, so the
parts of the kernel behind them are out of a stranger's reach. The files of other processes
below /proc are hidden by bubblewrap, not by the filter. The filter is the only confinement
that needs neither bubblewrap nor a separate user, and the only one that stops a fork bomb
of root, whom RLIMIT_NPROC does not bind.

Source: seccomp(2), and the system call tables of Linux. The language of the
filter is classic BPF, see filter.txt of the kernel's networking documentation.
"""

import errno
import platform
import struct
import sys
from collections.abc import Mapping, Sequence
from typing import Final

import attrs

_LOAD: Final = 0x20
_IF_EQUAL: Final = 0x15
_IF_AT_LEAST: Final = 0x35
_IF_ANY_BIT: Final = 0x45
_RETURN: Final = 0x06

_ALLOW: Final = 0x7FFF0000
_FAIL: Final = 0x00050000
"""The filter's return value SECCOMP_RET_ERRNO, to which the number of an error is added."""

_NUMBER_AT: Final = 0
_ARCHITECTURE_AT: Final = 4
_FIRST_ARGUMENT_AT: Final = 16
"""The offset of the lower half of the call's first argument in struct seccomp_data."""

_CLONE_THREAD: Final = 0x10000
_X32: Final = 0x40000000
"""The first call number of x86-64's second table (x32); other tables have lower numbers."""


@attrs.frozen(kw_only=True)
class _Table:
    """
    Hold the numbers of system calls on one architecture.

    Attributes:
        audit: The kernel's number for the architecture (AUDIT_ARCH).
        refused: The calls for sockets, new processes, namespaces, mounts and other
            processes, and calls in which many security holes of the kernel were.
        clone: The call that is refused unless it makes a thread.
        prlimit64: The call that is refused unless it concerns the caller itself.
    """

    audit: int
    refused: Sequence[int]
    clone: int
    prlimit64: int


# The same everywhere, as all later ones.
_CLONE3: Final = 435
_IO_URING_SETUP: Final = 425
_REFUSED_EVERYWHERE: Final = (
    # pidfd_send_signal, open_tree, move_mount, fsopen, fsconfig, fsmount, fspick,
    # pidfd_open, pidfd_getfd, process_madvise, mount_setattr, process_mrelease
    *(424, 428, 429, 430, 431, 432, 433, 434, 438, 440, 442, 448),
)

_TABLES: Final[Mapping[str, _Table]] = {
    "x86_64": _Table(
        audit=0xC000003E,
        # socket, socketpair, fork, vfork, kill, ptrace, rt_sigqueueinfo,
        # pivot_root, chroot, mount, umount2, init_module, delete_module, tkill,
        # tgkill, kexec_load, add_key, request_key, keyctl, unshare,
        # rt_tgsigqueueinfo, perf_event_open, setns, process_vm_readv,
        # process_vm_writev, finit_module, kexec_file_load, bpf, userfaultfd
        refused=(
            *(41, 53, 57, 58, 62, 101, 129, 155, 161, 165, 166, 175, 176, 200),
            *(234, 246, 248, 249, 250, 272, 297, 298, 308, 310, 311, 313, 320),
            *(321, 323),
        ),
        clone=56,
        prlimit64=302,
    ),
    "aarch64": _Table(
        audit=0xC00000B7,
        # umount2, mount, pivot_root, chroot, unshare, kexec_load, init_module,
        # delete_module, ptrace, kill, tkill, tgkill, rt_sigqueueinfo, socket,
        # socketpair, add_key, request_key, keyctl, rt_tgsigqueueinfo,
        # perf_event_open, setns, process_vm_readv, process_vm_writev,
        # finit_module, bpf, userfaultfd, kexec_file_load
        refused=(
            *(39, 40, 41, 51, 97, 104, 105, 106, 117, 129, 130, 131, 138, 198),
            *(199, 217, 218, 219, 240, 241, 268, 270, 271, 273, 280, 282, 294),
        ),
        clone=220,
        prlimit64=261,
    ),
}


def syscall_filter() -> bytes:
    """
    Return the seccomp filter for this machine, in the kernel's binary form.

    Returns:
        ``b""`` if the machine has not Linux on x86-64 or ARM64.
    """
    table = _TABLES.get(platform.machine())
    if sys.platform != "linux" or table is None or sys.byteorder != "little":
        return b""
    refuse = _step(_RETURN, _FAIL | errno.EPERM)
    # Callers try the next best way where a call does not exist: the C library
    # falls back to clone, whose flags can be seen from here.
    not_there = _step(_RETURN, _FAIL | errno.ENOSYS)
    steps = [
        _step(_LOAD, _ARCHITECTURE_AT),
        # Numbers mean other calls in 32-bit mode.
        *_unless(_IF_EQUAL, table.audit, refuse),
        _step(_LOAD, _NUMBER_AT),
        *_when(_IF_AT_LEAST, _X32, refuse),
    ]
    for number in (*table.refused, *_REFUSED_EVERYWHERE):
        steps += _when(_IF_EQUAL, number, refuse)
    for number in (_CLONE3, _IO_URING_SETUP):
        steps += _when(_IF_EQUAL, number, not_there)
    # The C library asks for its own limits by this call, with process 0.
    own_limits = (
        _step(_LOAD, _FIRST_ARGUMENT_AT),
        *_unless(_IF_EQUAL, 0, refuse),
        _step(_RETURN, _ALLOW),
    )
    steps += [
        _step(_IF_EQUAL, table.prlimit64, if_false=len(own_limits)),
        *own_limits,
    ]
    steps += _unless(_IF_EQUAL, table.clone, _step(_RETURN, _ALLOW))
    steps += [
        _step(_LOAD, _FIRST_ARGUMENT_AT),
        *_unless(_IF_ANY_BIT, _CLONE_THREAD, refuse),
        _step(_RETURN, _ALLOW),
    ]
    return b"".join(steps)


def _step(code: int, value: int, *, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


def _when(test: int, value: int, then: bytes) -> tuple[bytes, bytes]:
    return _step(test, value, if_false=1), then


def _unless(test: int, value: int, then: bytes) -> tuple[bytes, bytes]:
    return _step(test, value, if_true=1), then
