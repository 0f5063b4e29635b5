"""
``hv delivery`` that counts in one moment and does not in the next, and writes down
what either needed: the machines are noisy, and of two processes of one program
one may need a tenth more than the other, for as long as they live.

Run as a process: ``python -m tests.benchmarks.delivery.switched FILE --fd FD``.
"""

import itertools
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, TypeAlias

import attrs

from hvcore.ports.counting import CountedSegment
from hvcore.services.counting.spooled_counter import SpooledCounter
from hvcore_cli.main import run

COUNTS_S: Final = 0.2
PAUSES_S: Final = 0.05
"""
Many in the time in which a machine gets slower or faster, which is less than a
second. Most of the time it counts: what a flusher and a viewer's note cost, which
come every few seconds, is shared by the segments that are counted meanwhile.
"""

Count: TypeAlias = Callable[[SpooledCounter, Sequence[CountedSegment]], bool]


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
    served = Served()
    count = SpooledCounter.count
    for counts in itertools.cycle([True, False]):
        taken = watched(count if counts else note_nothing, served)
        SpooledCounter.count = taken  # type: ignore[method-assign,assignment]
        before, before_s = served.segments, time.process_time()
        time.sleep(COUNTS_S if counts else PAUSES_S)
        cpu_s, segments = time.process_time() - before_s, served.segments - before
        with file.open("a") as turns:
            turns.write(f"{counts:d} {segments} {cpu_s}\n")


class Served:
    """
    How many segments were served; of one thread.
    """

    segments = 0


def watched(count: Count, served: Served) -> Count:
    """
    Add up how many segments are counted; costs the same whatever counts them.
    """

    def count_some(counter: SpooledCounter, segments: Sequence[CountedSegment]) -> bool:
        served.segments += len(segments)
        return count(counter, segments)

    return count_some


def note_nothing(_counter: object, _segments: object) -> bool:
    """
    Take the place of what writes lines.
    """
    return False


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
