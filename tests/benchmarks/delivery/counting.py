"""
What counting costs: one server that counts and does not, in short turns.
"""

import statistics
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import attrs

from tests.benchmarks.delivery.data import SMALL, Case
from tests.benchmarks.delivery.load import WARM_UP_S, put_load
from tests.benchmarks.delivery.servers import Server
from tests.benchmarks.delivery.switched import COUNTS_S, PAUSES_S, Turn, read_turns

COUNTED_WITHIN_S: Final = 3.2
"""Then all that was served is with the sinks."""
TURNS: Final = 100
"""Of each kind in a round, at least."""
WRITTEN_WITHIN_S: Final = 1.0
"""Then a turn that has ended stands in the file."""
GOAL: Final = "1.05"


@attrs.frozen
class Cost:
    """
    Processor time for a segment, in microseconds.

    Attributes:
        with_us: While the process counts.
        without_us: While it does not.
        after_us: To bring a counted one to the sinks.
    """

    with_us: float
    without_us: float
    after_us: float

    @property
    def ratio(self) -> float:
        """
        All of it for a counted segment, of what one costs that is not counted.
        """
        return (self.with_us + self.after_us) / self.without_us


def measure(
    server: Server, turns: Path, case: Case, *, rounds: int, seconds: float
) -> list[Cost]:
    """
    Return the findings of each round.

    Args:
        server: Writes its turns to the file of that name.
        seconds: Of a round's load; more if it would have too few turns.
    """
    seconds = max(seconds, TURNS * (COUNTS_S + PAUSES_S))
    put_load(server, case, seconds=WARM_UP_S)
    return [_round(server, turns, case, seconds=seconds) for _ in range(rounds)]


def _round(server: Server, turns: Path, case: Case, *, seconds: float) -> Cost:
    time.sleep(WRITTEN_WITHIN_S)
    earlier, before_s = len(read_turns(turns)), server.cpu_s()
    put_load(server, case, seconds=seconds)
    time.sleep(COUNTED_WITHIN_S)
    cpu_s = server.cpu_s() - before_s
    return cost(read_turns(turns)[earlier:], cpu_s)


def cost(turns: Sequence[Turn], cpu_s: float) -> Cost:
    """
    Print the cost of a segment.

    Args:
        cpu_s: Of all processes of the server, those that took the turns, too.
    """
    counted, uncounted = (
        _sum(turn for turn in turns if turn.counts is counts)
        for counts in (True, False)
    )
    after_s = cpu_s - counted.cpu_s - uncounted.cpu_s
    return Cost(
        counted.cpu_s / counted.segments * 1e6,
        uncounted.cpu_s / uncounted.segments * 1e6,
        after_s / counted.segments * 1e6,
    )


def _sum(turns: Iterable[Turn]) -> Turn:
    kept = list(turns)
    return Turn(
        kept[0].counts,
        sum(turn.segments for turn in kept),
        sum(turn.cpu_s for turn in kept),
    )


def report(costs: Sequence[Cost]) -> None:
    """
    Print a line for each round, and the median.
    """
    print(f"\n{SMALL:16}{'CPU us':>10}{'without':>10}{'after it':>10}{'ratio':>10}")
    for number, one in enumerate(costs, start=1):
        print(
            f"  round {number:<8}{one.with_us:10.1f}{one.without_us:10.1f}"
            f"{one.after_us:10.1f}{one.ratio:10.3f}"
        )
    middle = statistics.median(one.ratio for one in costs)
    print(f"counting: {middle:.3f} of the CPU without it   goal {GOAL}", flush=True)
