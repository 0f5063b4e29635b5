"""
Processor time of ``import hvcore.embedding``, as a multiple of ``import sqlalchemy``.

Each is imported by processes of their own, in turn; what an empty process takes is
taken off. The third line is a program that imports and then calls ``embed``, which
loads the services.

Run: ``python -m tests.benchmarks.import_weight [--rounds N]``
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

GOAL: Final = 2.0
ROUNDS: Final = 9
YARDSTICK: Final = "import sqlalchemy"
MEASURED: Final = (
    "import hvcore.embedding",
    "from hvcore.embedding import embed; embed('data', public_url='http://a.example')",
)


def processor_s(program: str, folder: Path) -> float:
    """Return the seconds of processor time that a process takes for a program."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", program], check=True, cwd=folder)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Print the medians and the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    rounds = parser.parse_args().rounds
    programs = ("pass", YARDSTICK, *MEASURED)
    times_s: dict[str, list[float]] = {program: [] for program in programs}
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        for program in programs:
            # What was compiled stays from here on.
            processor_s(program, folder)
        for _ in range(rounds):
            for program in programs:
                times_s[program].append(processor_s(program, folder))
    empty_s = statistics.median(times_s["pass"])
    yardstick_s = statistics.median(times_s[YARDSTICK]) - empty_s
    print(f"{yardstick_s:.2f} s  {YARDSTICK} ({os.cpu_count()} cores, {rounds} rounds)")
    for program in MEASURED:
        taken_s = statistics.median(times_s[program]) - empty_s
        print(f"{taken_s:.2f} s  {program}: {taken_s / yardstick_s:.2f} of it")
    print(f"Goal: the import at most {GOAL} of it.")


if __name__ == "__main__":
    main()
