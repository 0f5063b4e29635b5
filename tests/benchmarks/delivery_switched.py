"""
``hv delivery`` that counts in one moment and does not in the next, and writes down
what either needed: the machines are noisy, and of two processes of one program
one may need a tenth more than the other, for as long as they live.

Run as a process: ``python -m tests.benchmarks.delivery_switched FILE --fd FD``.
"""

import itertools
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import attrs

from hv_cli.main import run
from hvcore.services.segment_counting import SpooledCounter

COUNTS_S: Final = 2.0
PAUSES_S: Final = 0.5
"""
Many in the time in which a machine gets slower or faster. Most of the time it
counts: what a drain and a viewer's note cost, which come every few seconds, is
shared by the segments that are counted meanwhile.
"""


@attrs.frozen
class Turn:
    """
    What one process did for a moment.

    Attributes:
        counts: Whether it counted.
        segments: That it served.
        cpu_s: User and system time of the process.
    """

    counts: bool
    segments: int
    cpu_s: float


def read_turns(file: Path) -> Sequence[Turn]:
    """
    Return the turns of all processes so far.
    """
    lines = file.read_text().splitlines() if file.exists() else []
    words = [line.split() for line in lines]
    return [Turn(one == "1", int(served), float(cpu)) for one, served, cpu in words]


def follow(file: Path) -> None:
    """
    Count, or do not, in turn until the process ends.
    """
    served = itertools.count()
    count = SpooledCounter.count
    for counts in itertools.cycle([True, False]):
        taken = watched(count if counts else note_nothing, served)
        SpooledCounter.count = taken  # type: ignore[method-assign]
        # Looking at it takes one, too.
        before, before_s = next(served) + 1, time.process_time()
        time.sleep(COUNTS_S if counts else PAUSES_S)
        cpu_s, segments = time.process_time() - before_s, next(served) - before
        with file.open("a") as turns:
            turns.write(f"{counts:d} {segments} {cpu_s}\n")


def watched(
    write: Callable[..., Callable[[], None]], served: Iterator[int]
) -> Callable[..., Callable[[], None]]:
    """
    Tell how often something is called; costs the same whatever it is.
    """

    def write_one(*about: object) -> Callable[[], None]:
        next(served)
        return write(*about)

    return write_one


def note_nothing(*_: object) -> Callable[[], None]:
    """
    Take the place of what writes a line.
    """
    return _nothing


def _nothing() -> None:
    pass


def main() -> int:
    """
    Serve.
    """
    file, *words = sys.argv[1:]
    # The process that answers is a fork of this one.
    os.register_at_fork(
        after_in_child=lambda: threading.Thread(
            target=follow, args=[Path(file)], daemon=True
        ).start()
    )
    return run(["delivery", *words])


if __name__ == "__main__":
    sys.exit(main())
