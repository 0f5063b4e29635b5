"""Confine the programs that read strangers' uploads."""

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import attrs

from hvcore.plugin_api import FILTER_FD, supervised_command
from hvcore_transcoder_ffmpeg.sandbox.syscalls import syscall_filter

# Without --new-session: whoever starts it has made a session of its own, so there is no
# terminal to push input into (CVE-2017-5226); one more session would not be as nice.
_BWRAP: Final = (
    # No network, no sight of other processes, no shared memory, no host name.
    "--unshare-all",
    # The kernel kills the sandbox when its starter dies, and with it all inside.
    "--die-with-parent",
    # Keys and passwords of the worker's environment stay outside.
    "--clearenv",
    # As root, too, the program has no privilege.
    "--cap-drop",
    "ALL",
)
_SYSTEM: Final = (
    "/usr",
    "/bin",
    "/lib",
    "/lib64",
    # Where the loader finds libraries; Debian's libblas goes by alternatives.
    "/etc/ld.so.cache",
    "/etc/alternatives",
)
_TEST_TIMEOUT_S: Final = 20
"""The time limit of the test whether bubblewrap works. The test takes 0.1 s on an idle
machine."""

_UNFILTERED: Final = (
    "System calls of ffmpeg cannot be filtered here (seccomp): a damaged file that "
    "takes it over can start programs inside of the sandbox. Use a kernel with "
    "CONFIG_SECCOMP_FILTER, on x86-64 or ARM64."
)

_NO_CORE: Final = {"core_bytes": 0}
"""The limit that allows no core dumps: a decoder's core dump contains the owner's video."""


@attrs.frozen(kw_only=True)
class Sandbox:
    """
    Confine child processes by resource limits, a system call filter and bubblewrap.

    Attributes:
        bwrap: The path of bubblewrap; None for a confinement without it.
        programs: Programs that are readable inside, besides those of the system.
        syscall_filter: The seccomp filter of refused system calls; empty if this machine
            cannot impose it.
        niceness: The niceness of the programs on top of this process's; see nice(2).
    """

    bwrap: str | None
    programs: tuple[Path, ...] = ()
    syscall_filter: bytes = b""
    niceness: int = 0

    @property
    def level(self) -> str:
        """The name of the kind of confinement, for operators."""
        return "bwrap" if self.bwrap else "rlimits"

    def command(
        self,
        program: Sequence[str],
        *,
        limits: Mapping[str, int],
        readable: Sequence[Path] = (),
        writable: Path | None = None,
    ) -> list[str]:
        """
        Return the command line that runs a program in the sandbox.

        Resource limits are set outside and inherited, so they also hold for bubblewrap,
        which needs a few megabytes of the address space.

        Args:
            limits: The resource limits, by the names of hvcore's supervised_command.
            readable: Files that the program may read, at their own paths.
            writable: The only folder that the program may write to; also its current
                folder.
        """
        inner = [*program]
        if self.bwrap:
            inner = [self.bwrap, *self._mounts(readable, writable)]
            # Imposed on bubblewrap itself it would keep it from its work.
            inner += ["--seccomp", str(FILTER_FD)] if self.syscall_filter else []
            inner += ["--", *program]
        return supervised_command(
            inner,
            {**_NO_CORE, **limits},
            syscall_filter=self.syscall_filter,
            hand_filter_on=self.bwrap is not None,
            # Bubblewrap is two processes; neither must survive us.
            is_guarded=self.bwrap is not None,
            niceness=self.niceness,
        )

    def _mounts(self, readable: Sequence[Path], writable: Path | None) -> list[str]:
        mounts = [*_BWRAP]
        for folder in _SYSTEM:
            mounts += ["--ro-bind-try", folder, folder]
        # ffmpeg reads /proc for its processors and /dev/null for its input.
        mounts += ["--proc", "/proc", "--dev", "/dev"]
        for program in self.programs:
            mounts += ["--ro-bind", str(program), str(program)]
        if writable is not None:
            mounts += ["--bind", str(writable), str(writable)]
            mounts += ["--chdir", str(writable)]
        for path in readable:
            mounts += ["--ro-bind", str(path), str(path)]
        # What is between the mounts is memory, which no limit counts.
        return [*mounts, "--remount-ro", "/dev", "--remount-ro", "/"]


@attrs.frozen(kw_only=True)
class SandboxChoice:
    """
    Hold the confinement that works on this machine, and a problem for operators.

    Attributes:
        sandbox: The confinement; None if the option requires bubblewrap and it fails.
        problem: A sentence about what to fix; ``""`` if nothing is wrong.
    """

    sandbox: Sandbox | None
    problem: str = ""


def choose_sandbox(wanted: str, programs: Sequence[Path]) -> SandboxChoice:
    """
    Return the confinement that the option asks for and that works on this machine.

    Args:
        wanted: The option ``sandbox``: ``auto``, ``bwrap`` or ``rlimits``.
        programs: The programs that must start inside the confinement.
    """
    if wanted == "rlimits":
        return SandboxChoice(
            sandbox=_without_bwrap(programs),
            problem='With the option sandbox = "rlimits" no files are hidden from '
            'ffmpeg; set it to "auto" and install bubblewrap.',
        )
    problem = "bubblewrap is not installed (Debian: apt install bubblewrap)"
    bwrap = shutil.which("bwrap")
    if bwrap:
        sandbox = Sandbox(bwrap=bwrap, programs=tuple(programs))
        filtering = _filtering(sandbox)
        # Each trial takes up to half a second of every process's first job: what
        # works with the filter is not tried without it.
        if not _first_failure(filtering, programs):
            return SandboxChoice(
                sandbox=filtering,
                problem="" if filtering.syscall_filter else _UNFILTERED,
            )
        failure = _first_failure(sandbox, programs)
        if not failure:
            return SandboxChoice(sandbox=sandbox, problem=_UNFILTERED)
        problem = f"bubblewrap does not work here ({failure})"
    if wanted == "bwrap":
        return SandboxChoice(
            sandbox=None, problem=f'{problem}, but sandbox = "bwrap" insists on it.'
        )
    return SandboxChoice(
        sandbox=_without_bwrap(programs),
        problem=f"{problem}; no files of this machine are hidden from ffmpeg.",
    )


def _without_bwrap(programs: Sequence[Path]) -> Sandbox:
    bare = Sandbox(bwrap=None)
    filtering = _filtering(bare)
    return bare if _first_failure(filtering, programs) else filtering


def _filtering(sandbox: Sandbox) -> Sandbox:
    return attrs.evolve(sandbox, syscall_filter=syscall_filter())


def _first_failure(sandbox: Sandbox, programs: Sequence[Path]) -> str:
    failures = (_failure(sandbox, program) for program in programs)
    return next(filter(None, failures), "")


def _failure(sandbox: Sandbox, program: Path) -> str:
    command = sandbox.command([str(program), "-version"], limits={})
    try:
        subprocess.run(  # noqa: S603 - fixed arguments
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=_TEST_TIMEOUT_S,
            check=True,
        )
    except subprocess.CalledProcessError as exc:
        words = exc.stderr.decode(errors="replace").strip().splitlines()
        return words[-1][:200] if words else f"exit status {exc.returncode}"
    except (OSError, subprocess.TimeoutExpired) as exc:
        return str(exc)[:200]
    return ""
