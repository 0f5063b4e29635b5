"""
Time from a clone to a service that answers, with empty caches and with full ones.

`./hv setup` runs side by side with `uv pip sync` of the same lock into an empty
environment; the clone is of the commit that is checked out. The first start in it
compiles every module and makes the database. For a second start the processor time
counts, of `hv up` and all that it has started, until the API answers.

Run: ``python -m tests.benchmarks.first_start [--rounds N] [--only empty|full]``; with
empty caches it downloads 200 MB each time.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import attrs
import psutil

from tests.benchmarks.processor_time import cpu_s
from tests.live import free_ports, request, until

ROOT: Final = Path(__file__).parents[2]
LARGEST_RATIO: Final = 2.5
LONGEST_START_S: Final = 20.0
MOST_CPU_S: Final = 4.0
READY_WITHIN_S: Final = 300.0
CACHES: Final = {"UV_CACHE_DIR": "uv", "npm_config_cache": "npm"}


@attrs.frozen(kw_only=True)
class Found:
    """
    The times of one round.

    Attributes:
        start_s: From the beginning of the clone to the first healthy answer.
        again_cpu_s: Processor time of a second start.
    """

    sync_s: float
    setup_s: float
    start_s: float
    again_s: float
    again_cpu_s: float


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--only", choices=["empty", "full"])
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hv-first-") as place:
        for caches in [wanted.only] if wanted.only else ["empty", "full"]:
            if caches == "full":
                fill_caches(Path(place))
            print(f"\n{caches} caches")
            rounds = range(wanted.rounds)
            show([one_round(Path(place), caches=caches) for _ in rounds])


def one_round(place: Path, *, caches: str) -> Found:
    """Set a clone up, start it twice, and install the lock beside it."""
    with new_folder(place) as folder:
        kept = folder if caches == "empty" else place
        sync_s = sync(folder / "env", environ_of(kept / "caches-of-sync"))
        return started(folder / "clone", environ_of(kept / "caches"), sync_s)


def fill_caches(place: Path) -> None:
    """Download everything once."""
    with new_folder(place) as folder:
        sync(folder / "env", environ_of(place / "caches-of-sync"))
        subprocess.run(["git", "clone", "-q", ROOT, folder / "clone"], check=True)
        set_up(folder / "clone", environ_of(place / "caches"))


@contextmanager
def new_folder(place: Path) -> Iterator[Path]:
    """Yield a folder that is removed at the end, and not in the time of a step."""
    folder = Path(tempfile.mkdtemp(dir=place))
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def environ_of(caches: Path) -> Mapping[str, str]:
    """Return this environment with caches in a folder."""
    own = {name: str(caches / folder) for name, folder in CACHES.items()}
    return {**os.environ, **own}


def sync(target: Path, environ: Mapping[str, str]) -> float:
    """Install the lock into an empty environment, and return how long it took, in s."""
    subprocess.run(["uv", "venv", "-q", target], env=environ, check=True)
    python = target / "bin" / "python"
    command = ["uv", "pip", "sync", "-q", "--require-hashes", "--python", python]
    began = time.monotonic()
    subprocess.run([*command, ROOT / "requirements.lock"], env=environ, check=True)
    return time.monotonic() - began


def started(clone: Path, environ: Mapping[str, str], sync_s: float) -> Found:
    """Clone this checkout, set the clone up, and start it twice."""
    began = time.monotonic()
    subprocess.run(["git", "clone", "-q", ROOT, clone], check=True)
    cloned = time.monotonic()
    set_up(clone, environ)
    installed = time.monotonic()
    with serving(clone, environ):
        start_s = time.monotonic() - began
    again = time.monotonic()
    with serving(clone, environ) as process:
        again_s = time.monotonic() - again
        again_cpu_s = cpu_s([process, *process.children(recursive=True)])
    return Found(
        sync_s=sync_s,
        setup_s=installed - cloned,
        start_s=start_s,
        again_s=again_s,
        again_cpu_s=again_cpu_s,
    )


def set_up(clone: Path, environ: Mapping[str, str]) -> None:
    """Run ``./hv setup``, and show when each of its steps began."""
    began = time.monotonic()
    command = [clone / "hv", "setup"]
    with subprocess.Popen(
        command, env=environ, stderr=subprocess.PIPE, text=True
    ) as process:
        for line in process.stderr or ():
            print(f"  {time.monotonic() - began:6.2f} s  {line.strip()}")
    if process.returncode != 0:
        raise SystemExit("./hv setup failed")


@contextmanager
def serving(clone: Path, environ: Mapping[str, str]) -> Iterator[psutil.Process]:
    """Run ``./hv up`` in a clone, and yield its process as soon as the API answers."""
    port = free_ports()
    url = f"http://127.0.0.1:{port}/health"
    with (clone.parent / "up.log").open("w") as log:
        process = psutil.Popen(
            [clone / "hv", "up", "--port", str(port)],
            cwd=clone,
            env=environ,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    try:
        until(lambda: is_healthy(url), within_s=READY_WITHIN_S, what=url)
        yield process
    finally:
        process.terminate()
        process.wait()


def is_healthy(url: str) -> bool:
    """Tell whether a service answers that it is healthy."""
    try:
        return request("GET", url).status == 200
    except OSError:
        return False


def show(rounds: list[Found]) -> None:
    """Print medians, and what they may be at most."""
    median = {
        field.name: statistics.median(getattr(found, field.name) for found in rounds)
        for field in attrs.fields(Found)
    }
    ratio = median["setup_s"] / median["sync_s"]
    print(f"uv pip sync of the lock       {median['sync_s']:6.2f} s")
    print(f"./hv setup                    {median['setup_s']:6.2f} s")
    print(f"ratio                         {ratio:6.2f}    at most {LARGEST_RATIO}")
    print(
        f"clone to the first answer     {median['start_s']:6.2f} s"
        f"  at most {LONGEST_START_S:.0f} s"
    )
    print(f"second ./hv up, to its answer {median['again_s']:6.2f} s")
    print(
        f"processor time of that        {median['again_cpu_s']:6.2f} s"
        f"  at most {MOST_CPU_S:.0f} s"
    )


if __name__ == "__main__":
    main()
