"""
What confining a program costs, in milliseconds for each start.

    python -m tests.benchmarks.confinement [--rounds 40]

The ways take turns, so that a busy machine slows all of them. Quote the fastest
start of each, which has waited for nobody, and the processor time, which waits
for nobody at all.
"""

import argparse
import resource
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

import attrs

from hvcore.plugin_api import supervised_command
from hvcore_transcoder_ffmpeg.sandbox.confinement import Sandbox, choose_sandbox

_PROGRAM: Final = "/usr/bin/true"
_LIMITS: Final = {"cpu_s": 20, "address_space_bytes": 1024**3, "open_files": 64}
_PROMISE_MS: Final = 20.0
_BARE: Final = "bare"
_LAUNCHED: Final = "launcher and limits"
_FILTERED: Final = "… and system calls (rlimits)"
_ENCLOSED: Final = "… and bubblewrap (bwrap)"


def _ways() -> Mapping[str, Sequence[str]]:
    program = Path(_PROGRAM)
    bwrap = choose_sandbox("bwrap", [program]).sandbox
    rlimits = choose_sandbox("rlimits", [program]).sandbox
    if bwrap is None or rlimits is None:
        message = "bubblewrap does not work here: hv doctor says why."
        raise SystemExit(message)
    unfiltered = attrs.evolve(bwrap, syscall_filter=b"")

    def inside(sandbox: Sandbox) -> Sequence[str]:
        return sandbox.command([_PROGRAM], limits=_LIMITS)

    return {
        _BARE: [_PROGRAM],
        _LAUNCHED: supervised_command([_PROGRAM], _LIMITS),
        _FILTERED: inside(rlimits),
        "bubblewrap without the filter": inside(unfiltered),
        _ENCLOSED: inside(bwrap),
    }


def _start_ms(command: Sequence[str]) -> tuple[float, float]:
    """
    Return wall and processor time.
    """
    begun, before_s = time.perf_counter(), _children_s()
    subprocess.run(command, check=True)
    wall_ms = (time.perf_counter() - begun) * 1000
    return wall_ms, (_children_s() - before_s) * 1000


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main(say: Callable[[str], None] = print) -> None:
    """
    Measure, and print a table.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=40)
    rounds = parser.parse_args().rounds
    ways = _ways()
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, command in ways.items():
            taken[name].append(_start_ms(command))
    say(f"{'ms for each start':32}{'fastest':>9}{'median':>9}{'CPU':>9}{'to bare':>9}")
    rows = {}
    for name, starts in taken.items():
        walls, cpus = zip(*starts, strict=True)
        rows[name] = min(walls), statistics.median(cpus)
        ratio = rows[name][0] / rows[_BARE][0]
        median = statistics.median(walls)
        say(
            f"{name:32}{rows[name][0]:9.1f}{median:9.1f}{rows[name][1]:9.1f}"
            f"{ratio:8.1f}x"
        )
    # Dying with the worker and keeping to limits is no matter of confinement.
    wall_ms, cpu_ms = (
        enclosed - launched
        for enclosed, launched in zip(rows[_ENCLOSED], rows[_LAUNCHED], strict=True)
    )
    verdict = "kept" if wall_ms <= _PROMISE_MS else "BROKEN, or the machine is busy"
    say(f"confinement costs {wall_ms:.1f} ms, {cpu_ms:.1f} ms of it processor time")
    say(f"at most {_PROMISE_MS:.0f} ms: {verdict}")


if __name__ == "__main__":
    main()
