"""
Time from a clone to a service that answers, with empty caches and with full ones.

`./hv setup` runs side by side with `uv pip sync` of the same lock into an empty
environment; the clone is of the commit that is checked out. The first start in it
compiles every module and makes the database. Processor time is that of all processes
of a step, and says more than the time where others use the machine.

Run: ``python -m tests.benchmarks.first_start [--rounds N] [--only empty|full]``; with
empty caches it downloads 400 MB in each round.
"""

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import attrs
import psutil

from tests.benchmarks.processor_time import cpu_s
from tests.support.live import free_ports, request, until

ROOT: Final = Path(__file__).parents[2]
LARGEST_RATIO: Final = 2.5
LONGEST_START_S: Final = 20
MOST_CPU_S: Final = 4
READY_WITHIN_S: Final = 300.0
CACHES: Final = {"UV_CACHE_DIR": "uv", "npm_config_cache": "npm"}


@attrs.frozen(kw_only=True)
class Taken:
    """The time that a step took, and the processor time of its processes."""

    wall_s: float
    cpu_s: float


@attrs.frozen(kw_only=True)
class Round:
    """The steps of one round."""

    sync: Taken
    clone: Taken
    setup: Taken
    first_start: Taken
    second_start: Taken

    @property
    def until_answer_s(self) -> float:
        """The time from the beginning of the clone to the first healthy answer."""
        return self.clone.wall_s + self.setup.wall_s + self.first_start.wall_s


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--only", choices=["empty", "full"])
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hv-first-") as name:
        place = Path(name)
        for caches in [wanted.only] if wanted.only else ["empty", "full"]:
            if caches == "full":
                fill_caches(place)
            print(f"\n{caches} caches")
            rounds = range(wanted.rounds)
            show([one_round(place, caches=caches) for _ in rounds])


def fill_caches(place: Path) -> None:
    """Download everything once."""
    with new_folder(place) as folder:
        sync(folder / "env", environ_of(place / "caches-of-sync"))
        clone(folder / "clone")
        set_up(folder / "clone", environ_of(place / "caches"))


def one_round(place: Path, *, caches: str) -> Round:
    """Install the lock, set a clone up beside it, and start the clone twice."""
    with new_folder(place) as folder:
        kept = folder if caches == "empty" else place
        environ = environ_of(kept / "caches")
        return Round(
            sync=sync(folder / "env", environ_of(kept / "caches-of-sync")),
            clone=clone(folder / "clone"),
            setup=set_up(folder / "clone", environ),
            first_start=start(folder / "clone", environ),
            second_start=start(folder / "clone", environ),
        )


@contextmanager
def new_folder(place: Path) -> Iterator[Path]:
    """Yield a folder that is removed at the end, outside of the time of a step."""
    folder = Path(tempfile.mkdtemp(dir=place))
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def environ_of(caches: Path) -> Mapping[str, str]:
    """Return the environment of this process, with the caches in a folder."""
    own = {name: str(caches / folder) for name, folder in CACHES.items()}
    return {**os.environ, **own}


def sync(target: Path, environ: Mapping[str, str]) -> Taken:
    """Install the lock into an empty environment."""
    run(["uv", "venv", "-q", str(target)], environ)
    python = str(target / "bin" / "python")
    command = ["uv", "pip", "sync", "-q", "--require-hashes", "--python", python]
    return run([*command, ROOT / "requirements.lock"], environ)


def clone(target: Path) -> Taken:
    """Clone this checkout."""
    return run(["git", "clone", "-q", ROOT, target], os.environ)


def set_up(folder: Path, environ: Mapping[str, str]) -> Taken:
    """Run ``./hv setup``, and show when each of its steps began."""
    return run([folder / "hv", "setup"], environ)


def run(command: Sequence[str | Path], environ: Mapping[str, str]) -> Taken:
    """Run a command to its end, and show each line that it says and when."""
    began, cpu_began_s = time.monotonic(), ended_cpu_s()
    with subprocess.Popen(
        command, env=environ, stderr=subprocess.PIPE, text=True
    ) as process:
        for line in process.stderr or ():
            print(f"  {time.monotonic() - began:6.2f} s  {line.strip()}", flush=True)
    if process.returncode != 0:
        raise SystemExit(f"{command[0]} failed")
    return Taken(wall_s=time.monotonic() - began, cpu_s=ended_cpu_s() - cpu_began_s)


def ended_cpu_s() -> float:
    """Return the processor time of all children that have ended, in s."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def start(folder: Path, environ: Mapping[str, str]) -> Taken:
    """Run ``./hv up`` in a clone until the API answers."""
    port = free_ports()
    url = f"http://127.0.0.1:{port}/health"
    command = [folder / "hv", "up", "--port", str(port)]
    began = time.monotonic()
    with (
        (folder.parent / "up.log").open("w") as log,
        psutil.Popen(command, cwd=folder, env=environ, stdout=log, stderr=log) as hv,
    ):
        try:
            until(lambda: is_healthy(url), within_s=READY_WITHIN_S, what=url)
            wall_s = time.monotonic() - began
            used_s = cpu_s([hv, *hv.children(recursive=True)])
        finally:
            hv.terminate()
    return Taken(wall_s=wall_s, cpu_s=used_s)


def is_healthy(url: str) -> bool:
    """Tell whether a service answers that it is healthy."""
    try:
        return request("GET", url).status == 200
    except OSError:
        return False


def show(rounds: Sequence[Round]) -> None:
    """Print medians, and what they may be at most."""
    print(f"{'':24}{'s':>8}{'CPU s':>8}")
    for field in attrs.fields(Round):
        steps = [getattr(found, field.name) for found in rounds]
        wall_s = statistics.median(step.wall_s for step in steps)
        used_s = statistics.median(step.cpu_s for step in steps)
        print(f"{field.name.replace('_', ' '):24}{wall_s:8.2f}{used_s:8.2f}")
    ratios = {
        name: statistics.median(
            getattr(found.setup, name) / getattr(found.sync, name) for found in rounds
        )
        for name in ("wall_s", "cpu_s")
    }
    until_answer_s = statistics.median(found.until_answer_s for found in rounds)
    again_s = statistics.median(found.second_start.cpu_s for found in rounds)
    print(
        f"setup / sync            {ratios['wall_s']:8.2f}{ratios['cpu_s']:8.2f}"
        f"  at most {LARGEST_RATIO}\n"
        f"clone to first answer   {until_answer_s:8.2f} s at most {LONGEST_START_S} s\n"
        f"second start            {again_s:8.2f} s of CPU, at most {MOST_CPU_S} s"
    )


if __name__ == "__main__":
    main()
